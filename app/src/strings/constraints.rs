//! What is said of constraints: fixed addresses, pauses, handovers, pools; of what a link could
//! not be taken at its word for; and how a CSV is written.

use super::words;

words! {
    /// A string about constraints or links.
    ConstraintWord, constraints;

    // Fixed addresses.
    ClashTitle: "No strategy can plan this: two fixed addresses collide.", "任何策略都无法规划：两个固定地址冲突。";
    ClashBlock: "“{}” is fixed at {} and takes {}, {}.", "“{}”固定在 {}，占 {}，{}。";
    ClashStep: "Both need the same bytes at step {}.", "两者在第 {} 步需要相同的字节。";
    ClashRemedy: "Give one of the two another address or lifetime in the file, or leave its address open, and open the file again.", "请在文件中更改其中一个的地址或生命周期，或不固定其地址，然后重新打开文件。";
    ClashShort: "No plan: fixed addresses collide, see above.", "无法规划：固定地址冲突，见上方。";
    PlanClash: "No plan: “{}” at {} and “{}” at {} stay where they are, and both need the same bytes at step {}.", "无法规划：“{}”（位于 {}）与“{}”（位于 {}）保持原位，但两者在第 {} 步需要相同的字节。";
    Unaligned: "{} {fixed address is|fixed addresses are} no multiple of the alignment and {is|are} kept all the same: {}.", "{} 个固定地址不是对齐值的倍数，仍予保留：{}。";
    UnalignedAt: "“{}” at {}", "“{}”位于 {}";
    UnalignedHere: "{} (no multiple of {}: a fixed address goes before the alignment)", "{}（不是 {} 的倍数：固定地址优先于对齐）";

    // What strategies leave unused.
    PausesUnused: "gaps unused", "未利用间隙";
    PausesUnusedHint: "This strategy plans whole spans: what a tensor does not need during its gaps stays reserved.", "此策略按完整生命周期规划：张量在间隙中不需要的字节仍被占用。";
    HandoversUnused: "writing in place unused", "未利用原地写入";
    HandoversUnusedHint: "This strategy keeps tensors apart that may be written over each other.", "此策略将可相互覆盖的张量分开放置。";
    UnusedIn: "{}: {}", "{}：{}";
    PausesOf: "Gaps", "间隙";
    PauseNothing: "{}: nothing needed", "{}：无需内存";
    PauseWindow: "{}: only bytes {} to {}", "{}：只需字节 {} 至 {}";
    CandidatesOf: "May live in", "可放入";
    CandidateUnknown: "pool {}", "内存池 {}";
    WrittenOver: "May be written over", "可覆盖";

    // Pools.
    PoolsOptimal: "Optimal (bound met, fewest bytes moved)", "最优（达到下界，搬移字节最少）";
    PoolsOptimalHint: "No plan for these pools moves fewer bytes, and none has a smaller sum of pools.", "对这些内存池，不存在搬移更少字节的计划，也不存在总和更小的计划。";
    FewestMoved: "Fewest bytes moved", "搬移字节最少";
    NothingMoved: "Nothing moved", "无搬移";
    FewestMovedHint: "No plan for these pools moves fewer bytes. The sum of the pools is at least {}; whether a sum below that of this plan is possible is not known.", "对这些内存池，不存在搬移更少字节的计划。各池之和至少为 {}；能否小于此计划的总和尚不清楚。";
    MustMove: "At least {} must move", "至少须搬移 {}";
    MustMoveHint: "Whatever the plan, so much cannot stay in the pools that it prefers. Whether fewer bytes than in this plan can be moved is not known. The sum of the pools is at least {}.", "无论何种计划，至少这些字节无法留在首选内存池中。能否比此计划搬移更少尚不清楚。各池之和至少为 {}。";
    SumMet: "Sum meets the bound", "总和达到下界";
    SumMetHint: "No plan has a smaller sum of pools; with other pools holding other tensors fewer bytes might be moved.", "不存在各池总和更小的计划；换一种分配或许能搬移更少字节。";
    PoolsInFile: "The file says which pools its tensors may live in, counted from 0. Add pools, or that is left aside.", "文件指定了张量可放入的内存池（从 0 编号）。请添加内存池，否则将不予考虑。";
    PoolsTooFew: "The file names pool {}, counted from 0, and there are too few: add pools.", "文件提到内存池 {}（从 0 编号），但内存池数量不足：请添加。";

    // Larger than no reuse.
    AboveNaive: "Larger than naive", "大于不复用";
    FactNaive: "Larger than naive", "大于不复用的情况";
    NaiveItself: "It is what others are measured against.", "它是其他策略的比较基准。";
    NaivePadding: "Only where blocks are aligned: how much padding lies between them depends on their order.", "仅在有对齐要求时：块间填充取决于放置次序。";
    NaiveBlocks: "Wherever sizes are no multiples of {}: it gives out whole blocks of that size.", "当大小不是 {} 的倍数时：它按整块分配。";
    NaiveSegments: "Wherever sizes are no multiples of {}, its blocks, or its segments of 2 MiB and 20 MiB, which lie end to end, stay empty in part.", "当大小不是块大小 {} 的倍数，或首尾相接的 2 MiB 与 20 MiB 段未填满时。";

    // Effort.
    EffortRange: "at least 1", "至少为 1";
    EffortOutside: "An effort is a whole number, at least 1. The former value stays.", "预算须为至少为 1 的整数。保留原值。";

    // Links.
    LinkIgnored: "This link says something that is not known here and was left out; the rest holds.", "此链接中有无法识别的内容，已忽略；其余部分有效。";
    LinkPart: "“{}”: known: {}.", "“{}”：可用的是 {}。";
    KnownStrategies: "the names in the table of strategies, “deployed” for the plan in a file, and “none”", "策略表中的名称、表示文件中计划的“deployed”，以及“none”";
    KnownNoPlan: "what this file has, and it brings no plan", "此文件所含的内容，而它不含计划";
    KnownTraining: "a policy, a batch from 1 on and, where there is one, a budget in bytes", "策略、从 1 起的批量，以及（如有）以字节计的预算";
    KnownAlign: "powers of two from 1 to 4,294,967,296", "1 到 4,294,967,296 之间的 2 的幂";
    KnownLargest: "a whole number of bytes, at least 1", "至少为 1 的整数字节";
    KnownColumns: "what columns mean and their names, as in size:nbytes", "列的含义与列名，如 size:nbytes";
    KnownPools: "names, each once, with “:” and bytes if it has a limit, at most 8", "名称（各出现一次），若有上限则加“:”与字节数，最多 8 个";
    KnownEffort: "two whole numbers, nodes and moves, each at least 1", "两个整数（节点数与移动数），各至少为 1";
    KnownPlan: "a plan as this page packs it", "此页面打包的计划";
    KnownGraph: "the text of an edited graph as this page packs it; one of more than 4 kB is not in a link: open its .graph file instead", "此页面打包的、编辑后的图文本；超过 4 kB 的文本不在链接中：请改为打开其 .graph 文件";
    KnownArena: "an arena of this file, counted from 0", "此文件的内存区，从 0 编号";
    KnownView: "four numbers: two steps and two addresses, ascending", "四个数：两个步与两个地址，递增";
    KnownStep: "whole numbers from 0 up", "从 0 起的整数";
    KnownBind: "a dimension of the model, “:” and a whole number from 1 up", "模型的维度、“:”及从 1 起的整数";
    KnownSelect: "the names of this file's tensors", "此文件中张量的名称";
    KnownEdit: "a strategy, “:” and tensors with “@” and an address", "策略、“:”以及带“@”和地址的张量";

    // Help.
    CsvTitle: "Columns of a CSV", "CSV 的列";
    CsvNeeded: "Needed, in any order, separated by commas, semicolons or tabs; “upper” is exclusive, “end” may stand for it, inclusive. Bytes are written as 4096, 0x1000, 1_000 or 1.5MiB: a KiB is 1024 bytes, a kB 1000. Of other column names the page asks what they mean.", "必需，次序任意，以逗号、分号或制表符分隔；“upper” 不含在内，可用含在内的 “end” 代替。字节数可写作 4096、0x1000、1_000 或 1.5MiB：KiB 为 1024 字节，kB 为 1000 字节。若列名不同，页面会询问其含义。";
    CsvPauses: "Steps at which the buffer is not needed, as lower-upper; with @first:behind those of its bytes stay needed. Several are separated by spaces.", "不需要该缓冲区的步，写作 lower-upper；加 @first:behind 表示这些字节仍需要。多个以空格分隔。";
    CsvFixed: "The address where it has to start, in bytes; -1 or nothing for none.", "必须起始的地址（字节）；-1 或留空表示无。";
    CsvPools: "The pools that it may live in, by number from 0, the preferred first, separated by spaces. Nothing means all.", "可放入的内存池，从 0 编号，首选在前，以空格分隔。留空表示全部。";
    CsvOther: "What the file calls it, else its row's number; its alignment, a name, and the address of a plan that is to be judged. Addresses run over all pools, which lie end to end in their order.", "文件中的标识（缺省为行号）、对齐、名称，以及待检验计划中的地址。地址贯穿所有内存池：各池按次序首尾相接。";
}
