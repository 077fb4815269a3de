//! What is said of the segments of an allocator.

use super::words;

words! {
    /// A string about segments.
    SegmentWord, segments;

    Tab: "Segments", "段";
    None: "This plan lies in one address space: only allocators that take memory in segments, such as PyTorch's, have this table.", "此计划位于单一地址空间：只有按段取用内存的分配器（如 PyTorch）才有此表。";
    AtPeak: "At step {}, where most is reserved: {} in {} {segment|segments}", "在预留最多的第 {} 步：{}，共 {} 个段";
    AtStep: "At step {}: {} in {} {segment|segments}", "第 {} 步：{}，共 {} 个段";
    ToPeak: "Where most is reserved", "预留最多处";
    Hint: "Every bar is as wide as its segment, the smallest a little wider. Choose a block to select its tensor, or an address to see its segment in the picture; from there ← and → go from block to block.", "条的宽度与段的大小成比例，最小的略宽。点击块可选中其张量，点击地址可在图中查看该段；随后 ← 与 → 在块之间移动。";

    Address: "Device address", "设备地址";
    Size: "Size", "大小";
    Stream: "Stream", "流";
    Pool: "Private pool", "私有池";
    Kind: "Kind", "类型";
    Used: "In use", "已用";
    Free: "Free", "空闲";
    Largest: "Largest free", "最大空闲";
    Blocks: "Blocks", "块";

    Small: "small", "小块";
    Large: "large", "大块";
    Expandable: "{}, expandable", "{}，可扩展";
    WhollyFree: "wholly free", "全部空闲";
    RowHint: "{} to {} in the picture. ← and → go from block to block.", "图中 {} 至 {}。← 与 → 在块之间移动。";
    BarLabel: "{} {block|blocks}", "{} 个块";
    FreeHere: "{} free", "空闲 {}";
    Asked: "Asked for", "请求";
    Block: "Block", "块";
    Caller: "Allocated in", "分配处";
    Sum: "Sum", "合计";
    SumFree: "{} in wholly free ones, {} inside the others", "全部空闲的段 {}，其余段内 {}";
}
