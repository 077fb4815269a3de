//! What is said of files that are given one by one and belong together, and of tables that do not
//! say what they hold.

use super::words;

words! {
    /// A string about files that belong together, or a table.
    GivenWord, given;

    Waits: "“{}” still waits for the file that belongs to it: open that one, and both are read together. Dismiss this, and it waits no longer.", "“{}” 仍在等待与之配套的文件：打开该文件，两者将一起读取。关闭此提示则不再等待。";
    SayColumns: "Choose the columns…", "选择各列的含义…";
    ColumnsTitle: "What do the columns mean?", "各列是什么含义？";
    ColumnsSay: "The header does not name all that is needed. Choose which column holds what; the first rows of the file are below.", "表头未给出所需的全部列名。请选择各项对应的列；下面是文件的前几行。";
    SayRange: "Choose the range…", "选择范围…";
    FiguresTitle: "What the text says of memory", "文本所述的内存情况";
    FiguresSay: "It does not say what lives when, so there is nothing to plan.", "文本没有给出生命周期，因此无法规划。";
    FiguresShow: "Show what it says…", "显示其内容…";
    FiguresRecord: "To see what lives when, record", "要看到各块内存的生命周期，请记录";
    RangeTitle: "Which events?", "保留哪些事件？";
    RangeSay: "What is in use where the range begins stays, and what lies outside is counted.", "范围开始时仍在使用的内存会保留，范围之外的会计数说明。";
    RangeFirst: "First event", "首个事件";
    RangeEnd: "Up to and without event", "至事件（不含）";
    ColumnLower: "First step", "首步";
    ColumnEnd: "End", "末端";
    ColumnSize: "Size in bytes", "大小（字节）";
    ColumnId: "Identifier", "标识";
    ColumnName: "Name", "名称";
    ColumnOffset: "Offset in the plan", "计划中的偏移";
    ColumnAlignment: "Alignment", "对齐";
    ColumnNone: "no column", "无此列";
    ColumnNumber: "the row's number", "行号";
    ColumnChoose: "choose…", "请选择…";
    EndIs: "The end is", "末端是";
    EndExclusive: "the first step at which it is free (exclusive)", "开始空闲的步（不含）";
    EndInclusive: "the last step at which it is needed (inclusive)", "最后仍需要的步（含）";
    ColumnTwice: "A column can have one meaning only.", "一列只能有一个含义。";
    ColumnsOpen: "Open", "打开";
    DropCompare: "Drop to compare", "松开以比较";
    DropMissing: "The missing file of “{}”", "“{}” 缺少的文件";
}
