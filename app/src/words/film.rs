//! What is said of films: their controls, and the parts that sentences are made of. A part
//! begins in lower case, and `{}` stands for what is filled in.

use super::Language;

words! {
    /// A string about films.
    FilmWord;

    // Controls.
    First: "Film", "回放";
    Second: "Beside it", "并列";
    NoFilm: "none", "无";
    Start: "To the start", "回到开头";
    Back: "One decision back", "后退一步";
    Play: "Play", "播放";
    Pause: "Pause", "暂停";
    On: "One decision on", "前进一步";
    End: "To the end", "跳到结尾";
    Decisive: "To the decisive step", "跳到决定性的一步";
    Speed: "Speed", "速度";
    Scrubber: "Step", "步骤";
    Position: "{} of {}", "{} / {}";
    KeepStep: "In step by", "同步方式";
    ByDecision: "decision", "按决定";
    ByShare: "share of the film", "按进度比例";
    Sampled: "{}: {} {decision|decisions}, of which one in {} is shown.", "{}：共 {} 个决定，每 {} 个显示一个。";
    Making: "Recording the decisions of {}…", "正在记录 {} 的决定…";
    Again: "Record again", "重新记录";
    Nothing: "Show a strategy to see its film.", "请先显示一个策略，再观看其回放。";

    // Sentences.
    About: "{}, {}: {}.", "{}，{}：{}。";
    Next: "; ", "；";
    List: ", ", "、";
    Last: " and ", "和";
    LastNumber: " and ", "、";
    More: "{} more", "另外 {} 个";
    AtStart: "Nothing is placed yet: {} {buffer|buffers}, the bound is {}.", "尚未放置：共 {} 个缓冲区，下界为 {}。";
    AtStartObjects: "Nothing is placed yet: {} {buffer|buffers}, the bound for shared objects is {}.", "尚未放置：共 {} 个缓冲区，共享对象的下界为 {}。";
    Alone: "nothing else is live beside it", "没有与它同时存活的已放置缓冲区";
    NoGap: "no gap beside what is placed", "已放置的缓冲区之间没有空隙";
    OneGap: "one gap, of {}", "有一个 {} 的空隙";
    Gaps: "gaps of {}", "有 {} 的空隙";
    Ordinal1: "the first", "第一个";
    Ordinal2: "the second", "第二个";
    Ordinal3: "the third", "第三个";
    Ordinal4: "the fourth", "第四个";
    It: "it", "它";
    Both: "both", "两个";
    Each: "all", "全部";
    IsTooSmall: "{} is too small", "{}太小";
    AreTooSmall: "{} are too small", "{}都太小";
    IsLooser: "{} fits less closely", "{}不够贴合";
    AreLooser: "{} fit less closely", "{}都不够贴合";
    IsLater: "{} would do, but another was met first", "{}也可以，但先遇到了别的";
    AreLater: "{} would do, but another was met first", "{}都可以，但先遇到了别的";
    IsFree: "{} stays free", "{}留空";
    AreFree: "{} stay free", "{}都留空";
    IsTaken: "{} is taken", "{}被占用";
    AreTaken: "{} are taken", "{}都被占用";
    IsOutOfRange: "{} is outside the sizes that are accepted", "{}超出可接受的大小范围";
    AreOutOfRange: "{} are outside the sizes that are accepted", "{}都超出可接受的大小范围";
    IsOtherColor: "{} belongs to operators that may run at the same time", "{}属于可能同时运行的算子";
    AreOtherColor: "{} belong to operators that may run at the same time", "{}都属于可能同时运行的算子";
    Overlooked: "the gap of {} at {} is overlooked", "忽略了 {} 的空隙（位于 {}）";
    OverlookedBelow: "the gap of {} at {} below {} is overlooked", "忽略了 {} 的空隙（位于 {}，在 {} 下方）";
    PlacedAt: "placed at {}", "放在 {}";
    PlacedOnTop: "placed on top, at {}", "放在最上面，即 {}";
    PlacedInstead: "placed at {} instead", "改放在 {}";
    Fixed: "its address is fixed by the problem", "地址由问题指定";
    Weightless: "it needs no memory", "不需要内存";
    LeavesFree: "{} stay free under it", "其下方空出 {}";
    ObjectName: "object {}", "对象 {}";
    ObjectSubject: "object {}", "对象 {} ";
    ObjectBusy: "{} is taken by {}", "{}被 {} 占用";
    NoObject: "there is no object yet", "尚无对象";
    Opened: "opens object {} of {}", "新开对象 {}（{}）";
    Grown: "object {} grows for it from {} to {}", "对象 {} 为它从 {} 扩大到 {}";
    Assigned: "given to object {} of {}", "放入对象 {}（{}）";
    OpenedEmpty: "Object {} of {} is opened.", "新开对象 {}（{}）。";
    GrownEmpty: "Object {} grows from {} to {}.", "对象 {} 从 {} 扩大到 {}。";
    MovedUp: "moved up from {} to {}", "从 {} 上移到 {}";
    MovedDown: "moved down from {} to {}", "从 {} 下移到 {}";
    TakenUp: "taken up again", "取回";
    Attempt: "Attempt {}: everything is taken up, and it begins anew.", "第 {} 次尝试：全部取回，重新开始。";
    Pruned: "With {} placed, this branch is given up: {}.", "已放置 {} 个，放弃此分支：{}。";
    RuleCapacity: "a buffer would end behind the capacity", "有缓冲区会超出容量";
    RuleCanonical: "the same plan is found in another order", "同一计划会以另一顺序找到";
    RuleDominance: "another buffer fits wholly below the chosen place", "另一缓冲区可完全放在所选位置下方";
    RuleSectionInference: "a section cannot hold what is still to be placed in it", "某一时间段容不下尚待放置的缓冲区";
    RuleMonotonicFloor: "a section's floor is lower than the last placed buffer", "某一时间段的底部低于最后放置的缓冲区";
    RuleHatless: "nothing unplaced lies above it, so that its place has no alternative", "其上方没有未放置的缓冲区，位置无需再换";
    Incumbent: "A whole plan, the smallest so far. {}", "得到一个完整计划，是目前最小的。{}";
    Proved: "Proved: no plan is smaller than {}.", "已证明：不存在小于 {} 的计划。";
    Met: "Arena {}, equal to the bound: no plan can be smaller.", "内存区 {}，等于下界：不存在更小的计划。";
    MetObjects: "Arena {}, equal to the bound for shared objects: no plan of objects can be smaller.", "内存区 {}，等于共享对象的下界：不存在更小的对象计划。";
    Below: "Arena {}.", "内存区 {}。";
    Over: "Arena {}, {} above the bound of {}.", "内存区 {}，高出下界 {}（下界为 {}）。";
    OverObjects: "Arena {}, {} above the bound of {} for shared objects.", "内存区 {}，高出共享对象的下界 {}（下界为 {}）。";
    Decides: " This decides it: the arena grows to {}, {} above the bound of {}.", "决定性的一步：内存区增至 {}，高出下界 {}（下界为 {}）。";
    DecidesObjects: " This decides it: the objects grow to {}, {} above the bound of {}.", "决定性的一步：对象增至 {}，高出下界 {}（下界为 {}）。";
    InTheGap: " In that gap, an arena of {} would still be enough.", "若放入该空隙，{} 的内存区仍然足够。";
    Stands: " {} stands on {}, though {} and {} are never live together.", "{} 叠在 {} 之上，而 {} 与 {} 从不同时存活。";
    StandsOnHole: " {} stands on {}, under which {} at {} stay free.", "{} 叠在 {} 之上，其下空出 {}（位于 {}）。";
    HangsOverHole: " Under {}, {} at {} stay free.", "{} 下方空出 {}（位于 {}）。";
    On1: " on ", "、";
}
