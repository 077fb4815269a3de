//! What a report says beside its figures.

use super::words;

words! {
    /// A string of a report.
    ReportWord, report;

    Title: "Memory plan of {}", "{} 的内存计划";
    MadeBy: "Written by Arenascope on the machine that opened the file; nothing was sent anywhere.", "由 Arenascope 在打开文件的机器上生成；未向任何地方发送数据。";
    File: "File", "文件";
    Toolchain: "Toolchain", "工具链";
    Plan: "Plan", "计划";
    Buffers: "Tensors", "张量";
    Steps: "Steps", "步数";
    Beside: "Beside the plan", "计划之外";
    BesideSays: "TFLite Micro keeps {} beside every plan, so that the arena to give has {}. Both are modelled for its reference kernels and pointers of 8 bytes; with 4 bytes, as on a microcontroller, it is less.", "TFLite Micro 在任何计划之外保留 {}，因此应给的内存区为 {}。两者按其参考内核与 8 字节指针建模；指针为 4 字节时（如微控制器）更少。";
    BesideOthers: "It is at least that: the tensors of {} other {subgraph|subgraphs} lie in the same arena, which no plan here has, and their operators keep more beside it.", "这只是下限：另外 {} 个子图的张量位于同一内存区，此处的计划均未包含，其算子还会在计划之外另占内存。";
    BesideUnknown: "It is at least that: what kernels of these keep is not known: {}", "这只是下限：以下算子的内核保留多少未知：{}";
    BesideKernels: "The working memory of kernels is that of the reference kernels: those made for a target (CMSIS-NN, Xtensa, ARC) ask for something else, and that of custom operators is not known.", "内核的工作内存按参考内核计：为目标平台制作的内核（CMSIS-NN、Xtensa、ARC）所需不同，自定义算子的则未知。";
    BesideExecutorch: "Beside these memories ExecuTorch needs its method allocator (values, operators, delegates) and temporary memory of kernels, which the file does not tell: the runner for Arm logs both (method_allocator_used, temp_allocator).", "除这些内存外，ExecuTorch 还需要方法分配器（值、算子、委托）以及内核的临时内存，文件中没有给出：Arm 的运行程序会在日志中打印两者（method_allocator_used、temp_allocator）。";
    BesideTflm: "Beside the plan TFLite Micro keeps its tail, which this log does not tell: RecordingMicroAllocator prints it.", "除计划外，TFLite Micro 还保留其尾部，本日志没有给出：RecordingMicroAllocator 会打印它。";
    Verdict: "Verdict", "结论";
    Valid: "valid", "有效";
    PlacedOnly: "valid: no plan of the blocks that were placed is smaller; the request that failed is none of them", "有效：已放置的块不存在更小的计划；失败的请求不在其中";
    Optimal: "optimal: no plan of these lifetimes is smaller", "最优：这些生命周期不存在更小的计划";
    Broken: "{} {rule|rules} broken", "违反 {} 条规则";
    Pictures: "Pictures", "图片";
    PictureIs: "{}: steps to the right, bytes upwards", "{}：向右为步，向上为字节";
    Plans: "Plans", "各计划";
    Witness: "Why no plan can be smaller than the lower bound", "为何不可能小于下界";
    Bound: "Lower bound", "下界";
    Deployed: "Plan in the file", "文件中的计划";
    Saved: "Saved against it", "与之相比节省";
    WitnessSays: "At step {}, {} {tensor is needed; it takes|tensors are needed at the same time; together they take} {}.", "在第 {} 步，以下 {} 个张量同时被需要，共占 {}。";
    WitnessRounded: "What they need themselves sums to {}. Every start is a multiple of {}, so all of them but one take the bytes up to the next multiple too: that adds {}, which is included.", "它们自身所需之和为 {}。每个起始地址都是 {} 的倍数，因此除一个之外，其余各占至下一个倍数：由此增加的 {} 已计入。";
    WitnessShared: "Of what they need, {} is counted once only: tensors are written over others that are read for the last time.", "所需字节中有 {} 只计一次：张量写在最后一次被读取的张量之上。";
    Split: "Where the bytes of “{}” go", "“{}” 的字节去向";
    Moves: "What moves", "移动了什么";
    MovesSay: "{} {tensor lies|tensors lie} elsewhere than in the plan in the file; offsets are bytes.", "与文件中的计划相比，{} 个张量的位置不同；偏移以字节计。";
    MovedFrom: "Offset before", "原偏移";
    MovedTo: "Offset now", "现偏移";
    Part: "Part", "部分";
    Share: "Share", "占比";
    Violations: "Rules that the plan breaks", "计划违反的规则";
    Largest: "Largest tensors", "最大的张量";
    Name: "Name", "名称";
    Size: "Size", "大小";
    Offset: "Offset", "偏移";
    First: "First step", "首步";
    Last: "Last step", "末步";
    Attached: "The plan as CSV", "计划（CSV）";
    Total: "Arena", "内存区";
    Reserved: "Reserved at its peak", "峰值时的预留";
    Omitted: "{} more {is|are} left out here; the attached plan has all.", "此处省略另外 {} 个；附件中有全部内容。";
    TooLong: "The plan has {} {tensor|tensors}, too many to attach: export it as CSV.", "计划含 {} 个张量，过多而无法附上：请导出为 CSV。";
}
