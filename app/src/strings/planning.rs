//! What is said of the settings of planning.

use super::words;

words! {
    /// A string about a setting of planning.
    PlanningWord, planning;

    IoLabel: "Inputs and outputs", "输入与输出";
    IoBeside: "Outside the arena", "在内存区之外";
    IoWhole: "Inside, kept for the whole run", "在内存区内，全程保留";
    IoLitert: "Inside, as in LiteRT", "在内存区内，同 LiteRT";
    IoTflm: "Inside, as in TFLite Micro", "在内存区内，同 TFLite Micro";
    IoGgml: "Inside, as in ggml", "在内存区内，同 ggml";
    ParallelLabel: "Operators run", "算子执行";
    ParallelSerial: "One after the other", "逐个";
    ParallelStreams: "In the model's streams", "按模型的流";
    ParallelFree: "As soon as inputs are there", "输入就绪即执行";
    ParallelHint: "Spans are widened so that no plan adds a dependency that the model does not have.", "放宽生命周期，使任何计划都不增加模型中没有的依赖。";
    PriceMore: "Parallel-safe: {}, {} more than serial {}", "并行安全：{0}，比串行的 {2} 多 {1}";
    PriceSame: "Parallel-safe: {}, no more than serial", "并行安全：{}，与串行相同";
    PriceBounds: "Lower bounds: {} parallel, {} serial", "下界：并行 {}，串行 {}";
    PriceUnwaiting: "Compared pair by pair, tensors that add no wait need at least {}", "按张量两两比较，不增加等待至少需要 {}";
    PriceUnmeasured: "Price of running in parallel: not measured", "并行的代价：未测量";
    PriceMeasuring: "Measuring the price of running in parallel…", "正在测量并行的代价…";
    PriceFailed: "Price of running in parallel: no answer", "并行的代价：没有结果";
    PriceHint: "Both planned by “best” with the effort below, without pools.", "两者均由“best”按下方预算规划，不含内存池。";
    Pools: "Memory pools", "内存池";
    PoolsHint: "The fastest first. What does not fit into a pool goes to the next.", "最快的在前。放不下的进入下一个。";
    PoolName: "Name", "名称";
    PoolCapacity: "Capacity", "容量";
    PoolUnlimited: "no limit", "不限";
    PoolAdd: "Add a pool", "添加内存池";
    PoolRemove: "Remove {}", "移除 {}";
    PoolExample: "SRAM and DRAM", "SRAM 与 DRAM";
    Spilled: "{} spilled", "溢出 {}";
    SpilledHint: "Bytes of the tensors that do not live in the pool that they prefer, and have to be moved.", "未能放入首选内存池、因而需要搬移的张量字节数。";
    LargestAllocation: "Largest allocation (ggml_gallocr)", "单次分配上限（ggml_gallocr）";
    NoLimit: "No limit", "不限";
    EffortLabel: "Effort of searches", "搜索预算";
    EffortQuick: "Quick", "快速";
    EffortUsual: "Usual", "常规";
    EffortThorough: "Thorough", "彻底";
    EffortOwn: "Your own", "自定义";
    EffortNodes: "Nodes of the exact search", "精确搜索的节点数";
    EffortMoves: "Moves of the local search", "局部搜索的移动数";
}
