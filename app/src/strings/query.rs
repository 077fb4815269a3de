//! What is said of the search, and of what colours mean.

use super::words;

words! {
    /// A string about the search and about colours.
    QueryWord, query;

    // The search.
    Search: "Search: a name, or size > 1MiB and op = Conv", "搜索：名称，或 size > 1MiB and op = Conv";
    Continuations: "Continuations", "补全";
    Found: "{} of {}, {}", "{} / {}，{}";
    FoundHint: "{} of {} {tensor|tensors}, {} together; {} of it live at the peak", "{} / {} 个张量，共 {}；其中 {} 在峰值时存活";
    AtPeak: "{} at the peak", "峰值时 {}";
    Column: "Column {}: {}.", "第 {} 列：{}。";
    Of: "{} {tensor|tensors}", "{} 个张量";

    // What is wrong with a query.
    TooLong: "more than {} {character|characters}", "超过 {} 个字符";
    TooDeep: "more than {} {level|levels}", "超过 {} 层";
    Quote: "this quotation mark needs a second one", "缺少右引号";
    Unclosed: "this parenthesis is not closed", "括号未闭合";
    Unopened: "this parenthesis was not opened", "多余的右括号";
    Test: "a test is expected, such as size > 1MiB, or a name", "此处应为条件（如 size > 1MiB）或名称";
    Joint: "and, or, or the end is expected", "此处应为 and、or 或结尾";
    NoField: "no field has this name", "没有这个字段";
    NoFieldBut: "no field has this name; perhaps {}", "没有这个字段；是否为 {}";
    Comparison: "behind {} one of {} is expected", "{} 之后应为 {} 之一";
    Text: "a text is expected for {}", "{} 应为文本";
    BytesExpected: "bytes are expected for {}, such as 4096 or 1.5KiB", "{} 应为字节数，如 4096 或 1.5KiB";
    StepsExpected: "a number of steps is expected for {}", "{} 应为步数";
    TooLarge: "this number has too many digits", "数字过长";
    NoUnit: "steps have no unit: {}", "{} 以步计，没有单位";
    Moment: "a step, peak, or the name of a step is expected", "此处应为步、peak 或步的名称";
    NoStep: "no step has this name", "没有这个名称的步";
    LastStep: "the last step is {}", "最后一步是 {}";
    Offset: "a byte of the arena is expected, such as 4KiB", "此处应为内存区的字节，如 4KiB";
    Flag: "one of {} is expected", "此处应为 {} 之一";

    // What fields and keywords mean.
    FieldSize: "bytes reserved", "占用字节";
    FieldPayload: "bytes of its values", "有效字节";
    FieldPadding: "size less payload", "占用减去有效字节";
    FieldAlignment: "its own alignment", "自身对齐";
    FieldOffset: "first byte, in the first plan in view", "首字节（视图中首个计划）";
    FieldTop: "first byte behind it, in that plan", "末字节之后（同一计划）";
    FieldFixed: "address that the problem fixes", "问题指定的地址";
    FieldStart: "first step at which it is live", "首个存活步";
    FieldLast: "last step at which it is live", "最后存活步";
    FieldEnd: "first step behind", "存活结束后的首步";
    FieldLength: "number of steps", "存活步数";
    FieldName: "its name", "名称";
    FieldAlias: "other names of the same bytes", "同一字节的其他名称";
    FieldRole: "input, output, intermediate, …", "输入、输出、中间等";
    FieldOp: "type of the operator that writes it", "写入它的算子类型";
    FieldSource: "what that operator was made from, in the framework", "该算子在框架中的来源";
    FieldComputation: "computation or function that makes it", "产生它的计算或函数";
    FieldDtype: "type of its elements, such as f32", "元素类型，如 f32";
    FieldShape: "dimensions, such as 32x64", "形状，如 32x64";
    FieldProducer: "operator that writes it", "写入它的算子";
    FieldConsumer: "operators that read it", "读取它的算子";
    FieldCaller: "line of the program that allocated it", "分配它的程序行";
    FieldModule: "innermost module that allocated it", "分配它的最内层模块";
    FieldPhase: "phase of the training step: forward, loss, backward, optimizer", "训练步的阶段：forward、loss、backward、optimizer";
    FieldCategory: "what it holds, inferred: parameter, optimizer state, gradient, activation, temporary", "所存内容（推断）：parameter、optimizer state、gradient、activation、temporary";
    FieldStream: "stream that it was allocated for", "为其分配的流";
    FieldFrame: "every frame of the stack that allocated it: function, file:line", "分配它的调用栈的每一帧：函数、文件:行";
    FieldFunction: "every function of its stack", "调用栈中的每个函数";
    FieldFile: "every source file of its stack", "调用栈中的每个源文件";
    FieldPool: "pool that it lives in", "所在内存池";
    FieldHeld: "pinned, whole-life or pending", "pinned、whole-life 或 pending";
    FieldWaste: "parts of the arena that it makes", "它构成内存区的哪些部分";
    Keyword: "keyword", "关键字";
    Sign: "comparison", "比较";
    Unit: "unit", "单位";
    FlagSort: "property", "属性";
    Step: "step", "步";

    // The help.
    HelpTitle: "Searching and filtering", "搜索与筛选";
    HelpWord: "A word searches names and aliases; * stands for any characters, ? for one, ^ for the beginning, $ for the end.", "单词搜索名称与别名；* 表示任意字符，? 表示一个字符，^ 表示开头，$ 表示结尾。";
    HelpFields: "Fields are compared: = and !=, ~ and !~ for texts, < <= > >= for numbers. Units: B, KB, MB, GB, KiB, MiB, GiB.", "比较字段：= 与 !=；文本用 ~ 与 !~；数字用 < <= > >=。单位：B、KB、MB、GB、KiB、MiB、GiB。";
    HelpLive: "Live at a step, at a step's name, or at the peak.", "在某一步、某个步名或峰值时存活。";
    HelpOver: "Lies over this byte of the arena.", "覆盖内存区的这个字节。";
    HelpFlags: "Properties: {}.", "属性：{}。";
    HelpJoin: "Tests are joined with and, or, not and parentheses.", "条件用 and、or、not 与括号组合。";
    HelpAll: "Every field", "全部字段";
    HelpKeys: "↓ and ↑ choose a continuation, Tab takes it; Enter and Shift+Enter go through what was found; Esc closes, then clears.", "↓ 与 ↑ 选择补全，Tab 采用；Enter 与 Shift+Enter 浏览结果；Esc 先关闭再清除。";

    // Colours.
    Colors: "Colours", "颜色";
    ColorRole: "Role", "角色";
    ColorCaller: "Allocated in", "分配处";
    ColorModule: "Module", "模块";
    ColorPhase: "Phase", "阶段";
    ColorStream: "Stream", "流";
    ColorWaste: "Waste", "浪费";
    NotSaid: "{} (not in this file)", "{}（此文件未提供）";
    Others: "{} {other|others}", "其他 {} 种";
    Unsaid: "none", "无";
    FewerSteps: "{}–{} {step|steps}", "{}–{} 步";
    OneStep: "{} {step|steps}", "{} 步";
    FromSteps: "{} {step|steps} and more", "{} 步及以上";
    FromBytes: "{} and more", "{} 及以上";
    BelowBytes: "{} to {}", "{} 至 {}";
    MarkView: "inside a tensor: a view of it", "张量内部：其视图";
    MarkPause: "between uses: not needed", "使用之间：不需要";
    MarkAgain: "in memory again: computed or loaded once more", "再次驻留：重新计算或载入";
    MarkSeam: "dashed edge: written over in place", "虚线边：原地覆写";
    LegendHint: "Shows only these: {}", "只显示这些：{}";
    PartNeeded: "Needed at the peak of live bytes", "活跃内存峰值所需";
    PartPadding: "Padding", "填充";
    PartPinned: "Pinned", "固定保留";
    PartWholeLife: "Whole life", "全程占用";
    PartPending: "Pending on another stream", "等待其他流";
    PartAlignment: "Alignment", "对齐";
    PartNone: "Not at the peak", "不在峰值";
}
