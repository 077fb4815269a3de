//! What is said of the differences between plans and between dumps.

use super::words;

words! {
    /// A string about differences.
    DifferenceWord, difference;

    // Two plans of the open file.
    PlansTitle: "Two plans of this file", "此文件的两个计划";
    From: "From", "从";
    To: "To", "到";
    Swap: "Swap both", "互换";
    OnlyOne: "There is nothing to compare yet: at least two plans have to be made.", "暂无可比较的内容：至少需要两个计划。";
    Saves: "{} is {} ({}) smaller than {}.", "{0} 比 {3} 小 {1}（{2}）。";
    Costs: "{} is {} ({}) larger than {}.", "{0} 比 {3} 大 {1}（{2}）。";
    Even: "{} and {} need the same: {}.", "{} 与 {} 所需相同：{}。";
    Proved: "No plan of these lifetimes can be smaller than {}: it is proved.", "已证明：这些生命周期不存在比 {} 更小的计划。";
    SmallerStill: "{} is smaller still: {}.", "{} 更小：{}。";
    AboveBound: "{} is {} above the lower bound; whether a smaller plan exists is not known.", "{} 高于下界 {}；是否存在更小的计划尚未可知。";
    ReservedCounts: "“{}” counts by what was reserved at its peak, {}; in the picture its blocks reach {}.", "“{}”按峰值时的预留计算：{}；图中其块最高至 {}。";
    InvalidSays: "The judge rejects {}: its size says nothing.", "{} 违反规则，其大小没有意义。";
    MovedCount: "{} {tensor|tensors} moved, {}", "移动 {} 个张量，共 {}";
    SameCount: "{} {tensor|tensors} at the same place, {}", "位置不变 {} 个张量，共 {}";
    Freed: "{} freed", "释放 {}";
    Added: "{} more", "增加 {}";
    AllMoved: "all {} that moved", "全部 {} 个移动的";
    LegendDeciding: "In both pictures outlines mark what decides, {} of {} moved {tensor|tensors}; hatching or a tint what only one of them needs; select a tensor to see where it lies in the other.", "两幅图中，轮廓标出 {} 个起决定作用的张量（共移动 {} 个），斜线或淡色标出仅其中一个需要的内存；选择张量可查看它在另一计划中的位置。";
    Legend: "In both pictures outlines mark what moved, hatching or a tint what only one of them needs; select a tensor to see where it lies in the other.", "两幅图中，轮廓标出移动的张量，斜线或淡色标出仅其中一个需要的内存；选择张量可查看它在另一计划中的位置。";
    OutlinesOff: "The outlines are off while something else is lit in the picture.", "图中有其他内容被点亮时，不显示这些轮廓。";
    OutlinesOn: "Show the outlines", "显示轮廓";
    Buffer: "Tensor", "张量";
    Size: "Size", "大小";
    Was: "Was at", "原位置";
    Is: "Is at", "现位置";
    By: "Moved by", "移动";
    More: "and {} more, smaller ones", "另有 {} 个较小的";

    // Two dumps of one program.
    OutOfMemory: "Out of memory before: {}. After: {}.", "内存不足，之前：{}。之后：{}。";
    NoneFailed: "no request", "无";
    SomeFailed: "{} {request|requests}, the last for {} at step {}", "{} 个请求，最后一个在第 {2} 步请求 {1}";
    DumpsTitle: "Another dump of the same program", "同一程序的另一份转储";
    DumpsHint: "After an upgrade, say: tensors are matched by name, or by order where names are numbered anew; two memory snapshots by stack, size and order of allocation, never by address. What grew comes first.", "例如升级之后：张量按名称匹配，名称重新编号时按次序匹配；两份内存快照按调用栈、大小与分配次序匹配，从不按地址。增大的排在前面。";
    ChooseDump: "Compare with another dump…", "与另一份转储比较…";
    NoDump: "What is open brings no plan of its own, so there is no dump to compare.", "打开的文件不含计划，没有可比较的转储。";
    Waiting: "Reading {}…", "正在读取 {}…";
    Before: "Before", "之前";
    After: "After", "之后";
    Turn: "It is the newer one", "它是较新的一份";
    TurnBack: "It is the older one", "它是较旧的一份";
    Close: "Close the comparison", "关闭比较";
    GrewBy: "Grew by", "增量";
    Grew: "The arena grew by {} ({}): from {} to {}.", "内存区增大 {}（{}）：由 {} 到 {}。";
    Shrank: "The arena shrank by {} ({}): from {} to {}.", "内存区减小 {}（{}）：由 {} 到 {}。";
    Same: "The arena is as large as before: {}.", "内存区与之前一样大：{}。";
    Reserved: "Reserved at its peak", "峰值时的预留";
    ReservedNeeded: "Reserved where most is needed", "需求最大处的预留";
    NeededGrew: "What is needed at the peak grew by {} ({}): from {} to {}.", "峰值所需增大 {}（{}）：由 {} 到 {}。";
    NeededShrank: "What is needed at the peak shrank by {} ({}): from {} to {}.", "峰值所需减小 {}（{}）：由 {} 到 {}。";
    NeededSame: "As much is needed at the peak as before: {}.", "峰值所需与之前相同：{}。";
    ReservedGrew: "What was reserved at its peak grew by {} ({}): from {} to {}.", "峰值时的预留增大 {}（{}）：由 {} 到 {}。";
    ReservedShrank: "What was reserved at its peak shrank by {} ({}): from {} to {}.", "峰值时的预留减小 {}（{}）：由 {} 到 {}。";
    ReservedSame: "As much was reserved at its peak as before: {}.", "峰值时的预留与之前相同：{}。";
    Unchanged: "{} {tensor|tensors} unchanged in size and life (offsets may differ)", "{} 个张量大小与生命周期未变（偏移可能不同）";
    ChangedCount: "{} {tensor|tensors} changed", "{} 个张量改变";
    OnlyCount: "{} only before, {} only after", "{} 个仅在之前，{} 个仅在之后";
    FewPairs: "Few tensors have a partner, or none by its name: are these dumps of the same program?", "只有少数张量能够匹配，或没有张量按名称匹配：这些转储是否来自同一程序？";
    Changed: "Changed", "改变";
    Gone: "Only before", "仅在之前";
    New: "Only after", "仅在之后";
    WhatChanged: "What changed", "变化";
    StepsBefore: "Steps before", "之前的步数";
    StepsAfter: "Steps after", "之后的步数";
    SizeBefore: "Size before", "之前的大小";
    SizeAfter: "Size after", "之后的大小";
    AtPeak: "At the peak", "在峰值处";
    WasCalled: "was {}", "原名 {}";
    Guessed: "matched by order: the numbers in its name differ", "按次序匹配：名称中的编号不同";
    ByStack: "matched by stack, size and order of allocation: the name is an address", "按调用栈、大小与分配次序匹配：名称是地址";
    ByStackAlone: "matched by stack and order of allocation: size or line numbers differ", "按调用栈与分配次序匹配：大小或行号不同";
    GrowthTitle: "What changed at the peak, by stack", "峰值处的变化（按调用栈）";
    KeptTitle: "What changed of what is never given back, by stack", "从未归还部分的变化（按调用栈）";
    KeptMore: "Never given back: grew by", "从未归还部分的增长";
    ArenasTitle: "Every arena; choose one to compare it", "所有内存区；选择一个进行比较";
    Order: "Before: {}. After: {}.", "之前：{}。之后：{}。";
    Bound: "Lower bound", "下界";
}
