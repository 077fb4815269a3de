//! What is said of several cases side by side.

use super::words;

words! {
    /// A string about cases.
    CaseWord, cases;

    Title: "Cases side by side", "并排项";
    Hint: "Two documents, or one document planned in two ways, on the same axes. What you select in one is selected in the others where it has the same name.", "两个文档，或以两种方式规划的同一文档，共用坐标轴。在其中一个里选中的张量，在其他同名处也会选中。";
    Edited: "edited", "已编辑";
    UpTo: "up to: {}", "至：{}";
    BeforePasses: "before every pass", "各遍之前";
    Duplicate: "Duplicate, with other settings", "复制，另设参数";
    OpenBeside: "A file beside…", "并排打开文件…";
    SampleBeside: "A sample beside…", "并排打开示例…";
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
