//! What is said of the differences between plans and between dumps.

use super::Language;

words! {
    /// A string about differences.
    DifferenceWord;

    // Two plans of the open file.
    PlansTitle: "Two plans of this file", "此文件的两个计划";
    From: "From", "从";
    To: "To", "到";
    Swap: "Swap both", "互换";
    OnlyOne: "There is nothing to compare yet: at least two plans have to be made.", "暂无可比较的内容：至少需要两个计划。";
    Saves: "{} is {} ({}) smaller than {}.", "{} 小 {}（{}），相比 {}。";
    Costs: "{} is {} ({}) larger than {}.", "{} 大 {}（{}），相比 {}。";
    Even: "{} and {} need the same: {}.", "{} 与 {} 所需相同：{}。";
    Proved: "No plan of these lifetimes can be smaller: it is proved.", "已证明：这些生命周期不存在更小的计划。";
    AboveBound: "It is {} above the lower bound; whether a smaller plan exists is not known.", "它高于下界 {}；是否存在更小的计划尚未可知。";
    InvalidSays: "{} breaks rules, so its size says nothing.", "{} 违反规则，其大小没有意义。";
    MovedCount: "{} {buffer|buffers} moved, {}", "移动 {} 个缓冲区，共 {}";
    SameCount: "{} {buffer|buffers} at the same place, {}", "位置不变 {} 个缓冲区，共 {}";
    Freed: "{} freed", "释放 {}";
    Added: "{} more", "增加 {}";
    Legend: "In both pictures outlines mark what moved, hatching what only one of them needs; select a buffer to see where it lies in the other.", "两幅图中，轮廓标出移动的缓冲区，斜线标出仅其中一个需要的内存；选择缓冲区可查看它在另一计划中的位置。";
    Buffer: "Buffer", "缓冲区";
    Size: "Size", "大小";
    Was: "Was at", "原位置";
    Is: "Is at", "现位置";
    By: "Moved by", "移动";
    More: "and {} more, smaller ones", "另有 {} 个较小的";
}
