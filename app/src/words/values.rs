//! What is said of the elements of tensors.

use super::words;

words! {
    /// A string about the elements of tensors.
    ValueWord, values;

    Title: "Elements of tensors", "张量元素";
    Outputs: "Show the outputs", "查看输出";
    OutputsHint: "Runs the plan once and reads every output of the model", "运行计划一次，读取模型的所有输出";
    Tensor: "Tensor", "张量";
    Show: "Run to here", "运行到此处";
    ShowHint: "Runs the plan as far as this tensor is ready and reads it; what comes after need not be runnable", "将计划运行到此张量就绪并读取；其后的算子不必可运行";
    Unknown: "There is no tensor “{}” that a step makes.", "没有由某一步产生的张量“{}”。";
    NoneMade: "Known before the run, so no step makes it: {}.", "在运行前已知、没有步骤产生的张量：{}。";
    Of: "{} on {}, seed {}", "{}，在 {} 上，种子 {}";
    Facts: "{} {element|elements}, from {} to {}, mean {}, standard deviation {}, zeros {}", "{} 个元素，{} 至 {}，均值 {}，标准差 {}，零 {} 个";
    NoneFinite: "{} {element|elements}, none of them finite", "{} 个元素，均非有限值";
    NotFinite: "; {} infinite or NaN", "；{} 个为无穷或 NaN";
    Numbers: "Numbers", "数值";
    Histogram: "Histogram", "直方图";
    Map: "Heat map", "热图";
    Picture: "Picture", "图像";
    Plane: "Plane", "平面";
    PlaneOf: "of {}", "共 {} 个";
    More: "Shown: the first {} × {} of {} × {}.", "显示前 {} × {}，共 {} × {}。";
    MapOf: "From {} (dark) to {} (light)", "由 {}（深）至 {}（浅）";
    Bins: "{} {element|elements} between {} and {}", "{} 个元素在 {} 与 {} 之间";
    Save: "Save .npy", "保存 .npy";
    Compare: "Compare with .npy…", "与 .npy 比较…";
    Compared: "{}: largest difference {} at [{}]: expected {}, found {}; {} {element differs|elements differ}, {} of them by more than the tolerance 1e-5 + 1e-4 × |expected|", "{}：最大差 {}，位于 [{}]，期望 {}，得到 {}；{} 个元素不同，其中 {} 个超出容差 1e-5 + 1e-4 × |期望值|";
    Equal: "{}: equal bit for bit", "{}：逐位相同";
    Rounding: "; when the last bit of every input is turned over, an element changes by {} at most", "；将每个输入的最低位取反时，元素最多改变 {}";
    Unlike: "; infinite or NaN in one alone: {}", "；仅一方为无穷或 NaN：{}";
    Misfit: "{} does not fit: {}", "{} 不匹配：{}";
    Labels: "Labels…", "标签…";
    LabelsHint: "A text file with one label a line", "每行一个标签的文本文件";
    NoText: "it is not a text file", "不是文本文件";
    LedgerArena: "arena", "内存区";
    LedgerWeights: "weights", "权重";
    LedgerUniforms: "uniforms", "uniform 数据";
    LedgerReadback: "readback", "回读";
    LedgerPlaceholder: "placeholder", "占位内存";
    LedgerTimestamps: "timestamps", "时间戳";
    Top: "Largest five", "最大的五个";

    RunUntil: "Run the first {} {step|steps}", "运行前 {} 步";
    RunUntilHint: "Runs the plan up to the first operator that cannot be run, and compares what is in memory then", "将计划运行到首个无法运行的算子之前，并比较此时内存中的内容";
    RanUntil: "Only the first {} {step|steps} ran: what was compared is what they leave in memory, and a tensor that a later step writes was not touched.", "仅运行了前 {} 步：比较的是此时留在内存中的内容；由后续步骤写入的张量尚未写入。";
    OtherArena: "Every tensor lies where it was; the file gives the arena another size than {}. Escape restores it.", "所有张量位置不变；文件给出的内存区大小不同于 {}。按 Esc 恢复。";
    FastestOf: "{}, fastest of {}", "{}（{} 次中最快）";
    OneRun: "{}, one run", "{}（一次）";
    Doubles: "Floats of 64 bits are stored as they are and computed as 32 bits.", "64 位浮点数按原样存储，以 32 位计算。";
    ConfirmedRoom: "promised = allocated = touched + {} at the end, which is padding and room for larger counts", "承诺 = 分配 = 实际写入 + 末尾 {}（填充以及为更大数量预留的空间）";
    CountsCaption: "Only a run finds how much these operators give: planned for the most, run with what they give", "这些算子的结果数量只有运行时才知道：按上限规划，按实际数量运行";
    LimitShapes: "by the sizes of what it reads", "由输入的大小决定";
    LimitFile: "as the file declares", "由文件声明";
    LimitSet: "as set beside the symbolic dimensions", "在符号维度处设定";
    LimitRun: "found by a run", "由运行得出";
    Counted: "{} gave {} in {}, planned for at most {}: the processor counted it before, from what this machine had computed until then, and what follows ran with that size at the planned addresses.", "{0} 在 {2} 中给出 {1} 个（计划上限为 {3}）：由处理器根据本机此前的计算结果预先统计，其后的算子按此大小在计划的地址上运行。";
    Hybrid: "{} {operator computes|operators compute} in LiteRT's dynamic-range arithmetic: weights of 8 bits, what is read becomes integers of 8 bits by its own range, as in LiteRT's reference kernels.", "{} 个算子按 LiteRT 的动态范围算术计算：权重为 8 位，输入按自身范围即时量化为 8 位整数，与 LiteRT 参考内核一致。";
    Decoded: "{} {weight tensor is|weight tensors are} quantised in the file and computed with as floats. A runtime that quantises activations on the way gives other values there.", "{} 个权重张量在文件中是量化的，在此按浮点数计算。若运行时对激活值即时量化，所得数值会有所不同。";
    ProfileTitle: "Where the time goes", "时间分布";
    ProfileNone: "Not measured: the CPU reference is not timed, and on a GPU no step took as long as its clock can tell.", "未测量：CPU 参考不计时；在 GPU 上，各步均短于其时钟的分辨率。";
    ByTimestamps: "One run, {} in all, timed by the adapter step by step.", "单次运行，共 {}，由适配器逐步计时。";
    BySubmissions: "One run, {} in all. This adapter has no timestamps: each step was a submission of its own, whose overhead is in its time.", "单次运行，共 {}。此适配器没有时间戳：每一步单独提交，其开销计入用时。";
    RoofApart: "Roofline: {} and {}, measured apart by a copy and by multiply-adds (or by a step of this run where it was faster).", "屋顶线：{} 与 {}，另以复制和乘加单独测得（若本次运行中某步更快则取该步）。";
    RoofSeen: "The roofline is the best that any step of this run reached: {} and {}.", "屋顶线取本次运行中各步达到的最好值：{} 与 {}。";
    ByConstruction: "Allocated equals promised by construction: the run makes the arena as large as the plan says. Touched is measured.", "分配等于承诺是由构造决定的：运行按计划所称的大小创建内存区。实际写入是测得的。";
    WasSerial: "The plan allows operators to run in parallel. This run was serial, one operator after the other.", "计划允许算子并行运行。本次运行是串行的，逐个执行算子。";
    AllBuffers: "All that the run held on the device", "运行在设备上占用的全部内存";
    ByKind: "By operator", "按算子";
    ByStep: "By step", "按步骤";
    ByLayer: "By layer", "按层";
    Kind: "Operator", "算子";
    Step: "Step", "步骤";
    Layer: "Layer", "层";
    Steps: "Steps", "步数";
    Time: "Time", "用时";
    Share: "Share", "占比";
    Moved: "Bytes", "字节";
    Work: "FLOPs", "FLOPs";
    Rate: "FLOP/s", "FLOP/s";
    Bandwidth: "Bytes/s", "字节/秒";
    OfRoof: "Of the roofline", "达到屋顶线";
    Bar: "Time of every step, in order", "各步用时（按顺序）";
    Copy: "Copy as TSV", "复制为 TSV";
}
