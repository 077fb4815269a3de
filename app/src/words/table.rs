//! The table.

use super::Language;

macro_rules! words {
    ($(#[doc = $doc:literal])+ $words:ident; $($name:ident: $en:literal, $zh:literal;)*) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $words { $($name),* }

        impl $words {
            /// The string in `language`.
            pub(crate) fn in_language(self, language: Language) -> &'static str {
                let (en, zh) = match self { $(Self::$name => ($en, $zh)),* };
                match language {
                    Language::En => en,
                    Language::Zh => zh,
                }
            }
        }

        impl $crate::words::Spoken for $words {
            fn spoken(self, language: Language) -> &'static str {
                self.in_language(language)
            }
        }
    };
}

words! {
    /// A string of the page.
    Word;

    // The bar.
    Tagline: "Where every tensor lives in memory", "每个张量在内存中的位置";
    Open: "Open files…", "打开文件…";
    OpenHint: "A model (ONNX, TFLite), the plan that a toolchain dumped (PyTorch, XLA, IREE, ExecuTorch, Vela, TFLite Micro, LiteRT, MegEngine), or a problem (CSV). Files of one dump are chosen together. Nothing leaves this machine. The help (?) says how to get each.", "模型（ONNX、TFLite）、工具链转储的计划（PyTorch、XLA、IREE、ExecuTorch、Vela、TFLite Micro、LiteRT、MegEngine）或放置问题（CSV）。同一转储的文件请一起选择。文件不会离开本机。获取方法见帮助（?）。";
    Samples: "Samples", "示例";
    ChooseSample: "Choose a sample", "选择示例";
    Export: "Export", "导出";
    ExportPng: "Picture (PNG)", "图片（PNG）";
    ExportSvg: "Picture (SVG)", "图片（SVG）";
    ExportCsv: "Offsets (CSV)", "偏移（CSV）";
    ExportJson: "Plan (JSON)", "计划（JSON）";
    ExportC: "Offsets (C header)", "偏移（C 头文件）";
    ExportSchedule: "Schedule (JSON)", "调度（JSON）";
    ExportReport: "Report (HTML)", "报告（HTML）";
    ExportTflite: "Model with this plan (TFLite)", "带有此计划的模型（TFLite）";
    ExportTfliteHint: "TFLite Micro puts every tensor where this plan has it. Nothing else in the file changes.", "TFLite Micro 按此计划放置每个张量。文件其余部分不变。";
    NotInCsv: "{} {pair of buffers shares|pairs of buffers share} bytes in a way that CSV cannot say: opened again, the rows overlap there. The plan as JSON can say it.", "有 {} 对缓冲区以 CSV 无法表达的方式共享字节：重新打开时，这些行会显示为重叠。导出为计划（JSON）则可表达。";
    TakenHome: "The tensors take {} {byte|bytes}. TFLite Micro adds what it keeps for good, and working memory that operators ask for and that finds no room between the tensors.", "张量占用 {} 字节。TFLite Micro 另需其长期保留的内存，以及算子所需而张量之间放不下的工作内存。";
    NotTakenHome: "The model cannot take this plan: {}", "模型无法采用此计划：{}";
    CopyFigures: "Copy figures", "复制数据";
    Copied: "Copied.", "已复制。";
    NotCopied: "The browser did not allow copying.", "浏览器不允许复制。";
    NoPicture: "The browser could not make the picture. A smaller window may help.", "浏览器无法生成图片。缩小窗口可能有帮助。";
    Language: "Language", "语言";
    Theme: "Theme", "主题";
    ThemeSystem: "System", "跟随系统";
    ThemeLight: "Light", "浅色";
    ThemeDark: "Dark", "深色";
    Renderer: "Renderer", "渲染器";
    RendererAutomatic: "Automatic", "自动";
    RendererRaster: "Pixels (CPU)", "像素（CPU）";
    RendererWgpu: "WebGPU", "WebGPU";
    NoWebgpu: "This browser gives no WebGPU device, so the picture is drawn by the CPU.", "此浏览器没有可用的 WebGPU 设备，图像由 CPU 绘制。";
    Help: "Help", "帮助";
    KeysTitle: "Keys and mouse", "键盘与鼠标";
    Close: "Close", "关闭";
    Cancel: "Cancel", "取消";
    PrepareStopped: "Stopped before it was known when each tensor is needed: there is nothing to plan or to show yet.", "在得知各张量何时被需要之前已停止：尚无可规划或可显示的内容。";
    PrepareAgain: "Go on after all", "仍要继续";
    Dismiss: "Dismiss", "关闭提示";
    SkipToPicture: "Skip to the picture", "跳到图像";

    Waste: "Waste", "浪费";

    // The document.
    IsPinned: "It is pinned: unpin it first (P).", "它已固定：请先取消固定（P）。";
    Undo: "Undo", "撤销";
    Redo: "Redo", "重做";
    KeyPin: "Pin or unpin the selected tensor", "固定或取消固定所选张量";
    InPlace: "Let operators write over what they read last", "允许算子覆盖其最后读取的输入";
    InPlaceHint: "In place, as deployed runtimes do: the output of an element-wise operator takes the place of an input that nobody reads after it.", "原地计算，与部署的运行时相同：逐元素算子的输出占用此后无人读取的输入的位置。";
    PriceMeasure: "Measure", "测量";
    InPool: "Pool", "内存池";
    PoolBytes: "A capacity is a number of bytes, such as 4096, 256 KiB or 1.5 MiB; empty for no limit. The former value stays.", "容量为字节数，如 4096、256 KiB 或 1.5 MiB；留空表示不限。保留原值。";
    Document: "Document", "文档";
    Operators: "Operators", "算子";
    Tensors: "Tensors", "张量";
    OperatorCount: "{} {operator|operators}", "{} 个算子";
    TensorCount: "{} {tensor|tensors}", "{} 个张量";
    BufferCount: "{} {buffer|buffers} to place", "{} 个待放置缓冲区";
    StepCount: "{} {step|steps}", "{} 步";
    Static: "Static", "静态";
    Dynamic: "Dynamic", "动态";
    StaticHint: "Constants, state, inputs and outputs: there for the whole run.", "常量、状态、输入与输出：整个运行期间都在。";
    DynamicHint: "Intermediates: their sum without any reuse.", "中间张量：不复用时的总和。";
    RoleInput: "Input", "输入";
    RoleOutput: "Output", "输出";
    RoleConstant: "Constant", "常量";
    RoleIntermediate: "Intermediate", "中间张量";
    RoleState: "State", "状态";
    RoleUnsized: "Unsized", "大小未知";
    FormatOnnx: "ONNX model", "ONNX 模型";
    FormatTflite: "TFLite model", "TFLite 模型";
    FormatCsv: "Placement problem (CSV)", "放置问题（CSV）";
    FormatPlanJson: "Arenascope plan (JSON)", "Arenascope 计划（JSON）";
    FormatProgramJson: "Arenascope program (JSON)", "Arenascope 程序（JSON）";
    FormatTorch: "PyTorch memory snapshot", "PyTorch 内存快照";
    FormatXla: "XLA buffer assignment", "XLA 缓冲区分配";
    FormatExecutorch: "ExecuTorch program", "ExecuTorch 程序";
    FormatVela: "Vela allocation log", "Vela 分配日志";
    FormatIree: "IREE stream IR", "IREE stream IR";
    FormatTflm: "TFLite Micro plan log", "TFLite Micro 计划日志";
    FormatLitert: "LiteRT addresses (CSV)", "LiteRT 地址（CSV）";
    FormatMegengine: "MegEngine static memory", "MegEngine 静态内存";
    FormatChromeTrace: "Chrome trace", "Chrome 跟踪";
    Symbols: "Symbolic dimensions", "符号维度";
    SymbolsAtOne: "{} {dimension stands|dimensions stand} at 1, for the file gives no number: {}. All sizes hold for these values only; enter the real ones.", "{} 个维度取 1，因为文件未给出数值：{}。所有大小仅对这些取值成立；请输入实际值。";
    SymbolsHint: "Bound by you; remembered for this model.", "由您绑定；为此模型记住。";
    Settings: "Settings", "设置";
    Alignment: "Alignment", "对齐";
    Fuse: "Fuse Relu and Clip into the operator before", "将 Relu 与 Clip 融合进前一个算子";
    UnsizedCount: "Tensors of unknown size, left out: {}", "{} 个张量大小未知，已排除";
    ShowThem: "Show them", "查看";
    Bound: "Lower bound", "下界";

    // Panes.
    Panes: "Memory over time", "内存 × 时间";
    Arena: "Arena", "内存区";
    OverBound: "over the bound", "高于下界";
    OptimalHint: "The arena equals the lower bound: no plan can be smaller.", "内存区等于下界：不存在更小的计划。";
    Best: "Smallest", "最小";
    PlanningColumn: "Planning {}…", "正在规划 {}…";
    WaitingColumn: "In the queue", "排队中";
    QueuedHint: "It waits until another strategy is done; this is the plan that it had before.", "等待其他策略完成；这是之前的计划。";
    WorkingColumn: "At work…", "进行中…";
    NodesOf: "{} of {} {node|nodes}", "{} / {} 个结点";
    PartsDone: "{} / {}", "{} / {}";
    OrdersDone: "skyline, order by order: {} of {} {buffer|buffers}", "天际线，逐个次序：{} / {} 个缓冲区";
    PassesDone: "other one-pass strategies: {} of {} {buffer|buffers}", "其他单遍策略：{} / {} 个缓冲区";
    NodesDone: "short exact search: {} of {} {node|nodes}", "短暂精确搜索：{} / {} 个节点";
    MovesDone: "local search: {} of {} {move|moves}", "局部搜索：{} / {} 步移动";
    RunCancelled: "The run was cancelled.", "运行已取消。";
    NothingToSpoil: "No two tensors of this plan are live at the same time and can be moved onto each other: there is nothing to spoil.", "该计划中没有两个同时存活且可相互覆盖的张量：无可破坏。";
    PlanCancelled: "Cancelled.", "已取消。";
    PlanOverflow: "No plan: addresses go beyond 64 bits at “{}”.", "无法规划：在“{}”处地址超出 64 位。";
    PlanNoRoom: "No plan: “{}” finds no room: {} would need {} {byte|bytes} and has {}.", "无法规划：“{}”放不下：{} 需要 {} 字节，只有 {} 字节。";
    PlanUnsupported: "No plan: this strategy cannot plan {}.", "无法规划：此策略无法满足 {}。";
    PlanInvalid: "The judge rejects this plan ({} {fault|faults}):", "检验未通过（{} 处错误）：";
    PlanNow: "Plan", "规划";
    HidePane: "Hide this pane", "隐藏此面板";
    NothingShown: "No strategy is shown. Tick one in the table below.", "没有显示任何策略。请在下表中勾选。";
    NothingToPlace: "Nothing to place: no buffer has a size and a lifetime.", "没有可放置的内容：没有既有大小又有生存期的缓冲区。";
    Minimap: "Overview: drag to move the view", "总览：拖动以移动视图";
    CanvasLabel: "{}: {} {buffer|buffers}, arena {}. The Tensors tab holds the same as a table.", "{}：{} 个缓冲区，内存区 {}。“张量”标签页以表格给出相同内容。";

    // Tabs.
    Compare: "Compare", "比较";
    Notes: "Notes", "说明";
    Strategy: "Strategy", "策略";
    Shown: "Shown", "显示";
    Fragmentation: "Fragmentation", "碎片率";
    FragmentationHint: "Share of the arena beyond the bound: (arena − bound) / arena", "内存区中超出下界的比例：（内存区 − 下界）/ 内存区";
    OverBoundColumn: "Over bound", "高于下界";
    OverBoundHint: "(arena − bound) / bound", "（内存区 − 下界）/ 下界";
    ObjectOptimal: "Object bound met", "达到对象下界";
    ObjectOptimalHint: "No plan of shared objects can be smaller; a plan of offsets may be.", "任何共享对象计划都不可能更小；偏移计划可能更小。";
    BoundMet: "Bound met", "达到下界";
    BoundMetHint: "No plan of the tensors that have a size can be smaller; those without one are left out.", "对大小已知的张量，不存在更小的计划；大小未知的张量已排除。";
    Invalid: "Invalid", "无效";
    LeftOut: "{} unsized left out", "排除 {} 个大小未知的张量";
    BindWhole: "A dimension is bound to a whole number, at least 1. The former value stays.", "维度须绑定为至少为 1 的整数。保留原值。";
    Reuse: "Reuse", "复用率";
    ReuseHint: "Sum of all sizes / arena", "大小总和 / 内存区";
    Objects: "Objects", "对象数";
    Time: "Time", "用时";
    TimeHint: "Planning time in this browser", "在此浏览器中的规划时间";
    SortBy: "Sort by {}", "按 {} 排序";
    StepColumn: "Step", "步";
    OperatorColumn: "Operator", "算子";
    KindColumn: "Type", "类型";
    LiveColumn: "Live", "存活";
    WritesColumn: "Writes", "写入";
    TensorColumn: "Tensor", "张量";
    ShapeColumn: "Shape", "形状";
    SizeColumn: "Size", "大小";
    RoleColumn: "Role", "角色";
    FirstColumn: "First step", "首步";
    LastColumn: "Last step", "末步";
    OffsetColumn: "Offset", "偏移";
    PlaceColumn: "Where", "位置";
    ReasonColumn: "Why", "原因";
    NoNotes: "Nothing was left out, and the reader has nothing to add.", "没有被排除的内容，也没有其他说明。";
    NoOperators: "This document has no graph: there are no operators to list.", "此文档不含计算图：没有可列出的算子。";
    AndMore: "and {} more", "另有 {} 个";
    DetailColumn: "Detail", "详情";
    Warnings: "Remarks about the file", "关于文件的说明";
    PageRows: "Rows {} to {} of {}", "第 {} 至 {} 行，共 {} 行";
    PagePrevious: "Previous rows", "上一页";
    PageNext: "Next rows", "下一页";
    NoRows: "No tensor matches the search.", "没有匹配的张量。";

    // Films.
    Differences: "Differences", "差异";
    Film: "Film", "回放";
    KeyFilmPlay: "Film: play, pause", "回放：播放、暂停";
    KeyFilmStep: "Film: one decision back, one on; in the film's controls also ← and →", "回放：后退、前进一个决定；在回放控件中也可用 ← 与 →";
    KeyFilmEnds: "Film: start, end", "回放：开头、结尾";

    // Runs.
    Run: "Run", "运行";
    RunOnGpu: "Run on GPU", "在 GPU 上运行";
    RunOnCpu: "Run on CPU", "在 CPU 上运行";
    RunHint: "Runs the plan in one buffer at the planned offsets and confirms its bytes", "在一个缓冲区中按计划的偏移运行，并确认其字节数";
    RunAll: "Run all strategies", "运行所有策略";
    RunAllHint: "Confirms every plan, one after the other, and compares what was measured", "逐一确认每个计划，并比较测量结果";
    RunPlan: "Plan", "计划";
    RunMachine: "Machine", "运行设备";
    MachineGpu: "GPU (WebGPU)", "GPU（WebGPU）";
    MachineCpu: "CPU twins", "CPU 对照实现";
    MachineCpuShort: "CPU", "CPU";
    MachineGpuShort: "GPU", "GPU";
    Seed: "Seed", "随机种子";
    SeedHint: "Inputs that you give no file for are random, from this seed", "未提供文件的输入由此种子随机生成";
    CompareTwins: "Compare with the CPU", "与 CPU 比较";
    CompareTwinsHint: "Runs every kernel's twin on the CPU too and tells how far the results are apart", "同时在 CPU 上运行每个内核的对照实现，并给出结果差异";
    SpoilIt: "Spoil it", "破坏计划";
    SpoilHint: "Moves one tensor onto another that is still needed, and runs that: the run must fail", "将一个张量移到仍被需要的另一个张量上并运行：运行必须失败";
    MoveMode: "Move rectangles", "移动矩形";
    MoveHint: "Drag a rectangle to another address; Shift+drag does it without this button", "拖动矩形到其他地址；按住 Shift 拖动则无需此按钮";
    Restore: "Restore the plan", "恢复计划";
    EditedPlan: "edited", "已编辑";
    ImportPlan: "Plan from a file…", "从文件载入计划…";
    ImportPlanHint: "Lays a plan JSON or CSV of this model over this plan, by the tensors' names, and judges it", "按张量名称将此模型的计划 JSON 或 CSV 覆盖到当前计划上并检验";
    PlanMisses: "it has no place for {}, or a smaller one", "其中没有 {} 的位置，或位置过小";
    NoPlan: "there is no plan to lay it over", "没有可覆盖的计划";
    OtherInputs: "Another seed or other inputs have been chosen since; run again for them.", "此后已选择其他种子或输入；请重新运行。";
    EditedNote: "This plan was edited: {} moved. Escape restores it.", "此计划已被编辑：移动了 {}。按 Esc 恢复。";
    NoRun: "This document has no graph: there is nothing to run.", "此文档不含计算图：没有可运行的内容。";
    NotRunYet: "Not run yet. The run puts every tensor where the plan says, in one buffer, and watches every byte.", "尚未运行。运行会把每个张量放在计划指定的位置（同一个缓冲区内），并监视每个字节。";
    PhaseBegin: "Starting…", "正在启动…";
    PhaseLoad: "Uploading weights, compiling kernels", "正在上传权重、编译内核";
    PhaseNaive: "Running without reuse", "正在不复用地运行";
    PhasePlanned: "Running as planned", "正在按计划运行";
    PhaseAudit: "Auditing every step", "正在逐步审计";
    PhaseReference: "Comparing with the CPU", "正在与 CPU 比较";
    RunnerMute: "The runner does not answer. It is loading or in one long step, or it was ended from outside. It is not stopped unless you do it.", "运行器没有响应。它可能正在加载、正处于一个耗时的步骤，或已被外部终止。除非您停止它，否则不会中断。";
    RunnerStill: "The runner answers, but the run does not go on. The GPU may be compiling, or it hangs. It is not stopped unless you do it.", "运行器有响应，但运行没有进展。GPU 可能正在编译，或已挂起。除非您停止它，否则不会中断。";
    QuietFor: "no sign for {} s", "已持续 {} 秒";
    RunAnew: "Stop it and start over", "停止并重新开始";
    RunsLeft: "{} more {plan waits|plans wait}", "另有 {} 个计划等待";
    Confirmed: "Confirmed", "已确认";
    ConfirmedSays: "promised = allocated = touched", "承诺 = 分配 = 触及";
    ConfirmedWords: "promised = allocated = touched, in whole words of 4 B", "承诺 = 分配 = 触及（按 4 字节整字）";
    ConfirmedPadded: "promised = allocated = touched + {} of padding", "承诺 = 分配 = 触及 + {} 填充";
    ConfirmedBits: "Outputs are the same to the bit with and without reuse, whatever filled the memory before.", "无论内存先前填充了什么，复用与不复用的输出逐位相同。";
    ConfirmedPadding: "The last {} of the arena are padding: no tensor reaches them, and nothing touched them.", "内存区最后 {} 是填充：没有张量到达，也未被触及。";
    Refuted: "Refuted", "已否定";
    RefutedWords: "Words of the outputs that differ from the run without reuse: {}.", "输出中有 {} 个字与不复用的运行不同。";
    RefutedAllocated: "The plan promises {}, and {} were allocated.", "计划承诺 {}，实际分配 {}。";
    RefutedTouched: "The tensors reach {}, and {} were touched.", "张量到达 {}，实际触及 {}。";
    Incomplete: "Incomplete", "不完整";
    IncompleteSays: "What was measured agrees, but not all could be: {}", "已测量的部分一致，但并非全部可测：{}";
    RunFailed: "No result", "没有结果";
    Promised: "Promised", "承诺";
    PromisedHint: "The arena that the plan says is enough", "计划所称足够的内存区";
    Allocated: "Allocated", "分配";
    AllocatedHint: "The arena buffer that was made for the run", "为运行创建的内存区缓冲区";
    Touched: "Touched", "触及";
    TouchedHint: "Up to the highest byte that any step changed", "直到任何步骤改变过的最高字节";
    NaiveArena: "Without reuse", "不复用";
    NaiveArenaHint: "What the same run takes when every tensor has its own place", "每个张量独占位置时同一运行所需";
    RunTime: "Time, fastest of 3", "用时（三次中最快）";
    NaiveTime: "Time without reuse, one run", "不复用的用时（一次）";
    AuditTime: "Audited run", "审计运行";
    Moved: "Bytes read and written", "读写字节";
    Bandwidth: "Effective bandwidth", "有效带宽";
    Deviation: "Deviation from the CPU", "与 CPU 的偏差";
    DeviationNotFinite: "; {} {element is|elements are} not finite and left out", "；{} 个元素不是有限数，已排除";
    DeviationIs: "{} at most, {} relative", "最大 {}，相对 {}";
    Weights: "Weights", "权重";
    WeightsSeeded: "The file has no weights: seeded random ones are used ({}).", "文件不含权重：使用由种子生成的随机权重（{} 个）。";
    WeightsPartly: "Not in the file: {} of {} {weight|weights}. Seeded random ones are used instead.", "{} / {} 个权重不在文件中：使用由种子生成的随机权重。";
    WeightsNone: "This model has no weights.", "该模型没有权重。";
    WeightsThere: "From the file: {} {weight|weights}, which is all.", "全部 {} 个权重来自文件。";
    AdapterColumn: "Adapter", "适配器";
    Limits: "Largest binding", "最大绑定";
    LedgerTitle: "Every buffer of the run", "运行的所有缓冲区";
    LedgerLabel: "Buffer", "缓冲区";
    LedgerSum: "Sum", "合计";
    DriverReserved: "Reserved by the driver", "驱动保留";
    Findings: "Findings", "发现";
    DifferingWords: "Differing words", "不同的字";
    VerdictColumn: "Verdict", "结论";
    Clobbered: "{} at step {} overwrote {} of {} at {}.", "{}（第 {} 步）覆写了 {}：{}（位于 {}）。";
    ClobberedNeeded: "{} at step {} overwrote {} of {} at {}, which {} still needs at step {}.", "{}（第 {} 步）覆写了 {}：{}（位于 {}），而 {} 在第 {} 步仍需要它。";
    ClobberedItself: "{} at step {} overwrote {} of {} at {} while it was still reading it.", "{}（第 {} 步）在读取时覆写了 {}：{}（位于 {}）。";
    WroteOutside: "{} at step {} changed {} outside its output, first at {}.", "{}（第 {} 步）在其输出之外改变了 {}，首个位于 {}。";
    LeftUnwritten: "{} at step {} left {} of its output unwritten, first at {}.", "{}（第 {} 步）的输出有 {} 未写入，首个位于 {}。";
    ResultsTable: "All runs", "全部运行";
    CopyTsv: "Copy as TSV", "复制为 TSV";
    CopyMarkdown: "Copy as Markdown", "复制为 Markdown";
    ExportRuns: "Export JSON", "导出 JSON";
    Inputs: "Inputs", "输入";
    InputSeeded: "Random from the seed", "由种子随机生成";
    InputFile: "From {}", "来自 {}";
    InputMisfit: "{} does not fit: {}", "{} 不匹配：{}";
    InputDrop: "Choose or drop a picture, .npy or raw little-endian elements", "选择或拖入图片、.npy 或小端原始元素";
    ChooseFile: "File…", "文件…";
    UseSeed: "Use the seed", "使用种子";
    NoGpuTitle: "There is no WebGPU here", "此处没有 WebGPU";
    NoGpuInsecure: "Browsers give WebGPU only to pages from this machine (http://localhost) or over https.", "浏览器仅向本机页面（http://localhost）或 https 页面提供 WebGPU。";
    NoGpuInterface: "This browser does not know WebGPU, or it is switched off.", "此浏览器不支持 WebGPU，或已被关闭。";
    NoGpuAdapter: "This browser knows WebGPU but gives no GPU: there is none, or its driver is on the browser's blocklist.", "此浏览器支持 WebGPU，但没有提供 GPU：可能没有 GPU，或驱动在浏览器的黑名单中。";
    NoGpuRefused: "The GPU could not be had: {}", "无法获得 GPU：{}";
    NoGpuBrowsers: "Chrome and Edge have WebGPU from version 113 on (Android: Chrome 121), Safari from 26, Firefox from 141 on Windows.", "Chrome 与 Edge 自 113 版起（Android 为 Chrome 121）、Safari 自 26 版起、Windows 上的 Firefox 自 141 版起支持 WebGPU。";
    NoGpuLinux: "On Linux, switch on chrome://flags/#enable-unsafe-webgpu and chrome://flags/#enable-vulkan, and start the browser again.", "在 Linux 上，启用 chrome://flags/#enable-unsafe-webgpu 与 chrome://flags/#enable-vulkan，然后重启浏览器。";
    NoGpuBlocklist: "chrome://gpu tells whether the driver is blocked; chrome://flags/#ignore-gpu-blocklist tries it all the same.", "chrome://gpu 会说明驱动是否被屏蔽；chrome://flags/#ignore-gpu-blocklist 可强制尝试。";
    NoGpuCpu: "The same confirmation runs on the CPU: the same plan in one memory of bytes, computed by each kernel's twin. It is marked as CPU.", "同样的确认可在 CPU 上运行：同一计划、同一块字节内存，由每个内核的对照实现计算，并标记为 CPU。";
    Unsupported: "{} {operator|operators} cannot be run", "{} 个算子无法运行";
    TroubleUnsized: "{} has no size, so the plan leaves it out. Bind its dimensions.", "{} 大小未知，计划已将其排除。请绑定其维度。";
    TroubleUnaligned: "{} lies at {}: a run needs multiples of 4 B. Choose a larger alignment.", "{} 位于 {}：运行需要 4 字节的倍数。请选择更大的对齐。";
    TroubleOutside: "{} ends at {}, behind the arena of {}.", "{} 结束于 {}，超出 {} 的内存区。";
    TroubleLimit: "Too large for this device: the {} needs {}, and it binds {} at most.", "对此设备过大：{} 需要 {}，而设备最多绑定 {}。";
    TroubleHazard: "{} reads {} where it writes {}: a GPU's threads run in no order, so they must be apart.", "{} 读取 {} 的位置与写入 {} 的位置重叠：GPU 线程没有顺序，两者必须分开。";
    TroubleMemory: "The device has no memory left: {}", "设备内存不足：{}";
    TroubleLost: "The GPU ({}) was lost during the run: {} The page lives on; the next run asks for it again.", "运行期间 GPU（{}）丢失：{} 页面不受影响；下次运行会重新获取。";
    TroubleDied: "The runner stopped unexpectedly; the next run starts another: {}", "运行器意外停止；下次运行会启动新的：{}";
    TroubleOther: "The run failed: {}", "运行失败：{}";
    KeyMove: "Move the selected rectangle to another address; Escape takes it back", "将所选矩形移到其他地址；Esc 撤销";
    ShiftDrag: "Shift+drag", "Shift+拖动";

    // The inspector.
    PeakTitle: "Peak at step {}: {} in {} {buffer|buffers}", "第 {} 步的峰值：{}，共 {} 个缓冲区";
    NeighboursIn: "Neighbours in {}", "在 {} 中的相邻者";
    GoToStep: "Look at step {}", "查看第 {} 步";
    FixedAt: "Fixed by the problem", "问题指定的地址";
    Inspector: "Inspector", "检查器";
    NothingSelected: "Select a rectangle to see everything that is known about it.", "选择一个矩形，查看它的全部信息。";
    Producer: "Written by", "写入者";
    Consumers: "Read by", "读取者";
    Payload: "Payload", "有效字节";
    Reserved: "Reserved", "占用";
    LiveSteps: "Live", "存活";
    StepsFromTo: "steps {} to {} ({})", "第 {} 至 {} 步（{}）";
    DType: "Element type", "元素类型";
    Decided: "Placed", "放置次序";
    DecidedAs: "{} of {}", "第 {}（共 {}）";
    Object: "Shared object", "共享对象";
    ObjectOf: "{} of {}, {}", "{} / {}，{}";
    AtPeak: "Part of the peak that sets the lower bound", "属于决定下界的峰值";
    Above: "Above in memory", "内存上方";
    Below: "Below in memory", "内存下方";
    Before: "Here before", "此前在此";
    After: "Here after", "此后在此";
    Nobody: "none", "无";
    CopyName: "Copy name", "复制名称";

    // Notices.
    Opening: "Opening {}…", "正在打开 {}…";
    Preparing: "Inferring shapes and lifetimes…", "正在推断形状与生存期…";
    Planning: "Planning…", "正在规划…";
    Refused: "{} cannot be opened.", "无法打开 {}。";
    StaysOpen: "What was open stays open.", "已打开的内容保持不变。";
    At: "At {}: {}", "位于 {}：{}";
    TooLargeNotice: "Too large to plan: the sizes go beyond what can be added up, at “{}”. Bind smaller dimensions.", "过大，无法规划：在“{}”处总和超出范围。请绑定更小的维度。";
    Unreachable: "The sample could not be fetched: {}", "无法获取示例：{}";
    Crashed: "The planner stopped unexpectedly and was started again: {}", "规划器意外停止，已重新启动：{}";
    Missing: "This link is about “{}”, which is not part of the page. If it is a file of yours, open it.", "此链接涉及“{}”，它不是页面的一部分。若是您的文件，请打开它。";
    FaultEmpty: "The file is empty.", "文件为空。";
    FaultUnknownFormat: "This is none of the formats that can be read.", "无法识别的格式。";
    FaultTruncated: "The file ends too early.", "文件不完整。";
    FaultMalformed: "The file contradicts its own format.", "文件与其格式不符。";
    FaultDangling: "The file refers to something that is not there.", "文件引用了不存在的内容。";
    FaultDuplicate: "The file defines something twice.", "文件重复定义了同一内容。";
    FaultCycle: "An operator depends on its own result.", "算子依赖自身的结果。";
    FaultLimit: "The file goes beyond a limit of this program.", "文件超出本程序的限制。";
    FaultUnsupported: "This version or variant is not supported.", "不支持此版本或变体。";
    FaultIo: "The file could not be read.", "无法读取文件。";
    FaultApart: "These files do not make one document.", "这些文件不能组成一个文档。";
    FaultPartner: "Another file belongs to it and is missing.", "缺少与之配套的另一个文件。";
    FaultPacked: "It is a packed file.", "这是压缩文件。";
    FaultPlanless: "It brings no plan of its own.", "其中不含计划。";
    RemedyEmpty: "Choose a file that is not empty.", "请选择非空文件。";
    RemedyUnknownFormat: "Open an ONNX or TFLite model; a MiniMalloc CSV, an Arenascope plan JSON or program JSON; a PyTorch memory snapshot; an XLA dump (buffer assignment and live ranges together, or .hlo.pb); an ExecuTorch program; a log of Vela or TFLite Micro; IREE stream IR; LiteRT addresses; MegEngine's static memory; or a Chrome trace of ExecuTorch or ONNX Runtime.", "请打开：ONNX 或 TFLite 模型；MiniMalloc CSV、Arenascope 计划 JSON 或程序 JSON；PyTorch 内存快照；XLA 转储（缓冲区分配与存活区间一起，或 .hlo.pb）；ExecuTorch 程序；Vela 或 TFLite Micro 的日志；IREE stream IR；LiteRT 地址；MegEngine 静态内存；或 ExecuTorch、ONNX Runtime 的 Chrome 跟踪。";
    RemedyTruncated: "Download or export it again.", "请重新下载或导出。";
    RemedyMalformed: "Export it again, or check it with its own tool.", "请重新导出，或用其自身工具检查。";
    RemedyInconsistent: "Check the model with its own tool and export it again.", "请用其自身工具检查模型并重新导出。";
    RemedyLimit: "Split or simplify it until it is within the limit.", "请拆分或简化，直至不超出限制。";
    RemedyUnsupported: "Convert it to a supported version.", "请转换为受支持的版本。";
    RemedyIo: "Check that it is still there and can be read.", "请确认文件仍存在且可读。";
    RemedyApart: "Open together only the files of one dump: of one XLA module …buffer-assignment.txt and …live-range.txt, whose names begin alike; of one IREE program the IR before and after its layout. Open any other file alone.", "只有同一转储的文件才一起打开：同一 XLA 模块的 …buffer-assignment.txt 与 …live-range.txt（文件名开头相同）；同一 IREE 程序布局前后的 IR。其他文件请单独打开。";
    RemedyPartner: "It waits for the missing file: open that one now, and both are read together.", "正在等待缺少的文件：请现在打开它，两者将一起读取。";
    RemedyPacked: "Unpack it and open what is inside, with the other files of the same dump if it has several.", "请解压后打开其中的文件；若同一转储有多个文件，请一起打开。";
    RemedyPlanless: "What is wanted here is the dump of a deployed plan: what a toolchain wrote, or a plan exported from this page. A model is opened with “Open files…”, which plans it.", "此处需要已部署计划的转储：工具链写出的文件，或从本页面导出的计划。模型请用“打开文件…”打开并规划。";
    UnsizedUnknownOperator: "The shapes of this operator are not known", "未知算子的形状";
    UnsizedDataDependent: "The shape depends on values known only at run time", "形状取决于运行时的值";
    UnsizedInput: "An input of its operator has no size", "其算子的输入没有大小";
    UnsizedInvalidOperator: "Inputs or attributes contradict the operator's definition", "输入或属性与算子定义矛盾";
    UnsizedUndeclared: "The file gives neither a shape nor an operator", "文件既无形状也无算子";
    UnsizedDType: "Its elements have no fixed size", "元素没有固定大小";
    UnsizedTooLarge: "Its size goes beyond what can be planned", "大小超出可规划范围";
    UnsizedControlFlow: "It is written inside control flow whose branches differ", "由分支不同的控制流写入";

    // Strategies.
    FamilyBaseline: "Baseline", "基线";
    FamilyTfliteGpu: "TFLite's GPU delegate", "TFLite GPU 委托";
    FamilyDeployed: "As other toolchains deploy it", "其他工具链的部署方式";
    FamilyOnline: "Allocators at run time", "运行时分配器";
    FamilyColoring: "Graph colouring", "图着色";
    FamilyPacking: "One pass over the buffers", "单遍放置";
    FamilySearch: "Searches", "搜索";
    Filter: "Filter strategies", "筛选策略";
    FilterCount: "{} of {} {strategy|strategies}", "{} / {} 个策略";
    FilterNone: "No strategy has this in its name.", "没有名称包含此内容的策略。";
    ModelOffsets: "offsets: each buffer has an address of its own", "偏移：每个缓冲区有自己的地址";
    ModelObjects: "shared objects: one buffer at a time fills each", "共享对象：每个对象一次容纳一个缓冲区";
    FactModel: "Memory model", "内存模型";
    FactSource: "Source", "来源";
    FactCost: "Time for n buffers", "n 个缓冲区的用时";
    FactUses: "Honours", "遵守";
    FactKeeps: "Keeps, but makes no use of", "遵守但不利用";
    FactRefuses: "Refuses", "拒绝";
    ConstraintAlignment: "alignment", "对齐";
    ConstraintFixed: "fixed addresses", "固定地址";
    ConstraintPauses: "gaps", "间隙";
    ConstraintHandovers: "writing in place", "原地写入";
    ConstraintPools: "pools", "内存池";
    MoreAbout: "More about {}", "关于 {}";
    UnplannedHint: "For so many buffers it is planned only when you ask: choose Plan.", "缓冲区较多，仅在请求时规划：请选择“规划”。";
    Stop: "Stop", "停止";
    StopHint: "Stops this strategy; the smallest plan found so far stays.", "停止此策略；保留已找到的最小计划。";
    StoppedEarly: "Stopped", "已停止";
    StoppedHint: "The search was stopped; this is the smallest plan that it had found.", "搜索被停止；这是当时找到的最小计划。";
    StillSearching: "Searching…", "搜索中…";
    StillSearchingHint: "This is the smallest plan so far; the search goes on.", "这是目前最小的计划；搜索仍在继续。";
    GoOn: "Search again", "重新搜索";
    GoOnHint: "Searches from the start; what was found stays until something smaller is.", "从头搜索；在找到更小的计划之前保留现有结果。";
    EditsDropped: "Under other settings what was moved by hand is gone; Back brings it back.", "设置已更改，手动移动的内容不再保留；后退可恢复。";
    SearchLonger: "Search longer", "延长搜索";
    SearchLongerHint: "Four times the effort, for every strategy that searches.", "所有搜索型策略的预算增至四倍。";
    OptimalBound: "Optimal (bound met)", "最优（达到下界）";
    OptimalProved: "Optimal (proved by search)", "最优（搜索证明）";
    OptimalProvedHint: "The search has shown that no plan of offsets is smaller.", "搜索已证明不存在更小的偏移计划。";
    NothingBelow: "Nothing below {} is possible", "不可能小于 {}";
    NothingBelowHint: "The search has ruled out everything smaller; between that and this plan it ran out of effort.", "搜索已排除更小者；在两者之间预算已用尽。";
    GapLeft: "Best so far, gap {}", "目前最好，差距 {}";
    GapOpen: "Gap {}, only the bound is proved", "差距 {}，只能证明下界";
    UnsearchedHandovers: "Tensors may be written over others here, and the exact search keeps them apart: it cannot prove more than the bound, however long it goes on.", "此处张量可以覆盖其他张量，而精确搜索总是将它们分开：无论搜索多久，都只能证明下界。";
    UnsearchedWindows: "Parts of tensors may lie between parts of others here, and the exact search keeps them apart: it cannot prove more than the bound, however long it goes on.", "此处张量的部分可以与其他张量的部分交错，而精确搜索总是将它们分开：无论搜索多久，都只能证明下界。";
    UnsearchedPools: "Which tensor goes into which pool is decided by rules and not searched: another choice may spill less.", "哪个张量进入哪个内存池由规则决定，未经搜索：其他选择可能溢出更少。";
    NotSearched: "who goes where is not searched", "归属未搜索";
    UnsearchedLarge: "So many tensors are not searched: this is the best plan without a search, and only the bound is proved.", "张量过多，不进行搜索：这是未经搜索的最佳计划，只能证明下界。";
    ExactIsSmaller: "exact has {}, {} less", "exact 有 {}，少 {}";
    ExactIsSmallerHint: "The exact search has found a smaller plan than this. Shows it.", "精确搜索找到了更小的计划。点击显示。";
    AskExact: "Ask exact", "交给 exact";
    AskExactHint: "For so many tensors the exact search begins only when it is asked: it may find a smaller plan, or prove that there is none. Shows and starts it.", "张量较多时，精确搜索仅在请求时开始：它可能找到更小的计划，或证明不存在更小的计划。点击显示并开始。";
    GapLeftHint: "What lies between this plan and the highest lower bound that is known.", "此计划与已知最高下界之间的差距。";

    // Bounds.
    Bounds: "Lower bounds", "下界";
    BoundsHint: "What no plan can be smaller than, and why. Choose one to see its tensors.", "任何计划都不可能更小的界限及其原因。选择一项以查看其张量。";
    WitnessTitle: "{} at step {}: {} in {} {tensor|tensors}", "{}（第 {} 步）：{}，共 {} 个张量";
    WitnessOff: "Stop showing it", "不再显示";
    BoundLive: "Largest live sum", "最大存活总和";
    BoundLargest: "Largest tensor", "最大张量";
    BoundPartition: "Steps {} to {} on their own", "第 {} 至 {} 步单独计算";
    BoundAligned: "Live sum, rounded up to {}", "按 {} 取整的存活总和";
    BoundFixed: "Beside what is fixed below {}", "在 {} 以下固定者之外";
    BoundObjects: "Positional maxima (shared objects)", "逐位最大值（共享对象）";
    BoundProved: "Proved by the exact search", "由精确搜索证明";

    // Help.
    KeyWasd: "Zoom in and out, earlier and later", "放大与缩小，向前与向后";
    SingleKeys: "Use single keys as shortcuts", "使用单键快捷键";
    ColorBy: "Colour by", "着色依据";
    ColorOperator: "Operator type", "算子类型";
    ColorSize: "Size", "大小";
    ColorAge: "Lifetime", "生存期";
    KeyPan: "Move the view", "移动视图";
    KeyZoom: "Zoom both axes; with Shift only time, with Ctrl only memory", "缩放两轴；按住 Shift 只缩放时间，按住 Ctrl 只缩放内存";
    KeyWheel: "Zoom at the pointer; with Shift only time, with Ctrl only memory", "在指针处缩放；Shift 只缩放时间，Ctrl 只缩放内存";
    KeyDrag: "Move the view", "移动视图";
    KeyClick: "Select", "选择";
    KeyDoubleClick: "Show the selection", "显示所选";
    KeyFit: "Show everything", "显示全部";
    KeyFitSelection: "Show the selection", "显示所选";
    KeyNext: "Next and previous tensor in time", "时间上的下一个 / 上一个张量";
    KeySearch: "Search; Enter and Shift+Enter go through what was found", "搜索；Enter 与 Shift+Enter 在结果间移动";
    KeyEscape: "Deselect, close", "取消选择，关闭";
    KeyHelp: "This help", "显示帮助";
    KeyPinch: "Zoom and move on a touch screen", "在触摸屏上缩放与移动";
    Wheel: "Wheel", "滚轮";
    Drag: "Drag", "拖动";
    Click: "Click", "单击";
    DoubleClick: "Double click", "双击";
    Pinch: "Pinch", "双指";
}
