//! The field's terms as the page and its lessons use them, each in a sentence or two.

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
    LiveBytes: "live bytes|The sizes of all tensors that are live at a step. The curve in the picture.", "活跃内存|某一时间步所有存活张量的大小之和。即图中的曲线。";
    Peak: "peak of live bytes|The step at which most bytes are live, and how many. No arena can be smaller.", "活跃内存的峰值|活跃内存最多的时间步及其数量。内存区不可能更小。";
    Bound: "lower bound|A number of bytes that is proved to be necessary: no plan can be smaller. Whether one as small exists is another question.", "下界|已证明必需的字节数：任何计划都不可能更小。是否存在同样小的计划则是另一问题。";
    OverBound: "over the bound|How much larger the arena is than the lower bound, in percent of the bound.", "高于下界|内存区比下界大多少，以下界的百分比计。";
    Optimal: "optimal|The arena is as small as a bound that was proved: there is no smaller plan.", "最优|内存区等于已证明的下界：没有更小的计划。";
    Fragmentation: "fragmentation|What the arena has beyond the bound because free bytes lie in pieces where no tensor fits.", "碎片|内存区超出下界的部分：空闲字节零散，放不下任何张量。";
    Hole: "hole|Bytes below the arena's top that are empty for some steps.", "空洞|内存区顶部以下、在若干时间步内空闲的字节。";
    Reuse: "reuse|All sizes together divided by the arena: how often each byte is used on average.", "复用倍数|所有大小之和除以内存区大小：平均每个字节被使用的次数。";
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

    // Graphs and their order.
    Operator: "operator|One computation of the network, such as a convolution. It reads tensors and writes others.", "算子|网络中的一次计算，如卷积。它读取一些张量，写入另一些。";
    Graph: "graph|Operators and the tensors between them: who writes what, and who reads it.", "计算图|算子与其间的张量：谁写入什么，谁读取它。";
    Activation: "activation (intermediate tensor)|What an operator computes for later ones. Unlike a weight it is there for a while only.", "激活（中间张量）|算子算出、供后续算子读取的张量。与权重不同，它只存在一段时间。";
    Input: "input|A tensor that the model is given from outside.", "输入|从外部交给模型的张量。";
    Output: "output|A tensor that is a result of the model: it is needed to the end of the run.", "输出|作为模型结果的张量：运行结束前一直需要。";
    State: "state|A value that stays from one run of the model to the next, such as a cache.", "状态|从模型的一次运行保留到下一次的值，如缓存。";
    Order: "order of execution|Which operator runs when. Another order that is legal, too, may have a lower peak.", "执行顺序|哪个算子何时运行。另一种同样合法的顺序，峰值可能更低。";
    Schedule: "schedule|What happens at each step: what is computed, freed, evicted or computed again.", "调度|每个时间步做什么：计算、释放、逐出或重新计算。";
    Dependency: "dependency|An operator that reads what another writes has to wait for it.", "依赖|读取另一算子结果的算子必须等它完成。";
    Stream: "stream|A queue of work on a device. What is in different streams may run at the same time.", "流|设备上的一条任务队列。不同流中的任务可以同时运行。";
    ParallelSafety: "parallel safety|Tensors share bytes only where this makes no operator wait for one that it does not depend on.", "并行安全|仅当不会使某个算子等待它并不依赖的算子时，张量才共用字节。";
    SkipConnection: "skip connection|A result that is read once more much later: it stays live until then.", "跳跃连接|很久之后还会再读一次的结果：在此之前一直存活。";
    ReferenceCount: "reference count|How many reads of a tensor are still to come. At zero its bytes are free.", "引用计数|张量还剩多少次读取。归零时其字节即可另作他用。";

    // Lifetimes and what follows from them.
    Liveness: "liveness analysis|Finds from graph and order when each tensor is written and when it is read last.", "活跃性分析|由计算图与执行顺序求出每个张量何时写入、何时最后一次被读取。";
    HalfOpen: "half-open span|From the first step up to the upper bound, which is not in it: 2-5 is steps 2, 3 and 4.", "半开区间|从首步起，到上界为止但不含上界：2-5 即第 2、3、4 步。";
    Pause: "gap in a lifetime|Steps between two uses at which the value is not needed: others may have its bytes then.", "生命周期中的间隙|两次使用之间不需要其值的时间步：此时其字节可供其他张量使用。";
    Conflict: "conflict|Two tensors that are live at the same step must not share a byte.", "冲突|在同一时间步存活的两个张量不得共用任何字节。";
    MemoryReuse: "memory reuse|The same bytes hold one tensor after another, as their lifetimes do not overlap.", "内存复用|同一段字节先后存放多个张量，因为它们的生命周期互不重叠。";
    WholeLife: "whole life|Kept during the whole run, as variables and constants are, though needed at some steps only.", "全程|在整个运行期间保留，如变量与常量，尽管只在部分时间步需要。";
    Storage: "storage|The bytes that one tensor, or several views, refer to.", "存储|一个张量或多个视图所指的那些字节。";
    Residency: "residency|One uninterrupted stay of a storage in memory. After an eviction the next may lie elsewhere.", "驻留|存储在内存中一次不间断的停留。逐出之后，下一次可位于别处。";

    // Places in the arena.
    FreeRange: "free range|Free bytes in one piece at the same steps, between two tensors or up to the top.", "空闲区间|同一段时间步内连成一段的空闲字节，位于两个张量之间或直到顶部。";
    Gap: "gap|Free addresses between tensors that are live together with a new one: where it might lie.", "空隙|与新张量同时存活的张量之间的空闲地址：它可能放入的位置。";
    Contiguous: "contiguous|In one piece, with no bytes of others between. Every tensor has to lie like this.", "连续|成一整段，其间没有别的字节。每个张量都必须这样放置。";
    Deployed: "deployed plan|The plan that a toolchain made, as its dump has it.", "已部署的计划|由工具链得出、记录在其转储中的计划。";
    Waste: "waste|What the arena has beyond the bytes that are needed at the peak, split by reason.", "浪费|内存区超出峰值所需的字节，按原因拆分。";
    Spilled: "spilled|Bytes of tensors that found no room in the pool that they prefer.", "溢出|在首选内存池中放不下的张量的字节。";

    // How plans are made.
    StaticPlanning: "static planning|Every address is chosen before the run. Nothing is allocated while it goes on.", "静态规划|所有地址在运行前选定，运行期间不再分配。";
    Greedy: "greedy|Goes through the tensors once, in a fixed order, and never takes a choice back.", "贪心|按固定顺序逐个处理张量，只一遍，从不收回选择。";
    FirstFit: "first fit|Takes the lowest gap that is large enough.", "首次适配|取足够大的空隙中地址最低者。";
    BestFit: "best fit|Takes the smallest gap that is large enough.", "最佳适配|取足够大的空隙中最小者。";
    Breadth: "breadth|All bytes that are live while an operator runs. Strategies by breadth begin where that is most.", "宽度|一个算子运行时存活的全部字节。按宽度的策略从最大处开始。";
    Skyline: "skyline|The upper edge of what is placed so far. Such strategies fill its lowest part next.", "天际线|已放置部分的上边缘。此类策略接着填充其最低处。";
    LeftEdge: "left edge|In order of first steps each tensor takes an object that is free again: no way needs fewer objects.", "左边缘算法|按首步顺序，每个张量取一个已空出的对象：所需对象数最少。";
    GraphColoring: "graph colouring|Tensors in conflict get different colours. What has one colour shares one object.", "图着色|相互冲突的张量取不同颜色，同色者共用一个对象。";
    LocalSearch: "local search|Changes an order or a schedule a little, again and again, and keeps what is better.", "局部搜索|反复对顺序或调度作小改动，保留更好者。";
    BranchAndBound: "branch and bound|Tries choices as a tree, and leaves out branches that cannot beat the best so far.", "分支定界|把各种选择展开成树，略去不可能优于目前最好者的分支。";
    Effort: "effort|How much a search may try. After that it stops, with the best so far.", "搜索预算|搜索最多可尝试多少。用尽即停止，取目前最好者。";
    Film: "film|Plays the decisions of a strategy, one by one.", "回放|逐个播放策略的决定。";
    WhatIf: "what if|Tensors are moved by hand. It is said at once what is wrong then, and how large the arena becomes.", "假如|手动移动张量，随即得知哪里不对、内存区变为多大。";
    Sweep: "sweep|Plans once for each value, such as each batch, and draws how the bytes grow.", "扫描|对每个取值（如每个批量）各规划一次，画出字节数如何增长。";

    // What is certain.
    Proof: "proof|Shows that nothing smaller exists: the bound is met, or a search has ruled out all that is smaller.", "证明|说明不存在更小者：已达到下界，或搜索已排除一切更小者。";
    Witness: "witness|The tensors that make a lower bound: whatever the plan, they need so many bytes.", "见证|构成下界的那些张量：无论何种计划，它们都需要这么多字节。";
    Judge: "judge|Checks each plan against every rule, whoever made it, and lists what is broken.", "检验|按全部规则检查每个计划，无论由谁得出，并列出被违反的规则。";
    Run: "run|Computes the model with every tensor at its planned address, and watches which bytes are written.", "运行|让每个张量位于计划的地址来计算模型，并监视哪些字节被写入。";
    Corrupted: "spoiled plan|One tensor was moved on purpose onto another that is still needed. The run must fail.", "被破坏的计划|故意把一个张量移到仍被需要的另一个之上。其运行必须失败。";
    Culprit: "culprit|The operator that wrote over bytes that were still needed.", "肇事者|覆写了仍被需要的字节的算子。";
    Victim: "victim|The tensor whose bytes were overwritten while it was still needed.", "受害者|仍被需要时字节就遭覆写的张量。";

    // What a compiler changes first.
    Pass: "pass|Rewrites the graph before it is planned, as fusion does. What is computed stays the same.", "pass|在规划之前改写计算图，如融合。计算结果不变。";
    Stage: "stage|The graph after one more pass, and what that has saved.", "阶段|又经一个 pass 之后的计算图，以及由此节省的量。";
    Fusion: "fusion|Operators that follow one another become one. What was between them needs no memory.", "算子融合|前后相接的算子合为一个，其间的张量不再占内存。";
    View: "view|A tensor without bytes of its own: it reads those of another by its shape and strides.", "视图|没有自己字节的张量：按自己的形状与步长读取另一张量的字节。";
    Stride: "stride|How far apart neighbours along a dimension lie in memory, in elements.", "步长|沿某一维相邻的元素在内存中相隔多少个元素。";
    Concat: "concatenation in place|Each piece is written where the whole has it, so that nothing is copied.", "原地拼接|各部分直接写入其在整体中的位置，无需拷贝。";
    Copied: "copied bytes|What is read and written only to be moved.", "拷贝量|仅为搬移而读写的字节。";
    ElementWise: "element-wise|Each element of the result depends only on those at the same place: it may be written over them.", "逐元素|结果的每个元素只取决于同一位置的元素，因此可以写在其上。";

    // Training.
    Training: "training step|Forward pass, backward pass, update. What the backward pass reads stays in memory, or comes back.", "训练步|前向、反向、更新。反向要读取的内容须留在内存中，或重新得到。";
    BackwardPass: "backward pass|Computes the gradients from the last operator to the first, and reads what the forward pass saved.", "反向传播|从最后一个算子到第一个依次计算梯度，并读取前向保存的内容。";
    Gradient: "gradient|How the loss changes with each element of a tensor. It is as large as that tensor.", "梯度|损失随张量的每个元素如何变化。它与该张量一样大。";
    Optimizer: "optimizer|Changes the weights by their gradients. It may keep one or two values for each weight.", "优化器|按梯度更新权重，可能为每个权重保存一两个值。";
    MixedPrecision: "mixed precision|Values take 2 bytes, not 4. Trained weights are kept once more in 4.", "混合精度|值占 2 字节而非 4 字节。受训权重另存一份 4 字节副本。";
    Rank: "rank|One device of those that train together. Ranks of one stage of a pipeline hold as much as each other.", "rank|一同训练的设备之一。流水线同一阶段的各设备占用相同。";
    Zero: "ZeRO|Replicas divide what each of them would keep whole: optimizer state (1), gradients (2), weights (3). FSDP is the same.", "ZeRO|各副本划分原本各自完整保留的内容：优化器状态（1）、梯度（2）、权重（3）。完全分片的数据并行与之相同。";
    TensorParallel: "tensor parallel|Each device computes a part of every product of matrices; partial results are added up over all of them.", "张量并行|每台设备计算各矩阵乘的一部分；部分结果在设备间求和。";
    PipelineParallel: "pipeline|Each device has some layers. Micro-batches pass from one to the next, and back.", "流水线|每台设备拥有若干层。微批依次经过各设备，再返回。";
    Collective: "collective|A step in which devices exchange what they have: all-gather, reduce-scatter, all-reduce, all-to-all.", "集合通信|各设备交换数据的一步：全收集、归约散发、全归约、全交换。";
    Batch: "batch|The samples that are computed at once. Activations grow with their number, weights do not.", "批量|一次计算的样本数。激活随之增大，权重不变。";
    Checkpoint: "checkpoint|An activation that is kept for the backward pass. What lies between two is computed again.", "检查点|为反向传播保留的激活。两个检查点之间的则重新计算。";
    Recomputation: "recomputation|What was dropped is computed again when it is needed: less memory, more work.", "重计算|被丢弃的张量在需要时再算一次：内存更少，计算更多。";
    Eviction: "eviction|A tensor gives up its bytes to make room. If it is needed, it has to be computed again.", "逐出|张量被逐出内存以腾出位置。若还需要，须重新计算。";
    Dtr: "DTR|Dynamic tensor rematerialization. It evicts during the run what is cheap to compute again, large and long unused.", "DTR|动态重计算。在运行中逐出重算代价小、体积大且久未使用者。";
    Lru: "LRU (least recently used)|Evicts what was not used for longest, whatever it costs to compute again.", "LRU（最近最少使用）|逐出最久未使用者，不论重算代价多大。";
    Staleness: "staleness|How long a tensor has not been used.", "闲置时间|张量有多久未被使用。";
    Coop: "Coop|Evicts tensors that are neighbours in memory together, so that the free bytes are in one piece.", "Coop|把内存中相邻的张量一并逐出，使空出的字节连成一段。";
    Budget: "budget|The most bytes that values may take at any step.", "预算|任一时间步，值最多可占的字节数。";
    Overhead: "overhead|The work or time that computing again adds to a step.", "开销|重新计算给一步增加的工作量或时间。";
    Swapping: "swapping|Moves a tensor to the memory of the host, and back before it is used again.", "交换|把张量移到主机内存，在再次使用前移回。";
    FreeTime: "FreeTime|The time between two uses of a tensor, less that for moving it away and back.", "空出时间|张量两次使用之间的时间，减去移出与移回所需的时间。";

    // Allocators.
    Allocator: "allocator|Hands out memory during the run, without knowing what will be asked for next.", "分配器|在运行期间分出内存，而不知道之后还会请求什么。";
    CachingAllocator: "caching allocator|Keeps what is given back for later requests. What it has reserved can be more than what is in use.", "缓存分配器|把归还的内存留给之后的请求。其预留的可能多于在用的。";
    Segment: "segment|Memory that an allocator took from the device at once, and cuts into blocks.", "段|分配器一次从设备取得的内存，再切分成块。";
    Block: "block|A part of a segment: what one request was given, or what is free.", "块|段的一部分：一次请求所得，或空闲部分。";
}

/// The terms by the names that elements of the page have for them.
pub(crate) const TERMS: [(&str, Term); 113] = [
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
    ("operator", Term::Operator),
    ("graph", Term::Graph),
    ("activation", Term::Activation),
    ("input", Term::Input),
    ("output", Term::Output),
    ("state", Term::State),
    ("order", Term::Order),
    ("schedule", Term::Schedule),
    ("dependency", Term::Dependency),
    ("stream", Term::Stream),
    ("parallel-safety", Term::ParallelSafety),
    ("skip-connection", Term::SkipConnection),
    ("reference-count", Term::ReferenceCount),
    ("liveness", Term::Liveness),
    ("half-open", Term::HalfOpen),
    ("pause", Term::Pause),
    ("conflict", Term::Conflict),
    ("memory-reuse", Term::MemoryReuse),
    ("whole-life", Term::WholeLife),
    ("storage", Term::Storage),
    ("residency", Term::Residency),
    ("free-range", Term::FreeRange),
    ("gap", Term::Gap),
    ("contiguous", Term::Contiguous),
    ("deployed", Term::Deployed),
    ("waste", Term::Waste),
    ("spilled", Term::Spilled),
    ("static-planning", Term::StaticPlanning),
    ("greedy", Term::Greedy),
    ("first-fit", Term::FirstFit),
    ("best-fit", Term::BestFit),
    ("breadth", Term::Breadth),
    ("skyline", Term::Skyline),
    ("left-edge", Term::LeftEdge),
    ("graph-coloring", Term::GraphColoring),
    ("local-search", Term::LocalSearch),
    ("branch-and-bound", Term::BranchAndBound),
    ("effort", Term::Effort),
    ("film", Term::Film),
    ("what-if", Term::WhatIf),
    ("sweep", Term::Sweep),
    ("proof", Term::Proof),
    ("witness", Term::Witness),
    ("judge", Term::Judge),
    ("run", Term::Run),
    ("spoiled", Term::Corrupted),
    ("culprit", Term::Culprit),
    ("victim", Term::Victim),
    ("pass", Term::Pass),
    ("stage", Term::Stage),
    ("fusion", Term::Fusion),
    ("view", Term::View),
    ("stride", Term::Stride),
    ("concat", Term::Concat),
    ("copied", Term::Copied),
    ("element-wise", Term::ElementWise),
    ("training", Term::Training),
    ("backward-pass", Term::BackwardPass),
    ("gradient", Term::Gradient),
    ("optimizer", Term::Optimizer),
    ("mixed-precision", Term::MixedPrecision),
    ("rank", Term::Rank),
    ("zero", Term::Zero),
    ("tensor-parallel", Term::TensorParallel),
    ("pipeline", Term::PipelineParallel),
    ("collective", Term::Collective),
    ("batch", Term::Batch),
    ("checkpoint", Term::Checkpoint),
    ("recomputation", Term::Recomputation),
    ("eviction", Term::Eviction),
    ("dtr", Term::Dtr),
    ("lru", Term::Lru),
    ("staleness", Term::Staleness),
    ("coop", Term::Coop),
    ("budget", Term::Budget),
    ("overhead", Term::Overhead),
    ("swapping", Term::Swapping),
    ("free-time", Term::FreeTime),
    ("allocator", Term::Allocator),
    ("caching-allocator", Term::CachingAllocator),
    ("segment", Term::Segment),
    ("block", Term::Block),
];

/// Other names of the same, as lessons and papers have them.
pub(crate) const ALIASES: [(&str, Term); 31] = [
    ("offset", Term::Address),
    ("lower-bound", Term::Bound),
    ("live-sum", Term::LiveBytes),
    ("profile", Term::LiveBytes),
    ("high-water-mark", Term::Peak),
    ("exact-search", Term::Exact),
    ("tag", Term::SharedObject),
    ("object", Term::SharedObject),
    ("buffer", Term::Tensor),
    ("intermediate", Term::Activation),
    ("span", Term::HalfOpen),
    ("live-range", Term::Lifetime),
    ("interference", Term::Conflict),
    ("memory-sharing", Term::MemoryReuse),
    ("without-reuse", Term::Naive),
    ("external-fragmentation", Term::Fragmentation),
    ("internal-fragmentation", Term::Padding),
    ("inplace", Term::InPlace),
    ("graph-colouring", Term::GraphColoring),
    ("heuristic", Term::Greedy),
    ("weight", Term::Constant),
    ("forward-pass", Term::Training),
    ("backpropagation", Term::BackwardPass),
    ("gradient-checkpointing", Term::Checkpoint),
    ("rematerialization", Term::Recomputation),
    ("offload", Term::Swapping),
    ("threshold", Term::Budget),
    ("least-recently-used", Term::Lru),
    ("spoil", Term::Corrupted),
    ("spill", Term::Spilled),
    ("dump", Term::Deployed),
];
