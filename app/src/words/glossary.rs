//! The field's terms as the page uses them, each in a sentence or two.

use super::words;

words! {
    /// A term and what it means, with `|` between them.
    Term;

    Tensor: "tensor|A block of numbers that an operator writes and others read. Here: the memory that it takes.", "张量|由一个算子写入、供其他算子读取的一块数。此处指它占用的内存。";
    Lifetime: "lifetime|From the step that writes a tensor to the last step that reads it. Outside of it the memory is free for others.", "生命周期|从写入张量的时间步到最后读取它的时间步。在此之外，内存可供其他张量使用。";
    Step: "step|One operator in the order of execution. Time on the horizontal axis is counted in steps.", "时间步|执行顺序中的一个算子。横轴以时间步计时。";
    Arena: "arena|One block of memory in which every tensor has a fixed place. Its size is what the plan costs.", "内存区|一整块内存，每个张量在其中有固定位置。其大小即计划的代价。";
    Address: "address|Where a tensor begins in the arena: bytes from its start. Also called offset.", "地址|张量在内存区中的起点：距起始处的字节数。也称偏移。";
    Naive: "without reuse|Every tensor keeps memory of its own for the whole run: the sum of all sizes.", "不复用|每个张量在整个运行期间独占内存：所有大小之和。";
    LiveBytes: "live bytes|The sizes of all tensors that are live at a step. The curve in the picture.", "存活字节|某一时间步所有存活张量的大小之和。即图中的曲线。";
    Peak: "peak of live bytes|The step at which most bytes are live, and how many. No arena can be smaller.", "存活字节的峰值|存活字节最多的时间步及其数量。内存区不可能更小。";
    Bound: "lower bound|A number of bytes that is proved to be necessary: no plan can be smaller. Whether one as small exists is another question.", "下界|已证明必需的字节数：任何计划都不可能更小。是否存在同样小的计划则是另一问题。";
    OverBound: "over the bound|How much larger the arena is than the lower bound, in percent of the bound.", "高于下界|内存区比下界大多少，以下界的百分比计。";
    Optimal: "optimal|The arena is as small as a bound that was proved: there is no smaller plan.", "最优|内存区等于已证明的下界：没有更小的计划。";
    Fragmentation: "fragmentation|What the arena has beyond the bound because free bytes lie in pieces where no tensor fits.", "碎片|内存区超出下界的部分：空闲字节零散，放不下任何张量。";
    Hole: "hole|Bytes below the arena's top that are empty for some steps.", "空洞|内存区顶部以下、在若干时间步内空闲的字节。";
    Reuse: "reuse|All sizes together divided by the arena: how often each byte is used on average.", "复用率|所有大小之和除以内存区大小：平均每个字节被使用的次数。";
    SharedObject: "shared object|A block that one tensor at a time fills. It is as large as the largest of them.", "共享对象|同一时刻只由一个张量占用的内存块，其大小等于其中最大的张量。";
    ObjectBound: "lower bound for shared objects|The largest tensors of each step side by side, rank by rank: no set of shared objects is smaller. Plans of addresses can be.", "共享对象的下界|按大小名次逐位取各步最大的张量：任何共享对象方案都不会更小，按地址的计划则可能更小。";
    HandOver: "hand-over|An operator writes its result over an input that it reads for the last time: for one step both share bytes.", "交接|算子把结果写到它最后一次读取的输入之上：在这一步两者共用字节。";
    InPlace: "in-place|An operator that may write its result over its input.", "原地|可以把结果写到输入之上的算子。";
    Alignment: "alignment|Addresses have to be multiples of it. What is lost before them is padding.", "对齐|地址须为其倍数。因此空出的字节为填充。";
    Padding: "padding|Bytes that a block has beyond what was asked for.", "填充|内存块超出所请求大小的字节。";
    Pinned: "pinned|Kept at its address by a rule or by hand, even while its value is not needed.", "固定|由规则或手动保持在其地址上，即使暂时不需要其值。";
    Payload: "payload|The bytes of the tensor itself, without what alignment or an allocator adds.", "有效字节|张量本身的字节，不含对齐或分配器附加的部分。";
    Reserved: "reserved|Taken from the device, whether it is in use or not.", "预留|已从设备取得的内存，无论是否在用。";
    Strategy: "strategy|A rule that gives every tensor an address. Most look at each tensor once; searches try many orders.", "策略|为每个张量分配地址的规则。多数只看每个张量一次；搜索会尝试多种顺序。";
    Exact: "exact search|Tries everything that could be smaller and leaves out only what is proved not to be.", "精确搜索|尝试一切可能更小的放法，只略去已证明不会更小的。";
    Pool: "pool|One of several memories, each with its own size and speed.", "内存池|多块内存之一，各有大小与速度。";
    Promised: "promised|The arena that the plan says it needs.", "承诺|计划声明所需的内存区大小。";
    Allocated: "allocated|The buffer that the run made on the device for the arena.", "已分配|运行时在设备上为内存区创建的缓冲区大小。";
    Touched: "touched|The bytes of the arena that the run really wrote.", "实际写入|运行时真正写入的内存区字节。";
    Constant: "constant|Weights and other data that the file holds. They are not planned.", "常量|文件中的权重等数据，不参与规划。";
    Symbol: "symbolic dimension|A size that the file leaves open, such as the batch. Every figure holds for the value that is set.", "符号维度|文件未确定的尺寸，如批大小。所有数字仅对所设数值成立。";
}

/// The terms by the names that elements of the page have for them.
pub(crate) const TERMS: [(&str, Term); 31] = [
    ("tensor", Term::Tensor),
    ("lifetime", Term::Lifetime),
    ("step", Term::Step),
    ("arena", Term::Arena),
    ("address", Term::Address),
    ("naive", Term::Naive),
    ("live-bytes", Term::LiveBytes),
    ("peak", Term::Peak),
    ("bound", Term::Bound),
    ("over-bound", Term::OverBound),
    ("optimal", Term::Optimal),
    ("fragmentation", Term::Fragmentation),
    ("hole", Term::Hole),
    ("reuse", Term::Reuse),
    ("shared-object", Term::SharedObject),
    ("object-bound", Term::ObjectBound),
    ("hand-over", Term::HandOver),
    ("in-place", Term::InPlace),
    ("alignment", Term::Alignment),
    ("padding", Term::Padding),
    ("pinned", Term::Pinned),
    ("payload", Term::Payload),
    ("reserved", Term::Reserved),
    ("strategy", Term::Strategy),
    ("exact", Term::Exact),
    ("pool", Term::Pool),
    ("promised", Term::Promised),
    ("allocated", Term::Allocated),
    ("touched", Term::Touched),
    ("constant", Term::Constant),
    ("symbol", Term::Symbol),
];
