//! What is said of the window's parts, and of what is open in one sentence.

use super::words;

words! {
    /// A string about the window and the headline.
    FrameWord, frame;

    Sheet: "tables", "表格";
    Tasks: "Tasks", "任务";
    Explain: "Explain", "解释";
    Change: "Change", "修改";
    Train: "Train", "训练";
    Data: "Data", "数据";
    Strategies: "Strategies", "策略";
    Terms: "Terms", "术语";
    Hide: "Hide: {}", "隐藏：{}";
    Show: "Show: {}", "显示：{}";
    Resize: "Size of: {}", "调整大小：{}";
    ResizeHint: "Drag, or use the arrow keys; double-click for the usual size", "拖动或用方向键调整；双击恢复默认大小";
    View: "View", "视图";
    Back: "Previous view (Backspace)", "上一视图（Backspace）";
    Forth: "Next view (Shift+Backspace)", "下一视图（Shift+Backspace）";
    Fit: "Everything in view (0)", "显示全部（0）";
    AxisTime: "time", "时间";
    TimeAxis: "By time", "按时间";
    TimeAxisHint: "Steps as long as they took, by the file's clock; else one as long as the other", "按文件的时钟显示每一步的时长；否则各步等长";
    TimesFromTo: "{}, {} to {} ({})", "{}，{} 至 {}（{}）";
    OwnScale: "Own scales", "各自比例";
    OwnScaleHint: "Each pane has a scale of addresses of its own, so that a small arena is seen beside a large one", "每幅图使用各自的地址比例，小的内存区也能看清";
    EvenPanes: "Equal panes", "等宽";
    EvenPanesHint: "naive, the plan without reuse, as wide as the others and on the same scale of addresses", "让不复用内存的 naive 与其他计划同宽，并使用相同的地址比例";
    ScalesDiffer: "scales differ {}×", "比例相差 {} 倍";
    OwnScaleHere: "own scale", "各自比例";
    OutOfMemory: "out of memory at step {}: {} asked for, {} left on the device; ", "第 {} 步内存不足：请求 {}，设备剩余 {}；";
    InvalidShown: "the plan in view breaks rules", "所示计划违反规则";
    InvalidPlan: "the plan in the file breaks rules", "文件中的计划违反规则";
    SeparateSum: "{} in {} separate {allocation|allocations}", "{}，{} 个独立分配";
    LargestListed: "{} in all, of which the largest {} {tensor is|tensors are} listed", "共 {}，仅列出最大的 {} 个张量";
    Focus: "Focus", "专注";
    FocusHint: "Only the pictures (Z)", "只显示图（Z）";
    Presenter: "Present", "演示";
    PresenterHint: "Large type, for a projector (Shift+P)", "大字号，用于投影（Shift+P）";
    Leave: "Back to the page", "返回页面";
    OpenWhole: "Open in Arenascope", "在 Arenascope 中打开";
    Looks: "Language, theme and renderer", "语言、主题与渲染";
    MoreHint: "Share, help, language, theme and renderer", "分享、帮助、语言、主题与渲染";
    OpenShort: "Open…", "打开…";
    Advanced: "Advanced", "高级";
    PassesChosen: "{} of {} {pass|passes} chosen", "已选 {} / {} 个 pass";
    Slide: "Slide", "幻灯片";
    SlideHint: "What is seen, with title, figures, axes and legend: as a picture for lectures and papers", "将当前画面连同标题、数值、坐标轴与图例存为图片，供讲课与论文使用";
    WidePng: "PNG, 16:9", "PNG，16:9";
    WideSvg: "SVG, 16:9", "SVG，16:9";
    SeenPng: "PNG, as seen", "PNG，所见大小";
    SeenSvg: "SVG, as seen", "SVG，所见大小";
    Print: "Print…", "打印…";
    More: "and {} more", "另有 {} 项";
    Caption: "Each rectangle is a tensor: as long as it lives, as high as it is large.", "每个矩形是一个张量：宽为生命周期，高为大小。";
    CaptionBlocks: "Each rectangle is a block of memory: as long as it lives, as high as it is large.", "每个矩形是一块内存：宽为生命周期，高为大小。";
    FilmOpen: "the figures follow at the end of the film", "数值在回放结束时显示";
    Arrow: " → ", " → ";
    Times: ", {}× less", "，为原来的 1/{}";
    Deployed: "{} deployed", "部署占用 {}";
    AtMost: " where most is needed, {} at most", "（需求最大处），最多 {}";
    Wasted: "{} wasted", "浪费 {}";
    Comma: ", ", "，";
    NoLess: "no plan needs less", "没有更小的计划";
    NoLessAside: "no plan needs less, subgraphs aside", "不计子图，没有更小的计划";
    NoLessOfSized: "no plan of the {} {tensor that has|tensors that have} a size needs less", "就 {} 个大小已知的张量而言，没有更小的计划";
    AtLeast: "every plan needs at least {}", "任何计划至少需要 {}";
    Join: "; ", "；";
    Colon: ": ", "：";
    NaiveHint: "Without reuse: every tensor has memory of its own. Show that plan.", "不复用：每个张量独占内存。显示该计划。";
    BestHint: "The smallest plan that was found. Show it.", "已找到的最小计划。显示它。";
    DeployedHint: "The plan in the file. Show it.", "文件中的计划。显示它。";
    SweepTab: "Sweep", "参数扫描";
}
