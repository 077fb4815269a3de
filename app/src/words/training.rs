//! What is said of the model as a training step.

use super::words;

words! {
    /// A string about training steps.
    TrainingWord, training;

    Tab: "Training", "训练";
    Title: "A training step under a budget", "预算下的一个训练步";
    Nothing: "There is no inference graph in this file, so there is nothing to train. Open a model.", "此文件不含推理图，没有可训练的内容。请打开模型。";
    Unsized: "“{}” has no size: choose the model's dimensions first.", "“{}”没有大小：请先选定模型的各维度。";
    TooLarge: "Sizes or costs of this step go beyond 64 bits, or it has too many nodes: choose a smaller batch.", "此训练步的大小或开销超出 64 位，或节点过多：请选较小的批量。";
    Starts: "The first schedule begins…", "即将开始第一个调度……";
    Working: "Schedules, part {} of {}", "正在求调度，第 {} 部分，共 {} 部分";
    Waits: "being searched…", "搜索中……";
    NotWanted: "not searched: stopped", "未搜索：已停止";
    Facts: "{} {node|nodes}, made of the operators in the file by Checkmate's rule; weights and gradients of weights take {} beside the budget. No schedule needs less than {}, for {}; keeping everything needs {}.", "按 Checkmate 规则由文件中的算子得到 {} 个节点；权重及其梯度另占 {}，不计入预算。任何调度都不少于 {}（由 {} 决定）；全部保留需 {}。";
    FactsLog: "{} {call|calls} of a program. {} are always there and count in the budget. No run needs less than {}; without evictions it needs {}. Costs are nanoseconds. Policies that need the whole graph are left out.", "程序的 {} 次调用。{} 始终驻留，计入预算。任何运行都不少于 {}；不逐出时需 {}。开销以纳秒计。需要完整计算图的策略未列出。";
    NotForLogs: "no schedule: it needs the whole graph, a log is one run", "无调度：该策略需要完整的图，而日志只是一次运行";
    ComputeTime: "{} {nanosecond|nanoseconds} in all", "共 {} 纳秒";
    AsLogged: "Without evictions", "不逐出";
    Empty: "Nothing is drawn: {} has no schedule under this budget ({}). Choose a larger budget or another policy.", "图中无内容：{} 在此预算下没有调度（{}）。请提高预算或换用其他策略。";
    Batch: "Batch", "批量";
    BatchHint: "Samples of a step; a sample is one run of the model as it is sized", "一步的样本数；一个样本即按当前尺寸运行模型一次";
    Inference: "Inference", "推理";
    NoBudget: "No budget", "无预算";
    Budget: "Budget for values", "值的预算";
    Policy: "Policy", "策略";
    Peak: "Peak", "峰值";
    Overhead: "Overhead", "开销";
    Compute: "{} FLOP in all", "共 {} FLOP";
    Proof: "Proof", "证明";
    Optimal: "no schedule computes less", "没有更省计算的调度";
    NotProved: "best found at a glance; planning it searches on", "初步搜索所得；规划时会继续搜索";
    TooManyToSearch: "not searched, too many nodes: the cheapest of the others", "节点过多，未作搜索：取其余策略中最省者";
    PlanHint: "Plans this schedule and draws it", "规划并绘制此调度";
    KeepAll: "Keep everything", "全部保留";
    SqrtN: "Every √n-th checkpoint", "每 √n 个设检查点";
    ChenGreedy: "Greedy checkpoints (Chen)", "贪心检查点（Chen）";
    ChenGreedyAll: "Greedy, any node (Chen)", "贪心，任意节点（Chen）";
    TorchSegments: "PyTorch's segments", "PyTorch 分段";
    Knapsack: "PyTorch's knapsack", "PyTorch 背包";
    Exact: "Exact (Checkmate)", "精确（Checkmate）";
    Dtr: "DTR", "DTR";
    DtrEq: "DTR, classes", "DTR，等价类";
    DtrLocal: "DTR, own cost", "DTR，仅自身开销";
    Msps: "MSPS", "MSPS";
    Lru: "Least recently used", "最近最少使用";
    Size: "Largest first", "最大者优先";
    NotStale: "DTR, without staleness", "DTR，不计闲置时间";
    Random: "Random", "随机";
    BelowMinimum: "no schedule: {} alone needs {}", "无调度：仅 {} 就需 {}";
    SmallestNeeds: "its smallest schedule needs {}", "其最小的调度需 {}";
    OutOfMemory: "out of memory at {}", "在 {} 处内存不足";
    Impossible: "no schedule fits", "没有可行的调度";
    Thrashed: "more than as much again would be computed", "重算量将超过原计算量";
    NotSearched: "not found: the search is for small steps, and was ended", "未找到：该搜索适用于小的训练步，已中止";
    Stopped: "stopped", "已停止";
    Addresses: "In addresses", "按地址计";
    AddressesHint: "The budget counts bytes. The same stays in memory, placed: no plan needs less than {}.", "预算只计字节数。将同样的驻留区间放置：任何计划都不少于 {}。";
    Strategy: "Strategy", "策略";
    Arena: "Needs", "所需";
    OverBound: "Over the bound", "相对下界";
    ShowHint: "Shows or hides this plan", "显示或隐藏此计划";
    Up: "overhead", "开销";
    Across: "peak of live values", "存活值的峰值";
    ChartTitle: "Overhead against memory of every schedule that was found; a click plans one", "所有已得调度的开销与内存；点击即规划";
    Point: "{}: {}, {}", "{}：{}，{}";
    Segments: "Checkpoints", "检查点";
    Live: "Evict as you go", "边运行边逐出";
    Best: "no other is better in both", "两项均无更优者";
    StaircaseTitle: "Schedule: a column for each node, a row for each first run.", "调度：每列一个节点，每行一次首次运行。";
    Kept: "kept", "保留";
    First: "computed", "计算";
    Recomputed: "computed again", "重新计算";
    TooManyNodes: "This step has too many nodes to draw its schedule here.", "此训练步节点过多，无法在此绘制其调度。";
}
