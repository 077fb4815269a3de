//! What is said of a deployed plan: its arenas, what its file says of a buffer, and what a
//! better plan saves.

use super::words;

words! {
    /// A string about deployed plans.
    DeployedWord, deployed;

    // The plan that came with what is open.
    InFile: "Plan in the file", "文件中的计划";
    FromLink: "Plan from a link", "链接中的计划";
    MadeBy: "{} ({})", "{}（{}）";
    GivenInFile: "In the file", "文件中";
    GivenInLink: "From the link", "链接中";

    // The document.
    By: "Planned by {}", "规划工具：{}";
    Arenas: "Program", "程序";
    ArenasHint: "All arenas of the file: first those where a request failed, then devices with the most memory and other arenas with the most avoidable bytes. One at a time is shown and planned.", "文件中的所有内存区：请求失败者在前，其次设备按内存从多到少，其他内存区按可避免字节从多到少。每次显示并规划一个。";
    Takes: "Bytes", "字节";
    Floor: "Bound", "下界";
    Avoidable: "Avoidable", "可避免";
    AvoidableHint: "Bytes beyond the lower bound: no plan saves more.", "高于下界的字节：任何计划都无法节省更多。";
    Unnamed: "arena {}", "内存区 {}";
    ArenaCount: "{} {arena|arenas}", "{} 个内存区";
    FrameCount: "{} source {line|lines}", "{} 个源代码行";
    ChooseArena: "Show {}: {}", "显示 {}：{}";

    Arguments: "Arguments", "参数";
    Outputs: "Outputs", "输出";
    Aliased: "of these, written over arguments", "其中覆写参数";
    Donatable: "of the others, could be written over arguments", "其余中可覆写参数";
    Reusable: "of the temporary, would fit into arguments", "临时中可放入参数";
    Temporary: "Temporary", "临时";
    Constants: "Constants", "常量";
    ThreadLocal: "Of each thread, once", "各线程（计一次）";
    AllOnce: "Each byte once", "每字节计一次";
    AtLeast: "All that the toolchain knows of, at least", "工具链所知的全部，至少";
    Remarks: "{} {remark|remarks} on this file.", "对此文件有 {} 条说明。";

    // Replanning.
    Replan: "Better plan", "更好的计划";
    Deployed: "Deployed", "已部署";
    Bound: "Lower bound", "下界";
    Unrounded: "{} without the allocator's rounding", "不计分配器取整为 {}";
    OverBound: "+{} over the bound", "高于下界 {}";
    AtBound: "at the bound", "等于下界";
    ReplanNow: "Replan", "重新规划";
    ReplanHint: "Plans the same lifetimes under the same constraints with “best”, and shows both plans side by side.", "以“best”在相同约束下重新规划相同的生命周期，并并排显示两个计划。";
    SideBySide: "Show side by side", "并排显示";
    SideBySideHint: "Shows the plan in the file beside the best one, and hides all others.", "并排显示文件中的计划与最佳计划，隐藏其他计划。";
    Separate: "Separate allocations", "单独分配";
    SeparateHint: "Every one of them has its own memory for the whole run. They are laid end to end only to be seen: this is not an arena that could be planned.", "其中每一个在整个运行期间都有自己的内存。首尾相接只为便于查看：这不是可以规划的内存区。";
    NotListed: "{} not listed", "{} 未列出";
    NotListedUnsaid: "more, not listed", "其余未列出";
    NotListedHint: "The file lists the largest tensors only: what it says in all has more, and the lower bound is \"at least\".", "文件只列出最大的张量：其总量还有更多，下界为“至少”。";
    BlocksReach: "taken from the device; blocks reach {}", "取自设备；块最高至 {}";
    ReservedReach: "reserved at its peak; blocks reach {}", "峰值时的预留；块最高至 {}";
    BlocksReachHint: "The most that the allocator held from the device at a time, in segments. Its blocks end at the second figure in the picture.", "分配器同时从设备持有的最大字节数，按段计。图中各块止于第二个数值。";
    Saves: "saves {}", "节省 {}";
    SavesHint: "The plan in the file takes {}, this one {}: {} less.", "文件中的计划占 {}，此计划占 {}：少 {}。";
    Saved: "Saved", "节省";
    SavedIs: "{} ({})", "{}（{}）";
    NothingSaved: "Nothing: no plan of these lifetimes is smaller.", "无：这些生命周期不存在更小的计划。";
    PlacedOnly: "No plan of the blocks that were placed is smaller; the request that failed is none of them.", "已放置的块不存在更小的计划；失败的请求不在其中。";
    NothingFound: "Nothing smaller was found.", "未找到更小的计划。";
    WrongOwn: "The judge rejects this plan, so its size says nothing: see its picture.", "检验未通过此计划，其大小无意义：见其图像。";
    MoreOwn: "{} more: “best” does not find it here.", "多 {}：“best”在此处未找到它。";
    Wrong: "The judge rejects the deployed plan, so its size says nothing: see its picture.", "检验未通过已部署的计划，其大小无意义：见其图像。";
    MoreNeeded: "Nothing: “best” takes {} more than the plan in the file.", "无：“best”比文件中的计划多占 {}。";

    // A buffer.
    Role: "Kind", "种类";
    WrittenBy: "Written by", "写入者";
    Source: "Made from", "来源";
    Computation: "Computation", "所属计算";
    Aliases: "Also called", "别名";
    Held: "Held", "占用";
    Pinned: "pinned: never written over, needed only at {}", "已固定：从不被覆盖，仅在 {} 需要";
    WholeLife: "for the whole run, needed only at {}", "整个运行期间，仅在 {} 需要";
    Pending: "given back, but still used by another stream; needed only at {}", "已归还，但另一个流仍在使用；仅在 {} 需要";
    Uses: "Read at", "读取于";
    Stack: "Allocated in {}", "分配于 {}";
    RuntimeFrames: "{} {frame|frames} of the runtime", "运行时的 {} 帧";
    StackMore: "{} {frame|frames}", "{} 帧";
    CopyStack: "Copy the stack", "复制调用栈";
    InPause: "Here nothing of it is needed: a gap of {}", "此处不需要它：{} 的间隙";
}
