//! What is said where the cheapest way to make a training step fit is looked for.

use super::words;

words! {
    /// A string about the advisor.
    AdvisorWord, advisor;

    Title: "The cheapest way to make it fit", "使其装得下的最省办法";
    Hint: "Time by a stated model: operations over the device's rate, bytes over its links, what a pipeline waits. Each way is a schedule that the judge has passed, and requests that are all met.", "时间按所述模型：运算量除以设备速率，字节数除以链路速率，再加流水线等待。每种办法都是经判定的调度，且所有请求均得到满足。";
    NoDevice: "Choose a device above: its memory and its rates are what it is about.", "请先在上面选择设备：问的就是它的内存与速率。";
    Devices: "Devices", "设备数";
    Batch: "Samples of a step", "每步样本数";
    BatchHint: "Over all devices", "所有设备合计";
    May: "May be changed", "可改动";
    Find: "Find it", "查找";
    Starts: "Looks at the step…", "查看训练步……";
    Working: "Looks at way {} of {}", "查看第 {} 种，共 {} 种";
    FitsAsIs: "It fits as it is: {} of {}. Nothing is changed.", "原样即可：{}，设备有 {}。无需改动。";
    Fits: "It fits with {}: {} of {}, {} a step ({} without limit). Nothing cheaper was found under these rules.", "改动 {} 即装得下：{}，设备有 {}；每步 {}（不限内存时 {}）。在这些规则下没有更省的办法。";
    FitsUntimed: "It fits with {}: {} of {}. Nothing cheaper was found under these rules.", "改动 {} 即装得下：{}，设备有 {}。在这些规则下没有更省的办法。";
    FitsNot: "It does not fit. The closest way needs {} more than the {} of the device (changed: {}).", "装不下：最接近的办法比设备的 {1} 还多需 {0}（改动：{2}）。";
    NothingFound: "{} {sample|samples} cannot be shared evenly among {} {device|devices}, nor can the step be divided otherwise: choose a multiple, or fewer devices.", "{} 个样本无法平均分给 {} 台设备，训练步也没有别的切分方式：请取其倍数，或减少设备。";
    Stopped: "It was stopped: what was looked at so far.", "已停止：以下为已查看的部分。";
    Rules: "{} {way|ways} to make a step, {} {schedule|schedules}; {} passed over because {it|they} would take longer. Policies: {}.", "共 {} 种做法，{} 个调度；另有 {} 种因更费时而略过。策略：{}。";
    AsIs: "nothing", "无";
    Cases: "Ways that were looked at", "查看过的办法";
    Changes: "Changed", "改动";
    Time: "Time", "时间";
    Computes: "computing {}, swapping {}, sending {}, idle {}", "计算 {}，等待换入换出 {}，通信 {}，空闲 {}";
    Needs: "Device has to have", "设备须有";
    Missing: "Missing", "缺";
    Take: "Plan it", "规划它";
    Front: "Time against memory: every way, and those that no other beats in both", "时间与内存：所有办法，以及两者都不被超越的";
    Of: "{} of {} shown; all of them in the CSV", "显示 {} / {} 种；CSV 中有全部";
    Csv: "All as CSV", "全部导出 CSV";
    Settings: "allocator settings", "分配器设置";
    SetToNone: "set_to_none", "set_to_none";
    InPlace: "in-place ReLU", "原地 ReLU";
    Passes: "operator order", "算子顺序";
    Arena: "planned arena", "事先规划";
    Compile: "torch.compile", "torch.compile";
    Recompute: "recomputation", "重计算";
    Swap: "swapping", "换入换出";
    Pack: "lossless packing", "无损压缩";
    Bits: "fewer bits", "更少位数";
    Micro: "micro-batches", "微批";
    Zero: "ZeRO", "ZeRO";
    Divide: "tensor, context, pipeline, experts", "张量、上下文、流水线、专家";
    Offload: "optimizer on the host", "优化器在主机";
    Then: ", ", "、";
}
