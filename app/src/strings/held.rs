//! What is said of who holds the bytes of a moment.

use super::words;

words! {
    /// A string about who holds bytes.
    HeldWord, held;

    Tab: "Held by", "谁占内存";
    AtStep: "{} in {} {tensor|tensors} at step {}", "第 {2} 步时 {1} 个张量占用 {0}";
    AtEnd: "{} in {} {tensor|tensors} that are never given back", "{} 由 {} 个从未归还的张量占用";
    Added: "{0} in {1} {tensor|tensors} held at step {2}, of those that began from step {3} on and before step {2}", "第 {2} 步时占用：{0}，{1} 个张量，均从第 {3} 步起、第 {2} 步之前开始";
    Nothing: "Nothing is held then.", "此时没有占用。";

    When: "When", "时刻";
    Peak: "At the peak", "峰值处";
    Looked: "At the step that is looked at", "所看的时间步";
    End: "At the end: never given back", "结束时：从未归还";
    Between: "Added between two steps", "两个时间步之间新增";
    From: "from step", "从第";
    To: "and before step", "起，早于第";

    By: "Group by", "分组依据";
    Paint: "Colour the picture by it", "以此为图着色";
    Phase: "Phase", "阶段";
    Category: "Category", "类别";
    Inferred: "Category, inferred", "类别（推断）";
    Parameter: "parameter", "参数";
    OptimizerState: "optimizer state", "优化器状态";
    Gradient: "gradient", "梯度";
    Activation: "activation", "激活";
    Temporary: "temporary", "临时值";
    Input: "input", "输入";
    AutogradDetail: "autograd detail", "自动微分细节";
    Caller: "Allocated in", "分配处";
    Source: "Source", "来源";
    Module: "Module", "模块";
    Operator: "Operator", "算子";
    Stream: "Stream", "流";
    Frame: "Innermost frame", "最内层帧";
    Role: "Role", "角色";
    Name: "Name", "名称";

    Group: "Group", "组";
    Share: "Share", "占比";
    Tensors: "Tensors", "张量";
    More: "and {} {group|groups} more", "以及另外 {} 组";
    NoPhase: "outside any phase", "不属于任何阶段";
    NoPython: "no Python frame", "无 Python 帧";
    NoSource: "no source line", "无源代码行";
    Before: "before recording", "记录开始之前";
    Autograd: "autograd", "自动微分";

    Area: "Bytes needed at every step, by group", "各组在每个时间步所需的字节";
    AreaHint: "Click: look at the step and show the group", "点击：查看该时间步并显示该组";
    AreaAt: "step {}: {} needs {} of {}", "第 {} 步：{} 占 {}，共 {}";
    AreaTotal: "step {}: {} in all", "第 {} 步：共 {}";
    AreaMost: "{}, the highest of {}", "{}，{} 中的最高处";
    AreaAll: "All groups", "所有组";
    PeakLine: "peak", "峰值";

    Flame: "By stack, from the outside in", "按调用栈，由外到内";
    Runtime: "Frames of the runtime", "运行时的帧";
    FrameHint: "{}: {}, {} of all, {} {tensor|tensors}", "{}：{}，占 {}，{} 个张量";
    ZoomOut: "Show all", "显示全部";
    Find: "Show in the picture", "在图中显示";
}
