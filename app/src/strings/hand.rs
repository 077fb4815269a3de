//! What is said of plans changed by hand, and what the judge finds in them.

use super::words;

words! {
    /// A string about plans changed by hand.
    HandWord, hand;

    // Where a buffer lies, or would lie.
    Lies: "{}: {}.", "{}：{}。";
    Free: "No conflict.", "无冲突。";
    Busy: "In the way: {}.", "被占用：{}。";
    ElsewhereFixed: "The problem fixes it at {}.", "问题将其固定在 {}。";
    Unaligned: "Not a multiple of {}.", "不是 {} 的倍数。";
    NoPool: "In none of its pools.", "不在其任何内存池内。";
    Pinned: "Pinned.", "已固定。";
    Arena: "Arena {}, {} above the bound.", "内存区 {}，高于下界 {}。";
    InvalidArena: "The judge rejects the plan.", "检验未通过。";
    Moved: "{} moved by hand.", "手动移动了 {} 个。";

    // The pane.
    Plan: "Plan", "计划";
    Down: "Down", "下移";
    DownBy: "{} lower (Shift+↓)", "降低 {}（Shift+↓）";
    Up: "Up", "上移";
    UpBy: "{} higher (Shift+↑)", "升高 {}（Shift+↑）";
    NextBelow: "Next place below", "下方下一处";
    NextBelowHint: "The next end of a free place below (Shift+PgDn)", "下方下一个空闲位置的边界（Shift+PgDn）";
    NextAbove: "Next place above", "上方下一处";
    NextAboveHint: "The next end of a free place above (Shift+PgUp)", "上方下一个空闲位置的边界（Shift+PgUp）";
    NoneBelow: "There is no free place below.", "下方没有空闲位置。";
    NoneAbove: "There is no free place above.", "上方没有空闲位置。";
    TooHigh: "Too high: {} is the most, so that addresses and sizes together stay below 2^62.", "过高：最大为 {}，以使地址与大小之和小于 2^62。";
    TooHighSaid: "An address was too high, so nothing was moved.", "地址过高，未移动任何内容。";
    LinkTooLong: "Too much was changed for a link, which carries {} {tensor|tensors}: export the plan as JSON.", "更改过多，链接最多携带 {} 个张量：请将计划导出为 JSON。";
    ChangedMeanwhile: "The plan was changed meanwhile, so the strategy's answer was dropped.", "计划在此期间已更改，策略的结果已丢弃。";

    // What the judge finds.
    Overlap: "{} and {} are live at the same step and share bytes.", "{} 与 {} 在同一步存活并共享字节。";
    NeededTwice: "{} and {} both need the same bytes at step {}.", "{} 与 {} 在第 {} 步需要相同的字节。";
    HandoverMissed: "{} and {} share some bytes at their common step: {} would have to start exactly {} behind the start of the other.", "{} 与 {} 在共同的一步共享字节：{} 必须恰好在另一者起点之后 {} 开始。";
    Misaligned: "{} starts at {}, not a multiple of {}.", "{} 起始于 {}，不是 {} 的倍数。";
    NotFixed: "{} starts at {}, but the problem fixes it at {}.", "{} 起始于 {}，但问题将其固定在 {}。";
    WrongPool: "{} may not live in {}.", "{} 不能位于 {}。";
    OutsidePool: "{} does not lie inside {}.", "{} 不在 {} 之内。";
    PoolTooLarge: "{} has {}, but {} are used.", "{} 的容量为 {}，但使用了 {}。";
    PoolsOverlap: "{} and {} share some bytes.", "{} 与 {} 共享字节。";
    MoreViolations: "all", "全部";

    // Keys.
    KeyNudge: "Move the selected tensor up and down by its alignment", "按对齐量上移或下移所选张量";
    KeyNext: "Move it to the next free place", "移到下一个空闲位置";

    // The bar under a plan that is changed.
    WhatIf: "What if", "假如";
    Address: "Address (bytes)", "地址（字节）";
    AddressHint: "Decimal, hexadecimal behind 0x, or with a unit such as 4 KiB. Illegal places are allowed: the judge says what is wrong.", "十进制、以 0x 开头的十六进制，或带单位（如 4 KiB）。允许非法位置：检验会指出问题。";
    MoveThere: "Move there", "移到此处";
    NoAddress: "That is no address: write 4096, 0x1000 or 4 KiB.", "这不是地址：请写 4096、0x1000 或 4 KiB。";
    Pin: "Pinned", "固定";
    PinHint: "Stays where it is: it cannot be dragged, and strategies plan around it (P).", "保持原位：不能拖动，策略会围绕它规划（P）。";
    Swap: "Swap with…", "与…交换";
    SwapChoose: "Select the other one.", "请选择另一个。";
    SwapWith: "Swap with {}", "与 {} 交换";
    Finisher: "Plan the rest with", "其余部分使用策略";
    KeepPins: "Keep {} pinned", "保留 {} 个已固定";
    KeepRest: "Replan only this one", "仅重新规划此项";
    Finishing: "Planning the rest…", "正在规划其余部分…";
    NotFinished: "The rest could not be planned: {}", "无法规划其余部分：{}";
    SamePlan: "The file has the same plan: every offset and the arena are equal.", "文件中的计划与此相同：所有偏移量及内存区大小均相等。";
    NothingMoved: "The strategy leaves everything where it was.", "策略没有移动任何张量。";
    NothingToUndo: "Nothing to undo.", "没有可撤销的更改。";
    NothingToRedo: "Nothing to redo.", "没有可重做的更改。";
}
