//! What is said of the model after each of its passes.

use super::words;

words! {
    /// A string about stages.
    StageWord, stages;

    Tab: "Stages", "阶段";
    Title: "What each pass saves", "每个 pass 节省多少";
    Nothing: "There are no operators in this file, so no pass can change them. Open a model.", "此文件不含算子，没有可由 pass 改写的内容。请打开模型。";
    Starts: "The first stage begins…", "即将开始第一个阶段……";
    Working: "Stage {} of {}", "正在处理第 {} 个阶段，共 {} 个";
    All: "Usual passes", "常用 pass";
    None: "No pass", "不用任何 pass";
    Usual: "Fusion, views, concatenation and operators in place wherever it is legal, and the best order", "融合、视图、原地拼接、凡合法之处的原地算子，以及最优次序";
    Slider: "Stage in view", "所示阶段";
    PlannedBy: "Every stage planned with {}; bars are the arena, hatched is what the pass saves.", "各阶段均用 {} 规划；条形为内存区，斜线部分为该 pass 所节省。";

    Stage: "Stage", "阶段";
    Arena: "Arena", "内存区";
    Saved: "Change", "变化";
    Bound: "Bound", "下界";
    Peak: "Peak", "峰值";
    Naive: "Sum", "总和";
    NaiveHint: "All blocks without any reuse", "所有内存块，不作任何复用";
    Blocks: "Allocations", "分配数";
    BlocksHint: "Blocks of memory, without those that are written over another", "内存块数，不含写在他块之上的块";
    Copied: "Copied", "拷贝量";
    CopiedHint: "Bytes that are read and written only to be moved", "仅为搬移而读写的字节";
    Steps: "Steps", "步数";
    Rewrites: "Rewrites", "改写数";
    Beside: "Beside", "并排";
    BesideHint: "Shows this stage beside what is open", "将此阶段与当前内容并排显示";
    NoReuse: "No reuse", "不复用";
    Model: "Planned", "规划后";
    ModelHint: "The model before every chosen pass", "所选各 pass 之前的模型";
    Less: "−{}", "−{}";
    More: "+{}", "+{}";
    Same: "±0", "±0";
    NoPlan: "no plan: {}", "没有规划：{}";

    Made: "{} made", "{} 处已改写";
    Refused: "{} refused", "{} 处被拒";
    Unchanged: "Nothing was changed by {}: {}.", "{}未作改动：{}。";
    Ordered: "{}: live bytes at the peak were {} in the file's order, are {} now, and cannot be below {}.", "{}：按文件次序峰值存活 {}，按此次序为 {}；任何次序都不少于 {}。";
    InOrder: "These keep their order, because they may do more than compute: {}.", "以下算子可能不止于计算，保持原有次序：{}。";
    Blocked: "Without {} the arena would be {}, {} less: what it makes blocks a later pass.", "去掉{}后内存区为 {}，少 {}：它的改写妨碍了后面的 pass。";
    Optimal: "No order is better.", "没有更好的次序。";
    What: "Pattern or operator", "模式或算子";
    Tensors: "Tensors", "张量";
    Operators: "Operators", "算子";
    Why: "Why it was refused", "被拒原因";
    Raises: "it would raise the live bytes at the peak from {} to {}", "它会把峰值活跃内存从 {} 提高到 {}";
    Done: "made", "已改写";
    Lead: "Shows this tensor in the picture", "在图中显示此张量";
    Rest: "{} more", "还有 {} 项";
    OnlyRefused: "Refused only", "仅看被拒";
}
