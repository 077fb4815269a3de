//! What is said of what a training step takes on a device, before it runs.

use super::words;

words! {
    /// A string about an estimate.
    EstimateWord, estimate;

    Title: "Device memory before the run", "运行前的设备内存估计";
    Hint: "What a framework asks for, step after step, put to a model of its allocator: what that reserves is what the device has to have. After Gao et al., 2020.", "框架逐步提出的请求，交给其分配器的模型：分配器预留多少，设备就须有多少。依据 Gao 等，2020。";
    By: "Allocator", "分配器";
    Caching: "PyTorch's caching allocator", "PyTorch 缓存分配器";
    Expandable: "the same, expandable_segments", "同上，expandable_segments";
    InAdvance: "none: values planned in advance", "无：事先规划各值";
    Steps: "Steps", "步数";
    StepsHint: "The first step begins without optimizer state, and without gradients where they are kept; from the second on all are alike", "第一步开始时没有优化器状态，也没有要保留的梯度；从第二步起各步相同";
    Context: "Driver, MiB", "驱动占用（MiB）";
    ContextHint: "What the device's driver takes for a process. No model knows it: measure it, or leave it empty", "设备驱动为一个进程占用的内存。模型无从得知：请自行测量，或留空";
    Workspace: "Workspace, MiB", "工作区（MiB）";
    WorkspaceHint: "What a kernel has beside its operands while it runs. No model knows it: measure it, or leave it empty", "内核运行时除操作数外占用的内存。模型无从得知：请自行测量，或留空";
    Beside: "Measured by", "实测来自";
    Nobody: "nothing", "无";
    BesideHint: "A memory snapshot of PyTorch that is open beside this model", "与此模型同时打开的 PyTorch 内存快照";
    OpenSnapshot: "Open a memory snapshot of PyTorch as another case, and it can be set beside the estimate.", "将 PyTorch 内存快照作为另一个案例打开，即可与估计并列。";

    Says: "The device has to have {}: {} reserved in {} {segment|segments}, {} allocated at the peak, in step {}.", "设备须有 {}：预留 {}，共 {} 个段；峰值时已分配 {}，在第 {} 步。";
    SaysPlanned: "The device has to have {}: all of it planned in advance.", "设备须有 {}：全部事先规划。";
    NotKnown: "Not known and not counted: {}.", "未知且未计入：{}。";
    TheDriver: "what the driver takes", "驱动占用";
    TheWorkspace: "the kernels' workspace", "内核的工作区";
    NoRoom: "{} {request finds|requests find} no room.", "{} 个请求没有空间。";

    Chart: "Allocated bytes over the steps, by what they are for, and what is reserved", "各步中已分配的字节（按用途）与预留量";
    Start: "start", "开始";
    Step: "step {}", "第 {} 步";

    Part: "What for", "用途";
    AtPeak: "At the peak", "峰值时";
    Share: "Share", "占比";
    Weights: "weights", "权重";
    Master: "master copy of the weights", "权重的主副本";
    Optimizer: "optimizer state", "优化器状态";
    WeightGradients: "gradients of weights", "权重梯度";
    Inputs: "inputs", "输入";
    Outputs: "activations", "激活";
    Gradients: "gradients of activations", "激活的梯度";
    Ephemeral: "within operators", "算子内部";
    Rectangles: "Everything as rectangles, beside", "全部以矩形显示（并排打开）";
    RectanglesHint: "Weights, gradients, optimizer state and values as tensors of one plan", "权重、梯度、优化器状态与各值作为同一规划中的张量";
    Communication: "communication", "通信";
    WorkspaceUsed: "workspace", "工作区";
    Idle: "idle in the arena", "内存区中空闲";
    Allocated: "allocated", "已分配";
    Reserved: "reserved", "预留";
    Driver: "driver", "驱动";
    Total: "the device has to have", "设备须有";
    Largest: "Largest at the peak: {}", "峰值时最大者：{}";
    More: "{} {other|others}, {}", "另有 {} 个，共 {}";

    Device: "Device", "设备";
    Memory: "Memory", "内存";
    Verdict: "The step", "该步";
    Fits: "fits", "可容纳";
    FitsWith: "fits only with {}", "仅在 {} 时可容纳";
    TooSmall: "does not fit: {} missing", "不可容纳：缺 {}";
    TooSmallWith: "does not fit: {} missing, with {}", "不可容纳：即使 {1}，仍缺 {0}";
    Or: " or ", " 或 ";
    And: " and ", " 且 ";
    Both: "{} and {}", "{}和{}";
    Then: "; ", "；";
    FitsHint: "Before a request fails, the allocator gives cached segments back: a device with less than that may do.", "请求失败之前，分配器会归还缓存的段：内存更小的设备也可能足够。";
    InputsOutputs: "inputs and outputs", "输入和输出";
    SetToNone: "zero_grad(set_to_none=True)", "zero_grad(set_to_none=True)";

    Errors: "Estimated beside measured", "估计与实测";
    ErrorsHint: "Each where it has most. What nobody measured, or nothing says of, has no figure.", "各取其最高处。无人测量或无从得知者不列数字。";
    Estimated: "Estimated", "估计";
    Measured: "Measured", "实测";
    Error: "Error", "误差";
    Temporary: "temporary", "临时";
    Values: "values in the arena", "内存区中的值";
    Unknown: "purpose not known", "用途未知";
    Run: "what the run takes for itself", "运行自身所占";

    Others: "What other allocators would reserve", "其他分配器会预留多少";
    OthersHint: "For the requests of these steps. Those that know all requests in advance plan them at once; the others see one at a time.", "针对这些步的请求。事先知道全部请求者一次规划，其余逐个处理。";
    NoSchedule: "There is no schedule to estimate: {}", "没有可估计的调度：{}";
    TooLarge: "The step is beyond what can be planned: choose a smaller batch.", "此训练步超出可规划的范围：请选较小的批量。";
    NoPlan: "The values cannot be planned in advance: {}", "无法事先规划各值：{}";
}
