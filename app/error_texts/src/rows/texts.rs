//! What comes as a text, because files hold it too: what readers and replays call what has no name,
//! what parsers of JSON are told to expect, and where strategies come from and what they cost.

use super::table;

table! {
    "{}: scratch {}": "{}：暂存 {}";
    "Vela {}": "Vela {}";
    "slice {}": "切片 {}";
    "{} more": "另有 {} 个";
    "{} (step {})": "{}（步 {}）";
    "{} reads": "{} 读";
    "{} writes": "{} 写";
    "{} writes {}": "{} 写 {}";
    "input or weight": "输入或权重";
    "recompute {}": "重新计算 {}";
    "{} + … + {} ({} operators)": "{} + … + {}（{} 个算子）";
    "{}, spoiled": "{}，已破坏";
    "step {}": "第 {} 步";
    "no reuse": "不复用";
    "the browser gave no reason": "浏览器未给出原因";
    "before the range": "范围之前";
    "before recording": "记录开始之前";
    "{} starts": "{} 开始";
    "{} ends": "{} 结束";
    "caching allocator": "缓存分配器";
    "{}stream {}": "{}流 {}";
    ", pool ({}, {})": "，内存池（{}，{}）";
    "before the trace": "跟踪之前";
    "free requested": "请求释放";
    "free completed": "完成释放";
    "segment alloc": "分配段";
    "segment free": "释放段";
    "segment map": "映射段";
    "segment unmap": "取消映射段";
    "out of memory: {} bytes asked for, {} free on the device": "内存不足：请求 {} 字节，设备剩余 {}";

    "an array of events": "事件数组";
    "an object of objects": "由对象组成的对象";
    "a whole number from 0 up, as text": "以文本写出的非负整数";
    "a layer is its name, the layers that it reads, operations, bytes and parameters": "一层包括名称、所读的层、运算量、字节数与参数个数";

    "by size and skyline, a short exact search, local search on the order, exact again": "按大小与天际线，短时精确搜索，对次序的局部搜索，再次精确搜索";
    "STAlloc, Synthesizer": "STAlloc 的 Synthesizer";
    "GMLake, CUDACachingAllocator (Guo et al. 2024)": "GMLake，CUDACachingAllocator（Guo 等 2024）";
    "tinygrad, TLSFAllocator; Masmano et al. 2004": "tinygrad，TLSFAllocator；Masmano 等 2004";
    "graph colouring, largest first": "图着色，最大者优先";
    "graph colouring, in order of first use": "图着色，按首次使用的次序";
    "Hashimoto and Stevens 1971, left edge": "Hashimoto 与 Stevens 1971，左边界";
    "Welsh and Powell 1967": "Welsh 与 Powell 1967";
    "ExecuTorch, memory_planning greedy": "ExecuTorch，memory_planning 的 greedy";
    "LiteRT, ArenaPlanner and SimpleMemoryArena": "LiteRT，ArenaPlanner 与 SimpleMemoryArena";
    "MXNet/nnvm, automatic match range": "MXNet/nnvm，自动匹配范围";
    "MXNet/nnvm, tokens shared within a colour (Chen et al. 2015)": "MXNet/nnvm，存储块在同色内共享（Chen 等 2015）";
    "MXNet/nnvm, PlanMemory, match range 16": "MXNet/nnvm，PlanMemory，匹配范围 16";
    "XNNPACK, memory planner before its issue 10800": "XNNPACK，issue 10800 之前的内存规划器";
    "TFLite GPU delegate, EQUALITY": "TFLite GPU 委托，EQUALITY";
    "TFLite GPU delegate, GREEDY_BEST": "TFLite GPU 委托，GREEDY_BEST";
    "MiniMalloc (Moffitt 2023), branch and bound": "MiniMalloc（Moffitt 2023），分支定界";
    "greedy of MiniMalloc (Moffitt 2023), first descent, best of 13 orders": "MiniMalloc 的贪心（Moffitt 2023），首次下降，取 13 种次序中最好者";
    "Pisarchyk and Lee 2020 (arXiv 2001.03288), as in TFLite": "Pisarchyk 与 Lee 2020（arXiv 2001.03288），同 TFLite";
    "Pisarchyk and Lee 2020 (arXiv 2001.03288)": "Pisarchyk 与 Lee 2020（arXiv 2001.03288）";
    "Lee et al. 2019 (arXiv 1907.01989), as in TFLite GREEDY_IN_ORDER": "Lee 等 2019（arXiv 1907.01989），同 TFLite 的 GREEDY_IN_ORDER";
    "Lee et al. 2019, as in TFLite MINCOSTFLOW": "Lee 等 2019，同 TFLite 的 MINCOSTFLOW";
    "Sekiyama et al. 2018 (arXiv 1804.10001), after Burke et al. 2004": "Sekiyama 等 2018（arXiv 1804.10001），依据 Burke 等 2004";
    "no reuse: what reuse is measured against": "不复用：用于衡量复用的基准";
    "best fit in execution order": "按执行次序的最佳适配";
    "O(n log n + conflicts)": "O(n log n + 冲突数)";
    "O((n + conflicts) log n)": "O((n + 冲突数) log n)";
    "O(n · objects · log n)": "O(n · 对象数 · log n)";
    "O(n · layers · log n)": "O(n · 层数 · log n)";
    "O(n · live)": "O(n · 存活数)";
    "500 attempts of O(n · k log k)": "500 次 O(n · k log k) 的尝试";
    "exponential, up to its budget": "指数级，直至用尽预算";
    "O(n²), O(n² · objects) at worst": "O(n²)，最坏 O(n² · 对象数)";
    "O(n log² n) per order": "每种次序 O(n log² n)";
    "O(n log n), O(n²) at worst": "O(n log n)，最坏 O(n²)";
}
