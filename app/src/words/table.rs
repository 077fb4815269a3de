//! The table.

use super::Language;

macro_rules! words {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// A string of the page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Word { $($name),* }

        impl Word {
            /// The string in `language`.
            pub(crate) fn in_language(self, language: Language) -> &'static str {
                let (en, zh) = match self { $(Self::$name => ($en, $zh)),* };
                match language {
                    Language::En => en,
                    Language::Zh => zh,
                }
            }
        }
    };
}

words! {
    // The bar.
    Tagline: "Where every tensor lives in memory", "每个张量在内存中的位置";
    Open: "Open file…", "打开文件…";
    OpenHint: "ONNX, TFLite, MiniMalloc CSV or plan JSON. Nothing leaves this machine.", "ONNX、TFLite、MiniMalloc CSV 或计划 JSON。文件不会离开本机。";
    Samples: "Samples", "示例";
    ChooseSample: "Choose a sample", "选择示例";
    DropHere: "Drop the file to open it", "松开以打开文件";
    Search: "Search tensors", "搜索张量";
    Matches: "{} found", "找到 {} 个";
    Export: "Export", "导出";
    ExportPng: "Picture (PNG)", "图片（PNG）";
    ExportSvg: "Picture (SVG)", "图片（SVG）";
    ExportCsv: "Offsets (CSV)", "偏移（CSV）";
    ExportJson: "Plan (JSON)", "计划（JSON）";
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
    Help: "Keys and mouse", "键盘与鼠标";
    Close: "Close", "关闭";
    Cancel: "Cancel", "取消";
    Dismiss: "Dismiss", "关闭提示";
    SkipToPicture: "Skip to the picture", "跳到图像";

    // The document.
    Document: "Document", "文档";
    Operators: "Operators", "算子";
    Tensors: "Tensors", "张量";
    OperatorCount: "{} operators", "{} 个算子";
    TensorCount: "{} tensors", "{} 个张量";
    BufferCount: "{} buffers to place", "{} 个待放置缓冲区";
    StepCount: "{} steps", "{} 步";
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
    Symbols: "Symbolic dimensions", "符号维度";
    SymbolsHint: "Bound by you; remembered for this model.", "由您绑定；为此模型记住。";
    Settings: "Settings", "设置";
    Alignment: "Alignment", "对齐";
    Fuse: "Fuse Relu and Clip into the operator before", "将 Relu 与 Clip 融合进前一个算子";
    PinIo: "Place inputs and outputs too, for the whole run", "同时放置输入与输出（整个运行期间）";
    UnsizedCount: "{} tensors have no known size and are left out", "{} 个张量大小未知，已排除";
    ShowThem: "Show them", "查看";
    Bound: "Lower bound", "下界";
    BoundHint: "No plan of offsets can be smaller: at step {}, {} buffers are live together.", "任何偏移计划都不可能更小：第 {} 步有 {} 个缓冲区同时存活。";
    ObjectBound: "Lower bound for shared objects", "共享对象的下界";

    // Panes.
    Panes: "Memory over time", "内存 × 时间";
    Arena: "Arena", "内存区";
    OverBound: "over the bound", "高于下界";
    Optimal: "Optimal", "最优";
    OptimalHint: "The arena equals the lower bound: no plan can be smaller.", "内存区等于下界：不存在更小的计划。";
    Best: "Smallest", "最小";
    PlanningColumn: "Planning {}…", "正在规划 {}…";
    WaitingColumn: "Waiting…", "等待中…";
    PlanCancelled: "Cancelled.", "已取消。";
    PlanOverflow: "No plan: addresses go beyond 64 bits at “{}”.", "无法规划：在“{}”处地址超出 64 位。";
    PlanUnsupported: "No plan: this strategy cannot plan {}.", "无法规划：此策略无法满足 {}。";
    PlanInvalid: "The judge rejects this plan ({} faults):", "检验未通过（{} 处错误）：";
    PlanNow: "Plan", "规划";
    HidePane: "Hide this pane", "隐藏此面板";
    NothingShown: "No strategy is shown. Tick one in the table below.", "没有显示任何策略。请在下表中勾选。";
    NothingToPlace: "Nothing to place: no buffer has a size and a lifetime.", "没有可放置的内容：没有既有大小又有生存期的缓冲区。";
    Minimap: "Overview: drag to move the view", "总览：拖动以移动视图";
    CanvasLabel: "{}: {} buffers, arena {}. The Tensors tab holds the same as a table.", "{}：{} 个缓冲区，内存区 {}。“张量”标签页以表格给出相同内容。";

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
    BindWhole: "A dimension is bound to a whole number from 1 to 9,007,199,254,740,991. The former value stays.", "维度须绑定为 1 到 9,007,199,254,740,991 的整数。保留原值。";
    Reuse: "Reuse", "复用率";
    ReuseHint: "Sum of all sizes / arena", "大小总和 / 内存区";
    Objects: "Objects", "对象数";
    Time: "Time", "用时";
    TimeHint: "Planning time in this browser", "在此浏览器中的规划时间";
    Deployed: "Plan in the file", "文件中的计划";
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
    NoOperators: "A placement problem has no operators.", "放置问题没有算子。";
    AndMore: "and {} more", "另有 {} 个";
    DetailColumn: "Detail", "详情";
    Warnings: "Remarks about the file", "关于文件的说明";
    PageRows: "Rows {} to {} of {}", "第 {} 至 {} 行，共 {} 行";
    PagePrevious: "Previous rows", "上一页";
    PageNext: "Next rows", "下一页";
    NoRows: "No tensor matches the search.", "没有匹配的张量。";

    // The inspector.
    PeakTitle: "Peak at step {}: {} in {} buffers", "第 {} 步的峰值：{}，共 {} 个缓冲区";
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
    RemedyEmpty: "Choose a file that is not empty.", "请选择非空文件。";
    RemedyUnknownFormat: "Open an ONNX or TFLite model, a MiniMalloc CSV or an Arenascope plan JSON.", "请打开 ONNX 或 TFLite 模型、MiniMalloc CSV 或 Arenascope 计划 JSON。";
    RemedyTruncated: "Download or export it again.", "请重新下载或导出。";
    RemedyMalformed: "Export it again, or check it with its own tool.", "请重新导出，或用其自身工具检查。";
    RemedyInconsistent: "Check the model with its own tool and export it again.", "请用其自身工具检查模型并重新导出。";
    RemedyLimit: "Split or simplify it until it is within the limit.", "请拆分或简化，直至不超出限制。";
    RemedyUnsupported: "Convert it to a supported version.", "请转换为受支持的版本。";
    RemedyIo: "Check that it is still there and can be read.", "请确认文件仍存在且可读。";
    UnsizedUnknownOperator: "The shapes of this operator are not known", "未知算子的形状";
    UnsizedDataDependent: "The shape depends on values known only at run time", "形状取决于运行时的值";
    UnsizedInput: "An input of its operator has no size", "其算子的输入没有大小";
    UnsizedInvalidOperator: "Inputs or attributes contradict the operator's definition", "输入或属性与算子定义矛盾";
    UnsizedUndeclared: "The file gives neither a shape nor an operator", "文件既无形状也无算子";
    UnsizedDType: "Its elements have no fixed size", "元素没有固定大小";
    UnsizedTooLarge: "Its size goes beyond what can be planned", "大小超出可规划范围";
    UnsizedControlFlow: "It is written inside control flow whose branches differ", "由分支不同的控制流写入";

    // What strategies do.
    AboutNaive: "Every buffer gets its own place; nothing is reused.", "每个缓冲区独占位置，不复用。";
    AboutEquality: "A free object is reused only for a buffer of exactly its size.", "仅当大小完全相同时复用空闲对象。";
    AboutGreedyInOrder: "In order of first use, each buffer takes the free object closest in size.", "按首次使用顺序，选择大小最接近的空闲对象。";
    AboutGreedyByBreadth: "The operators with the most live bytes choose their objects first.", "存活字节最多的算子优先选择对象。";
    AboutGreedyBySize: "Large buffers first, into the object that was or will be in use nearest in time.", "大缓冲区优先，放入时间上最接近的对象。";
    AboutGreedyBest: "The smaller of by-size and by-breadth.", "取按大小与按宽度中较小者。";
    AboutMinCostFlow: "Matches each object's next user by minimum-cost flow over growth.", "以最小费用流匹配对象的后续使用者。";
    AboutOffsetsBySize: "Large buffers first, each into the smallest gap that fits.", "大缓冲区优先，放入最小的合适空隙。";
    AboutOffsetsByBreadth: "The operators with the most live bytes place their buffers first, best gap.", "存活字节最多的算子先放置，选最佳空隙。";
    AboutOffsetsInOrder: "In order of first use, each into the smallest gap that fits.", "按首次使用顺序，放入最小的合适空隙。";
    AboutStripBestFit: "Fills the lowest line of the skyline with the longest-lived buffer that fits.", "用存活最久的缓冲区填充天际线最低处。";

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
