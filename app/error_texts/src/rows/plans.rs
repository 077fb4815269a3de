//! What is said of plans: the judge, strategies, limits.

use super::table;

table! {
    "pool {}": "内存池 {}";
    "the plan has offsets for {} of {} buffers": "计划只给出 {1} 个缓冲区中 {0} 个的偏移";
    "{} ends beyond 64 bits": "{} 的末尾超出 64 位";
    "{} ends at {}, behind the arena of {} bytes": "{} 结束于 {}，超出 {} 字节的内存区";
    "{} starts at {}, not a multiple of {}": "{} 开始于 {}，不是 {} 的倍数";
    "{} starts at {} but is fixed at {}": "{} 开始于 {}，但固定在 {}";
    "{} and {} are live at the same step and share bytes": "{} 与 {} 在同一步存活并共用字节";
    "{} and {} both need the same bytes at step {}": "{} 与 {} 在第 {} 步都需要相同的字节";
    "{} and {} share bytes at their common step, which they may only if {} starts exactly {} bytes behind the start of {}": "{} 与 {} 在共同的步中共用字节，仅当 {} 恰好开始于 {4} 起点之后 {3} 字节处才允许";
    "the object list has {} sizes, {} offsets and {} buffers": "对象列表有 {} 个大小、{} 个偏移与 {} 个缓冲区";
    "{} is given to object {}, which does not exist": "{} 分配到对象 {}，但该对象不存在";
    "{} is larger than its object {}": "{} 大于其对象 {}";
    "{} does not start where its object {} starts": "{} 的起点不是其对象 {} 的起点";
    "{} and {} are live at the same step in object {}": "{} 与 {} 在同一步存活于对象 {} 中";
    "objects {} and {} share bytes": "对象 {} 与 {} 共用字节";
    "object {} ends behind the arena of {} bytes": "对象 {} 的末尾超出 {} 字节的内存区";
    "the plan does not say who lives in which pool, of {} asked for": "计划未说明谁位于哪个内存池，而要求 {} 个内存池";
    "the pool list has {} bases, {} sizes and {} buffers where {} pools are asked for": "内存池列表有 {} 个基址、{} 个大小与 {} 个缓冲区，而要求 {} 个内存池";
    "{} is given to pool {}, which does not exist": "{} 分配到内存池 {}，但该内存池不存在";
    "{} may not live in {}": "{} 不得放入 {}";
    "{} does not lie inside its {}": "{} 不在其 {} 之内";
    "{} has {} bytes but {} are used": "{} 的容量为 {} 字节，但使用了 {}";
    "{} and {} share bytes": "{} 与 {} 共用字节";
    "{} ends behind the arena of {} bytes": "{} 的末尾超出 {} 字节的内存区";

    "the fixed address of {}": "{} 的固定地址";
    "the gaps of {}": "{} 的间隙";
    "the handover to {}": "到 {} 的交接";
    "the alignment of {}": "{} 的对齐";
    "the pool {}": "内存池 {}";
    "{} pools, of which {} is the first": "{} 个内存池，其中第一个是 {}";

    "more than {} buffers by size over shared objects": "以共享对象按大小规划超过 {} 个缓冲区";

    "no strategy is called {}; there are {}": "没有名为 {} 的策略；可用的是 {}";

    "a minimum-cost flow over more than {} buffers": "对超过 {} 个缓冲区求最小费用流";

    "planning was cancelled": "规划已取消";
    "the arena goes beyond 64 bits at buffer {}": "内存区在缓冲区 {} 处超出 64 位";
    "this strategy cannot plan {}": "此策略无法规划{}";
    "buffer {} finds no room: pool {} would need {} bytes and has {}": "缓冲区 {} 放不下：内存池 {} 需要 {} 字节，而只有 {}";

    "shared objects with the fixed address of {}": "带有 {} 的固定地址的共享对象";
    "more than 2^32 shared objects": "超过 2^32 个共享对象";

    "more than {} pairs of conflicting buffers by colouring": "以着色规划超过 {} 对冲突的缓冲区";

    "more than {} buffers in shared objects": "共享对象中超过 {} 个缓冲区";

    "more than {} buffers in layers": "分层规划超过 {} 个缓冲区";

    "a turn of a loop has at least one step": "循环的一轮至少有一步";
    "the last step is {}": "最后一步是 {}";
    "{} is live for {} steps, longer than the {} of a turn": "{} 存活 {} 步，超过一轮的 {} 步";
    "the trace does not say it": "跟踪记录没有说明";
    "more than {} requests are too many to search for a plan": "超过 {} 个请求，不再搜索计划";

    "more than {} buffers by moving intervals": "以移动区间规划超过 {} 个缓冲区";

    "a hill climb over more than {} buffers": "对超过 {} 个缓冲区爬山";

    "pools, such as {}": "内存池，例如 {}";

    "by an allocator that decides at each request": "（每次请求时才决定的分配器）";
    "the fixed address of {} {}": "{} 的固定地址{}";

    "{} in pool {}, of which there are {}": "{} 位于内存池 {}，而内存池共 {} 个";
    "the fixed address of {} in another pool than the first": "{} 位于首个以外的内存池的固定地址";

    "the fixed addresses of {} and {} collide at step {}, so that there is no plan, whatever the strategy: move one of the two, or leave its address open": "{} 与 {} 的固定地址在第 {} 步冲突，因此任何策略都没有计划：请移动其中之一，或不固定其地址";
    "{} (bytes {} to {}, steps {} to {})": "{}（字节 {} 至 {}，第 {} 至 {} 步）";

    "refused at step {}": "第 {} 步未满足的请求";
    "more than {} requests that failed, and frames of them": "失败的请求及其栈帧超过 {} 个";
    "a request that failed is at a step from that of the one before, {}, up to {} (exclusive)": "失败的请求所在的步应从前一个请求的第 {} 步起，到第 {} 步为止（不含）";

    "with {} all sizes together reach 2^62 bytes": "加上 {} 后所有大小之和达到 2^62 字节";
    "its offset {} is beyond what can be planned, 2^62 bytes": "偏移 {} 超出可规划的范围（2^62 字节）";
}
