//! What is said of a graph as text.

use super::words;

words! {
    /// A string about the graph as text.
    GraphWord, graph;

    Tab: "Graph text", "图文本";
    Editor: "The graph as text, one operator a line. Tab leaves the text.", "以文本表示的图，每行一个算子。按 Tab 键离开文本。";
    Working: "The graph is written as text…", "正在将图写成文本……";
    Nothing: "What is open is no graph: there are only lifetimes, or a plan that a toolchain made.", "打开的不是图：只有生命周期，或由工具链生成的计划。";
    Begin: "Begin with an example", "从示例开始";
    TooLarge: "The text has {}. Up to 1 MiB can be edited here: take the file and open it again.", "文本占 {}，此处最多可编辑 1 MiB：请下载文件后重新打开。";
    TooLong: "The text has {}. Up to 1 MiB is planned here: shorten it, or download it and open the file.", "文本占 {}，此处最多规划 1 MiB：请缩短，或下载后打开该文件。";
    LongForLink: "An edit of more than 4 kB is in no link and is gone with the page: download it to keep it.", "超过 4 kB 的编辑不会进入链接，并随页面关闭而丢失：如需保留请下载。";
    Undo: "Undo", "撤销";
    Redo: "Redo", "重做";
    AsOpened: "As opened", "恢复为打开时";
    Copy: "Copy", "复制";
    Download: "Download .graph ({})", "下载 .graph（{}）";
    Unedited: "It is the graph as it was opened. What you type is planned at once.", "这是打开时的图。输入的内容会立即规划。";
    Edited: "Edited. Against the graph as it was opened, with the same strategy:", "已编辑。与打开时的图相比（同一策略）：";
    EditedElse: "Edited. The figures before the edit are of other settings; now:", "已编辑。编辑前的数据属于其他设置；现在：";
    Peak: "Live at the peak", "峰值存活";
    FaultAt: "Line {}, column {}: {}", "第 {} 行第 {} 列：{}";
    Stays: "The picture still shows the last text that could be read.", "图中仍是上一份可读取的文本。";
    Loses: "This file has a schedule and views of its own. A text has none: with the first edit they are gone.", "此文件自带调度与视图，文本不包含它们：一经编辑即会丢失。";
    Shared: "The graph was edited. What is handed on has the plan, not the edited graph: download that as .graph.", "图已编辑。分享的内容包含计划，不含编辑后的图：请将其下载为 .graph。";
    Changed: "{} (edited)", "{}（已编辑）";

    Language: "The language", "语法";
    GraphLine: "name and operators: of ONNX with the version of the operator set, or of TFLite", "名称与算子：ONNX（附算子集版本）或 TFLite";
    LetLine: "a symbolic dimension, and its value unless it is bound", "符号维度，及其未绑定时的值";
    InputLine: "what the caller feeds", "由调用者输入";
    ConstLine: "a constant, without its elements or with them; without, those of the opened file stay", "常量，可不带或带元素；不带时沿用所打开文件中的元素";
    StateLine: "what is kept from one run to the next", "在多次运行之间保留";
    OpLine: "an operator: what it writes, its kind, what it reads, attributes; shapes are inferred", "算子：输出、类型、输入、属性；形状自动推断";
    OutputLine: "what the caller reads", "由调用者读取";
    OrderLine: "tensors in the order of the file, by which planners break ties", "张量在文件中的顺序，规划器以此打破平局";
    CommentLine: "a comment", "注释";
    Order: "Operators run in the order of their lines, as far as they can: move a line to run it earlier or later.", "算子尽可能按行的顺序执行：移动一行即可提前或推后执行。";
}
