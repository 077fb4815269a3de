//! What is said of one value after the other.

use super::words;

words! {
    /// A string about a sweep.
    SweepWord, sweep;

    Over: "Over", "扫描变量";
    Alignment: "alignment", "对齐";
    Batch: "batch", "批大小";
    BatchAxis: "batch: the first dimension of the inputs", "批大小（输入的第一维）";
    BatchHint: "the file fixes the first dimension of its inputs: another is written in its place", "文件固定了输入的第一维：扫描时以其他取值代替";
    Values: "Values", "取值";
    ValuesHint: "1..32, 1..32:4 or 1,2,4,8", "1..32、1..32:4 或 1,2,4,8";
    Strategies: "Strategies: {}", "策略：{}";
    NoStrategy: "none", "无";
    Start: "Sweep", "开始扫描";
    Stop: "Stop", "停止";
    GoOn: "Go on", "继续";
    Working: "{} of {} {value|values}", "已完成 {} 个取值，共 {} 个";
    Stopped: "Stopped after {} of {} {value|values}.", "已停止：完成 {} 个取值，共 {} 个。";
    Outdated: "What is chosen has changed since: sweep again.", "所选内容已改变：请重新扫描。";
    NoForm: "Write values as in 1..32, 1..32:4 or 1,2,4,8.", "请写成 1..32、1..32:4 或 1,2,4,8 的形式。";
    NoRange: "The first value is at most the last, a step is 1 or more, an alignment or a batch from 1 to 2^32.", "第一个值不大于最后一个，步长至少为 1，对齐与批大小在 1 到 2^32 之间。";
    TooMany: "At most 1,024 values.", "最多 1,024 个取值。";
    NoSymbols: "no symbolic dimension here", "此处没有符号维度";
    Nothing: "There is nothing to sweep: nothing is prepared for planning.", "没有可扫描的内容：尚无可规划的内容。";

    Chart: "Bytes by {}", "字节数随 {} 的变化";
    ReadHint: "Arrow keys move along the values", "方向键沿取值移动";
    ChartHint: "Arrow keys move along the values, Enter plans at the value", "方向键沿取值移动，Enter 键按该值规划";
    AlignmentAxis: "alignment in bytes", "对齐（字节）";
    Log: "{}, logarithmic", "{}（对数刻度）";
    Now: "now {}", "当前 {}";
    Naive: "without reuse", "不复用";
    DrawNaive: "Show without reuse", "显示不复用";
    Unplanned: "not planned", "未规划";
    At: "{} = {}: {}", "{} = {}：{}";
    Figure: "{} {}", "{} {}";
    Between: ", ", "，";
    PlanAt: "Plan at {} = {}", "按 {} = {} 规划";

    Growth: "On one line over all values:", "在所有取值上成一条直线：";
    Grows: "{}: {} per {}", "{0}：{2} 每增加 1，{1}";
    Constant: "{}: the same at every value", "{}：各取值相同";

    Totals: "All memory by {}", "全部内存随 {} 的变化";
    Activations: "activations", "激活值";
    Weights: "weights", "权重";
    Cache: "keys and values, other state", "键与值等状态";
    Callers: "inputs and outputs", "输入与输出";
    Gradients: "gradients", "梯度";
    Optimizer: "optimizer", "优化器";

    Table: "Bytes at every value", "各取值的字节数";
    Note: "Note", "说明";
    Unsized: "{} {tensor|tensors} without a size {is|are} left out", "不计 {} 个没有大小的张量";
    CopyCsv: "Copy CSV", "复制 CSV";
    SaveCsv: "Download CSV", "下载 CSV";
    Png: "PNG", "PNG";
    Svg: "SVG", "SVG";
}
