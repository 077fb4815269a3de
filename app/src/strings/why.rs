//! What is said of why a plan is larger than the bound.

use super::words;

words! {
    /// A string about the bytes that a plan takes above the bound.
    WhyWord, why;

    Label: "Why is this plan larger?", "此计划为何更大？";
    Naive: "Nothing is reused: every tensor keeps memory of its own, {} above the bound.", "没有复用：每个张量独占内存，比下界多 {}。";
    At: "At {}, {} are empty: {} above the bound", "在{}，有 {} 空闲：其中 {} 高于下界";
    Step: "step {} ({})", "第 {} 步（{}）";
    BareStep: "step {}", "第 {} 步";
    Idle: ", and {} because fewer bytes are live there than at the peak", "，另有 {} 是因为该步活跃内存少于峰值";
    Apart: ", less {} that two tensors hold at once in the step of a hand-over", "，减去交接时两个张量同时占用的 {}";
    End: ". ", "。";
    Largest: "Largest hole: {}, under ", "最大空洞：{}，位于下方，其上为 ";
    OnlyHole: "The hole is under ", "空洞之上为 ";
    Top: "Largest hole: {}, at the top.", "最大空洞：{}，位于顶部。";
    Under: ", which lies on {} (live in {}).", "，它叠在 {} 之上（存活于{}）。";
    Alignment: ", which begins at a multiple of its alignment.", "，它须从对齐的倍数开始。";
    Shared: ", which shares bytes with {} and can only move with it.", "，它与 {} 共用字节，只能一起移动。";
    Itself: ", which keeps its place while it pauses.", "，它在暂停期间保留位置。";
    Fixed: ", whose address is fixed.", "，其地址是固定的。";
    Object: ", in a shared object as large as {}.", "，它位于与 {} 同样大的共享对象中。";
    Slides: ", which could simply lie lower.", "，它其实可以直接下移。";
    Steps: "steps {} to {}", "第 {} 至 {} 步";
}
