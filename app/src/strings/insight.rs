//! What is said of why a plan is as large as it is, and of what lies where.

use super::words;

words! {
    /// A string about the bytes of an arena.
    InsightWord, insight;

    // The arena, split.
    WasteTitle: "Where the {} of {} go", "{} 的去向（{}）";
    WasteInvalid: "This plan breaks {} {rule|rules}, so its bytes are not split: it may be smaller than any plan that works. The rules are listed over its picture.", "该计划违反 {} 条规则，因此不拆分其字节：它可能小于任何可用的计划。被违反的规则列在其图上方。";
    WasteHint: "Every byte of the arena has one reason; the parts sum to it. Choose one to see the rectangles that make it.", "内存区的每个字节都有一个原因；各部分之和等于内存区。选择一项可查看构成它的矩形。";
    WasteWaits: "The plan is being explained…", "正在分析计划…";
    WasteNoPlan: "There is no plan yet.", "尚无计划。";
    PartColumn: "Part", "部分";
    BytesColumn: "Bytes", "字节";
    ShareColumn: "Of the arena", "占比";
    WhyColumn: "Why", "原因";
    NothingRow: "Other parts", "其他部分";
    Comma: ", ", "、";
    NeededPeak: "Reserved where most is needed", "需求最大处的预留";
    FullestColumn: "Where most is reserved (step {})", "预留最多处（第 {} 步）";
    SumRow: "Arena", "内存区";
    SumHint: "The sum of all parts", "各部分之和";
    Needed: "Needed", "必需";
    NeededWhy: "Values that are needed at the same time, at step {}; bytes that are reused in place count once.", "在第 {} 步同时需要的值；原地复用的字节只计一次。";
    Padding: "Padding", "填充";
    PaddingWhy: "Blocks are larger than what was asked for.", "块大于所请求的大小。";
    PaddingNone: "None at the peak.", "峰值处没有。";
    Pinned: "Pinned", "固定";
    PinnedWhy: "Inputs and outputs keep their bytes while nobody needs them: a policy, not waste of the planner.", "输入与输出在无人需要时仍占用字节：这是策略，而非规划器的浪费。";
    PinnedNone: "None at the peak.", "峰值处没有。";
    WholeLife: "Whole life", "全程";
    WholeLifeWhy: "Variables and constants keep their bytes for the whole run.", "变量与常量在整个运行期间占用字节。";
    WholeLifeNone: "None at the peak.", "峰值处没有。";
    Pending: "Pending on another stream", "等待其他流";
    PendingWhy: "At step {} the program has given these blocks back, but another stream still uses them.", "在第 {} 步，程序已归还这些块，但另一个流仍在使用。";
    PendingNone: "None at the peak.", "峰值处没有。";
    Alignment: "Alignment", "对齐";
    AlignmentWhy: "Blocks have to start at multiples.", "块必须起始于对齐值的倍数。";
    AlignmentNone: "It costs nothing here.", "此处没有代价。";
    Fragmentation: "Fragmentation", "碎片";
    FragmentationWhy: "Beyond the bound: at step {}, where the plan is highest, {} {hole lies|holes lie} below.", "超出下界：在计划最高的第 {} 步，下方有 {} 个空洞。";
    FragmentationNone: "True fragmentation is 0: the plan meets the bound, and no plan of the same lifetimes is smaller.", "真实碎片为 0：计划达到下界，相同生命周期的任何计划都不会更小。";
    Tail: "Reserved tail", "预留尾部";
    TailWhy: "Behind the last byte that any tensor has: the toolchain reserved more than its plan needs, as padding of its own or by rounding up.", "位于所有张量最后一个字节之后：工具链预留的多于计划所需，是其自带的填充或向上取整。";
    NotListed: "Not listed", "未列出";
    StatedWhy: "The text itself says so: no tensor has these bytes.", "文本本身如此说明：这些字节不属于任何张量。";
    NotListedWhy: "The file lists the largest tensors only; what it says in all has so many bytes more.", "文件只列出最大的张量；其总量还多出这些字节。";
    NotListedNone: "The file lists the largest tensors only, and does not say how much more there is.", "文件只列出最大的张量，未说明其余有多少。";
    RefusedTitle: "Out of memory", "内存不足";
    RefusedAsked: "{0} asked for, {2} left on the device.", "请求 {0}，设备剩余 {2}。";
    RefusedAskedIn: "{} asked for in {}, {} left on the device.", "{1} 请求 {0}，设备剩余 {2}。";
    RefusedFree: "In the segments {} were free, in {} {piece|pieces}; the largest of this stream has {}.", "段中空闲 {}，分为 {} 块；该流的最大一块为 {}。";
    RefusedPieces: "With the {} in use it would fit into the {} that the program can have, but what is free lies in segments that cannot go back to the device while blocks lie in them: fragmentation.", "加上正在使用的 {}，总量可放入程序可用的 {}，但空闲部分所在的段中还有块，无法归还设备：这是碎片。";
    RefusedLittle: "With the {} in use it is more than the {} that the program can have: fewer bytes have to be live then.", "加上正在使用的 {}，超过程序可用的 {}：此时存活的字节必须更少。";
    RefusedDevice: "{} are in use; the request alone is more than the {} that the program can have.", "正在使用 {}；仅此请求就超过程序可用的 {}。";
    RefusedLimit: "{} are in use, and of {} the device had enough left: a limit of the program's own forbade it, as torch.cuda.set_per_process_memory_fraction sets one.", "正在使用 {}，而 {} 的设备仍有足够剩余：是程序自设的限额所致，例如 torch.cuda.set_per_process_memory_fraction。";
    RefusedElsewhere: "With the {} in use it would fit into the {} that the program can have, but much of what is free lies in other pools or for other streams, which share no free blocks.", "加上正在使用的 {}，总量可放入程序可用的 {}，但许多空闲字节属于其他内存池或其他流，它们不共用空闲块。";
    RefusedMore: "and {} more", "以及另外 {} 个";
    FreeSegments: "Free segments", "空闲段";
    FreeSegmentsWhy: "At step {}, where most is reserved, no block is in them: torch.cuda.empty_cache() gives back those that are in no private pool. They are {} free {range|ranges}.", "在预留最多的第 {} 步，其中没有任何块：torch.cuda.empty_cache() 可归还其中不属于私有池的段。空闲区间共 {} 个。";
    FreeSegmentsNone: "Every segment holds a block where most is reserved: there is nothing to give back.", "在预留最多处，每个段都有块：没有可归还的。";
    FreeInside: "Free inside segments", "段内空闲";
    FreeInsideWhy: "Free bytes between blocks of the same segment, at step {}: what asks for more than the largest of them takes a new segment.", "第 {} 步时同一段中各块之间的空闲字节：请求超过其中最大者时会取用新的段。";
    FreeInsideNone: "Segments that hold blocks are full where most is reserved.", "在预留最多处，含有块的段均已占满。";
    PartShow: "Show what makes it", "显示其构成";
    PartTitle: "{}: {}, at step {}", "{}：{}，第 {} 步";
    PartOff: "Show everything again", "恢复显示全部";
    FreeRangeOf: "{} free at {}", "{} 空闲于 {}";
    BarLabel: "The parts of the arena as a bar", "以条形表示的内存区各部分";

    // The peak.
    PeakOf: "The peak", "峰值";
    PeakSays: "At step {}, {} are needed by {} {tensor|tensors} together.", "在第 {} 步，需要 {}，来自 {} 个张量。";
    PeakLight: "Show them", "显示";
    ReliefTitle: "What would lower the peak most", "最能降低峰值的张量";
    ReliefHint: "Without this tensor, or with one that is smaller by so much, the peak would fall to this.", "若没有该张量，或将其缩小相应字节，则峰值降到此值。";
    ReliefNone: "No single tensor lowers the peak: it is reached at several steps by different ones.", "没有单个张量能降低峰值：多步由不同张量达到同一峰值。";
    TensorColumn: "Tensor", "张量";
    SavedColumn: "Peak falls by", "峰值降低";
    NewPeakColumn: "New peak", "新峰值";
    StepColumn: "At step", "所在步";
    LookAtStep: "Look at step {}", "查看第 {} 步";

    // Allocators.
    TraceTitle: "What the allocator took", "分配器的占用";
    TraceReserved: "The allocator held up to {} at once.", "分配器同时最多持有 {}。";
    TraceBest: "A plan made in advance for the same lifetimes needs {}: {} less.", "为相同生命周期预先制定的计划需要 {}：少 {}。";
    TraceBestMore: "The best plan found for the same lifetimes needs {}.", "为相同生命周期找到的最佳计划需要 {}。";
    TraceBound: "No plan needs less than {}.", "任何计划都不会小于 {}。";

    // A place.
    FreeRangeTitle: "Free: {}", "空闲：{}";
    FreeRangeBytes: "Addresses", "地址";
    FreeRangeBytesOf: "{} to {}", "{} 至 {}";
    FreeRangeWhen: "Free at", "空闲于";
    BelowIt: "Below", "下方";
    AboveIt: "Above", "上方";
    BeforeIt: "Before", "之前";
    AfterIt: "After", "之后";
    Floor: "the arena's first byte", "内存区起点";
    Top: "the arena's end", "内存区末尾";
    FromStart: "free from the start", "从一开始就空闲";
    ToEnd: "free to the end", "直到最后都空闲";
    FitLargest: "Largest that would fit", "可放入的最大者";
    FitNone: "No tensor would fit here for its whole life.", "没有张量能在其整个生命周期内放入此处。";
    FitCount: "{} {tensor|tensors} would fit here", "{} 个张量可放入此处";
    PlaceSays: "Step {}, address {}", "第 {} 步，地址 {}";
    CloseFreeRange: "Ask no more", "关闭";
    ChainTitle: "Why it cannot lie lower in {}", "在 {} 中为何不能更低";
    ChainHint: "Each tensor lies directly on the next, down to address 0 or the start of its segment. To lower the first, one of these has to move.", "每个张量直接位于下一个之上，直至地址 0 或所在段的起点。要降低第一个，须移动其中之一。";
    ChainShow: "Show the chain", "显示这条链";
    ChainLoose: "could lie {} lower", "可降低 {}";
    ChainAir: "{} of alignment below", "下方有 {} 对齐空隙";

    // The graph.
    Graph: "Graph", "计算图";
    GraphHint: "Operators over each picture in their order, and what goes from one to another", "每幅图上方按执行顺序排列的算子，以及其间传递的张量";
    GraphLabel: "Graph of {} {operator|operators} in their order.", "按执行顺序的计算图，共 {} 个算子。";
    GraphOperator: "Step {}: {}. Read: {}. Written: {}.", "第 {} 步：{}。读取：{}。写入：{}。";
    GraphTensor: "{}: written by {}, read by {}.", "{}：由 {} 写入，被 {} 读取。";

    // Lanes.
    Lanes: "Free space over time", "随时间变化的空闲空间";
    LanesHint: "Lanes under each picture, on its axis of time", "每幅图下方的曲线，共用时间轴";
    LanesAt: "{} at step {}", "{}，第 {} 步";
    LaneFree: "Free", "空闲";
    LaneLargest: "Largest hole", "最大空洞";
    LaneFreeRanges: "Holes", "空洞数";
    LaneFragmentation: "External fragmentation", "外部碎片";
    LaneReserved: "Reserved", "已预留";
    LaneAllocated: "Allocated", "已分配";
    LaneActive: "Active", "活动";
    LaneRequested: "Requested", "已请求";
    LaneTokens: "Keys and values", "键与值";
    LaneToCome: "Reserved for tokens to come", "为后续词元预留";
    LaneInternal: "Internal waste", "内部浪费";
    LaneExternal: "External waste", "外部浪费";
    LaneReservedFree: "Reserved but free", "已预留但空闲";

    // Keys.
    KeyCross: "Ask with the arrow keys what lies where", "用方向键询问各处内容";
}
