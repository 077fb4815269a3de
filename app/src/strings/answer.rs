//! The sentence with which each task begins.

use super::words;

words! {
    /// A part of the answer to what a task is about.
    AnswerWord, answer;

    Then: " ", "";
    Least: "{} needs {}, and no plan needs less.", "{} 需要 {}，没有更小的计划。";
    Smallest: "{} needs {}, the smallest found; the lower bound is {}.", "{} 需要 {}，为已找到的最小值；下界为 {}。";
    More: "{} needs {}, {} more", "{} 需要 {}，多 {}";
    AsLittle: "{} needs {}, as little as any plan.", "{} 需要 {}，与最小的计划相同。";
    Invalid: "A rule is broken by {}, whose bytes do not count. ", "{} 违反规则，其字节数不计。";
    NoPlan: "{} has no plan here.", "{} 在此没有计划。";
    BlocksLeast: ": it reuses whole blocks, and its {} {block|blocks} cannot be smaller; {} shares memory byte by byte.", "：它只能整块复用，其 {} 块已无法更小；{} 则按字节共用内存。";
    Blocks: ": it reuses whole blocks, {} of them, each as large as the largest tensor in it; {} shares memory byte by byte.", "：它只能整块复用，共 {} 块，每块与其中最大的张量同样大；{} 则按字节共用内存。";
    NoReuse: ": it reuses nothing.", "：它完全不复用内存。";
    Does: ". {}", "。{}";
    Order: ": its search over orders ended before it found a smaller plan.", "：它在找到更小的计划之前就结束了搜索。";
    Given: ": that is where the file puts its tensors.", "：文件就是这样放置张量的。";
    AtStep: " {} lies on top: at step {}, {} below it are empty.", "{} 位于最高处：在第 {} 步，其下有 {} 空闲。";
    Why: "Why?", "原因";
    WhyHint: "Why {} needs what it needs: shows its plan", "{} 为何需要这么多内存：显示其计划";
    FilmHint: "How {} decides, step by step", "逐步回放 {} 的决策";

    Peak: "{} because ", "{}：因为 ";
    And: " and ", " 和 ";
    Comma: ", ", "、";
    Others: "{} more", "另外 {} 个张量";
    LivesAt: "lives at step {}.", "在第 {} 步存活。";
    LiveAt: "live at step {}.", "在第 {} 步同时存活。";
    Holes: " {} needs {} above that: they lie empty between tensors.", "{} 在此之上还需要 {}：它们空闲在张量之间。";

    Promised: "{} promises {}; nothing has been run yet.", "{} 承诺只用 {}；尚未运行。";
    RanAll: "{} of {} {plan|plans} have run: {} confirmed.", "{1} 个计划中已运行 {0} 个：{2} 个得到确认。";
    Ran: "{}: {}, {}.", "{}：{}，{}。";

    HalfTrained: "At half the memory, {}: {} more work, by {}.", "内存减半（{}）时：计算量增加 {}（{}）。";
    HalfAsked: "At half the memory, {}: the policies are asked…", "内存减半（{}）时：正在询问各策略…";
    HalfFree: "Half the memory, {}, costs no more work, by {}.", "内存减半（{}）不增加计算量（{}）。";
    HalfBelow: "Half the memory, {}, is too little: no schedule needs less than {}.", "内存减半（{}）不够：任何调度都至少需要 {}。";
    HalfNone: "No policy found a schedule at half the memory, {}.", "没有策略在内存减半（{}）时找到调度。";

    SweptOne: "At {} {}, {} needs {}.", "{} 为 {} 时，{} 需要 {}。";
    SweptTo: "At {} {}, {} needs {}: {}× the {} at {}.", "{0} 为 {1} 时，{2} 需要 {3}：是取值 {6} 时 {5} 的 {4} 倍。";
    SweptSame: "{} needs {} at every {} from {} to {}.", "{0} 在{2} {3} 至 {4} 的各取值上都需要 {1}。";

    Passes: "The chosen passes bring {} to {}; {} saves most: {}.", "所选 pass 将 {} 降到 {}；{}节省最多：{}。";
    PassesSame: "The chosen passes change nothing of {}.", "所选 pass 没有改变 {}。";
    NoPasses: "No pass is chosen: the model as it is needs {}.", "未选择任何 pass：模型原样需要 {}。";

    NoAdvice: "Nothing that is offered here makes it smaller.", "此处给出的改动都不能使其更小。";

    TextAsOpened: "{} needs {}, with the graph as it was opened; every edit is planned at once.", "打开时的图，{} 需要 {}；每次编辑都会立即重新规划。";
    TextLess: "As edited, {} needs {}: {} less than the graph as it was opened.", "编辑后 {} 需要 {}：比打开时的图少 {}。";
    TextMore: "As edited, {} needs {}: {} more than the graph as it was opened.", "编辑后 {} 需要 {}：比打开时的图多 {}。";
    TextEven: "As edited, {} needs {}, as the graph as it was opened does.", "编辑后 {} 需要 {}，与打开时的图相同。";

    Empty: "Nothing here:", "此处没有内容：";
    ShowAll: "show all", "显示全部";
}
