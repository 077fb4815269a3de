//! What is said of several cases side by side.

use super::words;

words! {
    /// A string about cases.
    CaseWord, cases;

    Title: "Cases side by side", "并排对比";
    Hint: "Two documents, or one document planned in two ways, on the same axes. What you select in one is selected in the others where it has the same name.", "两个文档，或以两种方式规划的同一文档，共用坐标轴。在其中一个里选中的张量，在其他同名处也会选中。";
    Edited: "edited", "已编辑";
    UpTo: "up to: {}", "至：{}";
    BeforePasses: "before every pass", "各 pass 之前";
    Duplicate: "Duplicate, with other settings", "复制，另设参数";
    OpenBeside: "A file beside…", "并排打开文件…";
    SampleBeside: "A sample beside…", "并排打开示例…";
    Basis: "On one basis", "同一口径";
    BasisHint: "What each takes of the same things. The plan of one toolchain holds inputs and outputs, that of another does not: their arenas alone cannot be compared.", "各项在同一口径下的占用。有的工具链的计划包含输入与输出，有的不包含：仅比较内存区没有意义。";
    Temporary: "Temporary", "临时";
    Handed: "+ inputs, outputs", "+ 输入、输出";
    Whole: "+ weights", "+ 权重";
    Unsaid: "not said", "未给出";
    UnsaidHint: "The file does not tell these bytes apart.", "文件未区分这些字节。";
    AtLeastHint: "No plan of it is known, so this is a bound; or the file does not tell inputs from weights.", "尚无其计划，因此是下界；或文件未区分输入与权重。";
    Linked: "Same steps and addresses in all panes", "所有图共用时间与地址范围";
    Close: "Close", "关闭";
    About: "Tables and inspector are about this one", "表格与检查器针对此项";
    Serial: "one operator after the other", "算子依次执行";
    Streams: "parallel streams", "并行流";
    Free: "operators in any order", "算子任意顺序";
    Aligned: "aligned to {}", "对齐 {}";
    Arena: "arena {}", "内存区 {}";
    Reveal: "Show both side by side", "并排显示两者";
    Full: "{} are open, as many as there is room for.", "已打开 {} 个，已达上限。";
}
