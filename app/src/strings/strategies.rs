//! One sentence on what each strategy does.

use planner::{Family, Strategy};

use super::{Language, Word, chinese};

/// Rows `Variant: English, Chinese;`.
macro_rules! sentences {
    ($($strategy:ident: $en:literal, $zh:literal;)*) => {
        const SENTENCES: &[(Strategy, &str)] = &[$((Strategy::$strategy, $en)),*];

        /// The sentences in Chinese, in the same order.
        pub(super) const CHINESE: &[&str] = &[$($zh),*];
    };
}

/// What a strategy does, in one sentence; without one, where it comes from.
pub(crate) fn strategy(strategy: Strategy, language: Language) -> &'static str {
    let Some(index) = SENTENCES.iter().position(|(of, _)| *of == strategy) else {
        return strategy.description().source;
    };
    let chinese = match language {
        Language::En => None,
        Language::Zh => chinese(),
    };
    chinese
        .and_then(|chinese| chinese.strategies.get(index).copied())
        .unwrap_or(SENTENCES[index].1)
}

sentences! {
    Naive: "Every tensor gets its own place; nothing is reused.", "每个张量独占位置，不复用。";
    Equality: "A free object is reused only for a tensor of exactly its size.", "仅当大小完全相同时复用空闲对象。";
    GreedyInOrder: "In order of first use, each tensor takes the free object closest in size.", "按首次使用顺序，选择大小最接近的空闲对象。";
    GreedyByBreadth: "The operators with the most live bytes choose their objects first.", "活跃内存最多的算子优先选择对象。";
    GreedyBySize: "Large tensors first, into the object that was or will be in use nearest in time.", "大张量优先，放入时间上最接近的对象。";
    GreedyBest: "The smaller of by-size and by-breadth.", "取按大小与按宽度中较小者。";
    MinCostFlow: "Matches each object's next user by minimum-cost flow over growth.", "以最小费用流匹配对象的后续使用者。";
    OffsetsBySize: "Large tensors first, each into the smallest gap that fits.", "大张量优先，放入最小的合适空隙。";
    OffsetsByBreadth: "The operators with the most live bytes place their tensors first, best gap.", "活跃内存最多的算子先放置，选最佳空隙。";
    OffsetsInOrder: "In order of first use, each into the smallest gap that fits.", "按首次使用顺序，放入最小的合适空隙。";
    StripBestFit: "Fills the lowest line of the skyline with the longest-lived tensor that fits.", "用存活最久的张量填充天际线最低处。";
    LitertArena: "What lives for the whole run first, then large tensors first, each into the gap that fits most closely, measured with LiteRT's quirk.", "先放置全程存活者，再按从大到小放入最贴合的空隙，并保留 LiteRT 的度量偏差。";
    TflmGreedy: "Large tensors first, each into the first gap that fits, not the best one.", "大张量优先，放入第一个合适的空隙，而非最佳空隙。";
    Xnnpack: "Large tensors first, best gap, but the gap below the lowest neighbour is never seen.", "大张量优先，选最佳空隙，但从不查看最低相邻者下方的空隙。";
    IreeSlices: "In program order without sorting by size, each into the gap that fits most closely.", "按程序顺序、不按大小排序，放入最贴合的空隙。";
    ExecutorchGreedy: "Large tensors first, into the first object of fixed size that is free or has room above its users.", "大张量优先，放入首个空闲、或其使用者上方仍有空间的固定大小对象。";
    OnnxruntimePattern: "Replays one run: each request takes the best block that is free then, or goes to the end.", "重放一次运行：每个请求取当时最合适的空闲块，否则放到末尾。";
    XlaSpatial: "Large tensors first, longer-lived ones before, each into the closest free chunk.", "大张量优先，同大小时存活更久者优先，放入最贴合的空闲块。";
    XlaTemporal: "Long-lived tensors first, larger ones before, each into the closest free chunk.", "存活最久者优先，同时长时更大者优先，放入最贴合的空闲块。";
    XlaBest: "The smaller of XLA's two orders, by size and by duration.", "取 XLA 两种顺序（按大小、按时长）中较小者。";
    UsmpBySize: "Large tensors first, each on top of everything that it conflicts with; gaps below are not searched.", "大张量优先，叠放在所有冲突者之上；不搜索下方空隙。";
    UsmpByConflicts: "Tensors with the most conflicts first, each on top of everything that it conflicts with.", "冲突最多者优先，叠放在所有冲突者之上。";
    UsmpHillClimb: "500 seeded attempts: two tensors around the peak swap places in the order, and better orders are kept.", "以固定种子尝试 500 次：在顺序中交换峰值附近的两个张量，保留更好的顺序。";
    NnvmTokens: "In execution order, each takes a free token of up to 16 times its size, or else a smaller one that grows.", "按执行顺序，取不超过 16 倍大小的空闲存储块，否则取较小者并扩大。";
    NnvmAuto: "Token sharing with match ranges 1, 2, 4, 8 and 16; the smallest total is kept.", "以 1、2、4、8、16 五种匹配范围共享存储块，取总量最小者。";
    NnvmColors: "Tokens are shared only along a path of operators, so that paths may run at the same time.", "存储块只在同一条算子路径内共享，使各路径可以并行。";
    MegenginePushdown: "Best fit decides who lies above whom; then everything is pushed down as far as that order lets it.", "以最佳适配决定上下次序，再按此次序将一切尽量下移。";
    MegengineIntervalMove: "Long-lived tensors first; what is in the way is moved up where that costs the peak least.", "存活最久者优先；在对峰值代价最小处将阻挡者上移。";
    MegengineBestFit: "Replays one run with the closest free block, splitting and merging blocks.", "重放一次运行，取最贴合的空闲块，并拆分与合并。";
    GgmlGallocr: "As llama.cpp, once passes and inputs are those of ggml: each request takes the smallest free block, the highest of equal ones, or grows the end of a chunk.", "所选 pass 与输入同 ggml 时即 llama.cpp：每个请求取最小的合适空闲块（同样大小取地址最高者），否则增长某一段的末尾。";
    Stalloc: "One size after the other, the largest first: into layers of that size, each layer reused where it became free last; smaller sizes first go on top of what larger layers hold.", "按大小逐类规划，最大者优先：同样大小者分入若干层，每次复用最晚空出的层；较小者先叠入更大的层。";
    TensorflowBfc: "TensorFlow's allocator at run time: bins of free chunks, best fit, split and merged again.", "TensorFlow 的运行时分配器：按档位存放空闲块，最佳适配，拆分并重新合并。";
    PytorchCaching: "PyTorch's allocator at run time: cached segments of rounded sizes, split and reused.", "PyTorch 的运行时分配器：缓存取整大小的段，拆分并复用。";
    Gmlake: "PyTorch's allocator in chunks of 2 MiB: large requests get a virtual range over free chunks that lie apart; addresses are virtual, what is reserved counts.", "以 2 MiB 块工作的 PyTorch 分配器：大请求得到由分散空闲块拼接的虚拟区间；地址是虚拟的，以实际保留量为准。";
    Tlsf: "tinygrad's planner: free blocks in lists by size class, and the oldest block of the first list in which all are large enough.", "tinygrad 的规划器：空闲块按大小类别排入链表，取首个全部足够大的链表中最早的块。";
    ColoringFirstUse: "Tensors as nodes, conflicts as edges: in order of first use, each takes the first colour free around it; a colour is an object.", "张量为节点、冲突为边：按首次使用顺序取相邻者未用的首个颜色；一种颜色即一个对象。";
    ColoringBySize: "The same colouring, the largest tensor first.", "同样的着色，最大的张量优先。";
    ColoringWelshPowell: "The same colouring, the tensor with the most conflicts first.", "同样的着色，冲突最多者优先。";
    ColoringDsatur: "The same colouring, next the tensor whose neighbours show the most colours.", "同样的着色，接着选相邻颜色最多的张量。";
    ColoringLeftEdge: "In order of start, each into the first free object: the fewest objects, whatever their sizes.", "按起始时间放入首个空闲对象：对象数最少，不论大小。";
    Skyline: "Always the tensor that can lie lowest now, ties by one of 13 orders; the best order is kept.", "总是放置当前可放得最低的张量，平局由 13 种顺序之一决定，取最好的顺序。";
    Best: "Size-first and skyline plans; if the bound is not met, exact and local search look for a smaller arena.", "先取按大小与天际线的计划；未达下界时，再以精确搜索与局部搜索缩小内存区。";
    Exact: "Branch and bound: searches until no plan can be smaller, or the effort is spent; of several pools each for itself.", "分支定界：搜索到不存在更小的计划，或用尽预算为止；多个内存池时各自单独搜索。";
}

/// The heading over the strategies of a family.
pub(crate) fn family(family: Family) -> Word {
    match family {
        Family::Baseline => Word::FamilyBaseline,
        Family::TfliteGpu => Word::FamilyTfliteGpu,
        Family::Deployed => Word::FamilyDeployed,
        Family::Online => Word::FamilyOnline,
        Family::Coloring => Word::FamilyColoring,
        Family::Packing => Word::FamilyPacking,
        Family::Search => Word::FamilySearch,
    }
}
