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
    Verdict: "Verdict", "结论";
    Valid: "valid", "有效";
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
    Split: "Where the bytes go", "字节的去向";
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
    Needed: "Needed at the same time", "同时需要";
    Padding: "Padding", "填充";
    Pinned: "Pinned inputs and outputs", "固定的输入输出";
    WholeLife: "Kept for the whole run", "整个运行期间保留";
    Alignment: "Alignment", "对齐";
    Fragmentation: "Fragmentation", "碎片";
    Total: "Arena", "内存区";
    Reserved: "Reserved at its peak", "峰值时的预留";
    Omitted: "{} more {is|are} left out here; the attached plan has all.", "此处省略另外 {} 个；附件中有全部内容。";
    TooLong: "The plan has {} {tensor|tensors}, too many to attach: export it as CSV.", "计划含 {} 个张量，过多而无法附上：请导出为 CSV。";
}
