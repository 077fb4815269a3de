//! What is said of changes and of what they save.

use super::words;

words! {
    /// A string about what could be changed.
    AdviceWord, advice;

    Tab: "Advice", "建议";
    Title: "What to change, and what it saves", "可以改什么，能省多少";
    Traced: "{} reserved at the peak, configured as: {}. Every row is this trace, replayed with the change.", "峰值时预留 {}，配置为：{}。每一行都是带该改动重放这条轨迹的结果。";
    Planned: "Arena of {}. Every row places its tensors anew, with the change.", "内存区 {}。每一行都是带该改动重新放置张量的结果。";
    Uncertain: "Replayed under its own configuration it is {}: what the program held when the trace began, or when its cache was emptied, is not all known, and the rows below are as uncertain.", "按其自身配置重放得到 {}：轨迹开始时程序已占用的内容，或何时清空过缓存，并非全部已知，下列各行同样不确定。";
    Limited: "With this limit the same configuration reserves {}: that is what every row saves from.", "在此容量下，相同配置预留 {}：各行的节省以此为准。";
    BaseFailed: "{} {request|requests} {finds|find} no room as long as nothing is changed.", "不作改动时有 {} 个请求放不下。";
    Limit: "Replayed with room for {}.", "重放时的容量为 {}。";
    LimitLowest: "Replayed with room for {}, the lowest possible: the limit is less than {}.", "重放时的容量为 {}，即可能的最低值：限额低于 {}。";
    AllFit: "All {} {request|requests} fit in {}.", "全部 {} 个请求都能放入 {}。";
    MetInReplay: "Replayed without a change, a request that failed fits: the replay is not the process.", "不作改动的重放中，失败的请求可以放下：重放与实际进程不同。";
    NoLimit: "No limit is known: garbage_collection_threshold acts only under one, as torch.cuda.set_per_process_memory_fraction sets it.", "容量未知：garbage_collection_threshold 只在有限额时生效，例如由 torch.cuda.set_per_process_memory_fraction 设定。";
    Nothing: "There is nothing to advise: advice is about one arena that a toolchain planned, or about a memory snapshot.", "没有可给的建议：建议针对由工具链规划的单个内存区，或内存快照。";
    Working: "Replay {} of {}", "正在重放第 {} 次，共 {} 次";
    Starts: "The first replay begins…", "即将开始第一次重放……";
    Others: "What other allocators would reserve", "其他分配器会预留多少";
    OthersAsk: "Compare", "比较";
    OthersHint: "The same requests, replayed. Those that know all requests in advance plan them at once; the others see one at a time.", "对同一批请求的重放。事先知道全部请求者一次规划，其余逐个处理。";
    Allocator: "Allocator", "分配器";
    Reserved: "Reserved", "预留";
    Used: "Used", "利用率";
    AsItWas: "as it was", "实际情况";
    CachingAllocator: "PyTorch's caching allocator", "PyTorch 缓存分配器";
    Expandable: "expandable_segments", "expandable_segments";
    Gmlake: "GMLake, stitching", "GMLake（拼接）";
    Tlsf: "TLSF", "TLSF";
    Stalloc: "STAlloc, in advance", "STAlloc（事先规划）";
    BestPlan: "best plan in advance", "最佳事先规划";
    LowerBound: "lower bound", "下界";
    Repeats: "One iteration as it repeats", "循环往复的一次迭代";
    RepeatsHint: "Plans these steps as one turn of a loop without an end: what is live over their end is live at their beginning, too, at the same addresses. It opens beside this case.", "将这些步作为无尽循环的一轮来规划：越过末尾仍存活者，在开头也存活，且地址相同。将在旁边打开。";
    FirstStep: "First step", "首步";
    EndStep: "up to, without", "至（不含）";
    OpenRepeats: "Plan it beside", "在旁边规划";
    Device: "Device memory", "设备内存";
    DeviceHint: "24 GiB; empty: as in the file", "例如 24 GiB；留空则采用轨迹所示";
    NotBytes: "This is no number of bytes. Write it as in 24 GiB.", "这不是字节数。请写成 24 GiB 的形式。";
    Replay: "Replay", "重放";
    EmptyAt: "empty_cache before step", "在此步之前 empty_cache";

    Change: "Change", "改动";
    Saves: "Saves", "节省";
    SavesAtMost: "Saves at most", "最多节省";
    ThenReserved: "Reserved after it", "改动后预留";
    ThenArena: "Arena after it", "改动后内存区";
    ThenNeeded: "Needed at the peak after it", "改动后峰值所需";
    Useless: "{} {change that saves|changes that save} nothing, or {costs|cost} more", "{} 项不节省或代价更高的改动";
    WithLimit: "with torch.cuda.set_per_process_memory_fraction", "需配合 torch.cuda.set_per_process_memory_fraction";
    Most: "Largest saving: {} ({})", "最大节省：{}（{}）";
    Fits: "fits", "可放下";
    SomeFit: "{} of {} fit", "可放下 {} 个（共 {} 个）";
    FitsWith: "Every request fits with {}.", "使用 {} 时所有请求都有空间。";
    FitsWithout: "It would fit if this were not held: {}.", "若不占用以下内容则可放下：{}。";
    FitsNever: "No setting, no empty_cache and no other order that was tried meets every request: with {} one of the settings would, {} more than there are.", "试过的设置、empty_cache 和其他顺序都不能满足所有请求：容量为 {} 时其中一种设置可以，比可用的多 {}。";
    FitsNeverLowest: "No setting, no empty_cache and no other order that was tried meets every request: with {} one of the settings would, at most {} more than there are.", "试过的设置、empty_cache 和其他顺序都不能满足所有请求：容量为 {} 时其中一种设置可以，最多比可用的多 {}。";
    Failed: "{} {request|requests} without room", "{} 个请求没有空间";

    PlanTitle: "Load another plan", "加载另一个计划";
    PlanHint: "Other addresses for the same tensors at the same times. Look at both side by side, and take the better one home with Export.", "相同的张量、相同的时刻，不同的地址。可并排查看，并用“导出”带走更好的计划。";
    SideBySide: "Side by side", "并排显示";
    SettingsTitle: "Configure the allocator", "配置分配器";
    SettingsHint: "The value of PYTORCH_CUDA_ALLOC_CONF.", "PYTORCH_CUDA_ALLOC_CONF 的值。";
    Copy: "Copy", "复制";
    CopyHint: "Copy {}", "复制 {}";
    EmptyTitle: "Empty the cache at one place", "在某处清空缓存";
    EmptyHint: "torch.cuda.empty_cache() gives back segments in which nothing is live, but for those of private pools. What is asked for later is reserved again, so that less is saved than is free.", "torch.cuda.empty_cache() 归还其中没有存活内容的段（私有池除外）。之后的请求会再次预留，因此节省少于空闲量。";
    EmptyRow: "before step {}", "第 {} 步之前";
    OrderTitle: "Allocate in another order", "改变分配顺序";
    OrderHint: "What is never given back lies between what is, and keeps its segments from becoming free. Asked for first, it lies together; it is held for longer then.", "从不归还的内容夹在会归还的内容之间，使其所在的段无法空出。若先分配它们，它们会聚在一起，但占用得更久。";
    OrderRow: "{} {tensor|tensors} that stay, before anything else", "先分配 {} 个一直保留的张量";
    HeldTitle: "Do not hold what the peak does not use", "不占用峰值处用不到的内容";
    HeldHint: "Held at step {}, where most is needed, and not used there: given back before, and made again after. What making it again needs itself is not counted.", "在需求最大的第 {} 步占用但并未使用：之前归还，之后重新得到。重新得到时自身所需的字节不计在内。";
    TraceTitle: "Do not hold it over the peak", "不在峰值时占用";
    TraceHint: "Held at step {}, where most is needed: asked for before and given back later. Whether it is used then the file does not say. If not, it could be given back before and made again after. What making it again needs itself is not counted.", "在需求最大的第 {} 步占用：此前申请，之后才归还。文件未说明此时是否使用。若未使用，可在之前归还，之后重新得到。重新得到时自身所需的字节不计在内。";
    FailedTitle: "Do not hold it over the failure", "不在请求失败时占用";
    FailedHint: "Held at step {}, where a request failed: asked for before and given back later. Whether it is used then the file does not say. If not, it could be given back before and made again after. What making it again needs itself is not counted.", "在请求失败的第 {} 步占用：此前申请，之后才归还。文件未说明此时是否使用。若未使用，可在之前归还，之后重新得到。重新得到时自身所需的字节不计在内。";
    FailedUsed: "Everything that is held at the failure is given back right after it: whether it is used then the file does not say.", "请求失败时占用的一切紧接着就归还：文件未说明此时是否使用。";
    FailedEmpty: "Nothing is held at the failure: what was asked for alone finds no room.", "请求失败时没有任何占用：仅这一请求就放不下。";
    TraceUsed: "Everything that is held at the peak is asked for there, or given back right after it: whether it is used then the file does not say.", "峰值处占用的一切都在此时申请，或紧接着归还：文件未说明此时是否使用。";
    AllUsed: "At the peak everything that is held is used there: only smaller tensors, or operators in another order, lower it.", "峰值处占用的一切都在使用：只有更小的张量或改变算子顺序才能降低它。";
    LastingTitle: "Keep elsewhere what stays", "把一直保留的内容放到别处";
    LastingHint: "It stays to the end, as parameters and the state of an optimizer do.", "它们一直保留到结束，如参数和优化器状态。";
    Row: "{}, {} {tensor|tensors}", "{}，{} 个张量";

    Checkpoint: "recompute in the backward pass: torch.utils.checkpoint around this call", "在反向传播中重新计算：对该调用使用 torch.utils.checkpoint";
    Gradients: "gradients: zero_grad(set_to_none=True) before that step", "梯度：在该步之前 zero_grad(set_to_none=True)";
    Optimizer: "temporaries of the optimizer: foreach=False has fewer at a time", "优化器的临时张量：foreach=False 使同时存在的更少";
    Free: "del before that step, or make it again after it", "在该步之前 del，或在其后重新得到";
    Remat: "jax.checkpoint around what makes it", "对产生它的部分使用 jax.checkpoint";
    Elsewhere: "on the host, on other devices, or in fewer bits", "放到主机、其他设备，或用更少的位表示";
    Recompute: "compute it again after the peak, or reorder the model", "在峰值之后重新计算，或调整模型的顺序";

    DonateTitle: "Donate arguments", "捐赠（donate）参数";
    DonateHint: "Results of the same size could be written over these arguments: donate_argnums, where their types are the same, too. Counted in pairs over the whole program.", "大小相同的结果可以覆写这些参数：若类型也相同，可用 donate_argnums。按对计算，针对整个程序。";
    ReuseTitle: "Use arguments that hold little", "利用占用很少的参数";
    ReuseHint: "Arguments that are written over hold little for a while, a counter or so, while temporary values of their size lie elsewhere. The remarks on this file say which. Keep such counters out of donated arguments, for example by not donating them, or by donating another argument.", "被覆写的参数在一段时间内只占用很少（例如计数器），而同等大小的临时值放在别处。具体见对此文件的说明。可避免这类计数器占用已捐赠的参数，例如不捐赠它，或改为捐赠另一个参数。";
    FlagTitle: "Schedule for less memory", "以更少内存为目标的调度";
    FlagXla: "For XLA on a CPU (as its sources of 2026 have it): depth first, where it otherwise schedules for concurrency.", "用于 CPU 上的 XLA（依据其 2026 年源码）：深度优先，而默认以并发为目标。";
    FlagXlaGpu: "For XLA on a GPU, as its sources of 2026 have it (not tried): the percentage of the memory that schedule and rematerialization keep to; 95 where nothing is said.", "用于 GPU 上的 XLA，依据其 2026 年源码（未试）：调度与重新物化所遵守的内存百分比；默认为 95。";
    FlagXlaRerun: "For XLA on a TPU, as its guide to flags of 2026 has it (not tried): the schedule is made anew so often, each time with a lower limit; once where nothing is said.", "用于 TPU 上的 XLA，依据其 2026 年标志指南（未试）：重新调度的次数，每次降低内存上限；默认为一次。";
    FlagXlaSerial: "For XLA on a TPU, as its guide to flags of 2026 has it (not tried): communication no longer runs beside the computation, which costs time.", "用于 TPU 上的 XLA，依据其 2026 年标志指南（未试）：通信不再与计算同时进行，会更慢。";
    FlagIree: "Dispatches run at the same time only where that needs no more memory.", "仅在不增加内存时才并发执行 dispatch。";
    FlagVela: "For Vela (Ethos-U; seen with 5.2), unless this log was made with it: the schedule that needs least SRAM, where it is otherwise made for speed.", "用于 Vela（Ethos-U；在 5.2 版中验证），除非此日志已使用该选项：采用 SRAM 需求最小的调度，而默认以速度为目标。";
    FlagHint: "What it saves is not measured: the file does not have that schedule.", "能省多少未测量：文件中没有该调度。";
}
