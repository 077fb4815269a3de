//! What the readers of snapshots and traces say, and replays of them.

use super::table;

table! {
    "the pickle ends here, {} bytes from byte {} on are missing": "pickle 在此结束，缺少从字节 {1} 起的 {0} 字节";

    "an event of another trace": "另一跟踪的事件";
    "{} events, of which at most {} can be held at once; {}": "共 {} 个事件，最多可同时保留 {} 个；{}";
    "{} events in {}, of which at most {} can be held at once; {}": "{1} 内共 {0} 个事件，最多可同时保留 {2} 个；{3}";
    "none of its {} events lies in the range that was given; {}": "其 {} 个事件均不在给定范围内；{}";
    "most is in use after event {}, within {}..{}": "事件 {} 之后占用最多，它在 {}..{} 之内";
    "a request failed at event {}, within {}..{}": "事件 {} 处有请求失败，它在 {}..{} 之内";
    "more than {} addresses outside the range": "范围之外的地址超过 {} 个";
    "it has no events of which a range could be read: only a memory snapshot of PyTorch has": "其中没有可按范围读取的事件：只有 PyTorch 的内存快照才有";
    "{} events before the range: {} blocks that ended there are left out, {} that began there are still in use": "范围之前有 {} 个事件：其间结束的 {} 个块已略去，其间开始的 {} 个块仍在使用";
    "{} events after the range: {} blocks that began there are left out": "范围之后有 {} 个事件：其间开始的 {} 个块已略去";
    "{} requests failed outside the range, the first at event {}": "范围之外有 {} 个请求失败，第一个在事件 {} 处";
    "{}: left out": "{}：已略去";
    "annotation lies outside the range": "条注记位于范围之外";
    "annotations lie outside the range": "条注记位于范围之外";

    "device_traces, device {}": "device_traces，设备 {}";
    "host_traces, event {}": "host_traces，事件 {}";
    "host segment {}": "主机内存段 {}";
    "pinned host memory": "主机锁页内存";
    "device {}, event {}": "设备 {}，事件 {}";
    "it ends beyond 64 bits": "结束处超出 64 位";
    "the file does not say for which pool a request was that failed: free blocks of every pool count, and a replay asks for it in none": "文件未说明失败的请求属于哪个内存池：各池的空闲块都计入，重放时不在任何池中请求";

    "{} is {}, below zero": "{} 为 {}，小于零";
    "a whole number": "整数";
    "{} is missing": "缺少 {}";
    "a list": "列表";
    "fields": "字段";
    "end": "末尾";
    "a text": "文本";
    "{} is {}, not {}": "{} 为{}，而不是{}";

    "a truth value": "布尔值";
    "a dict": "字典";
    "a floating-point number": "浮点数";
    "a whole number outside of -2^63 to 2^63 - 1": "-2^63 至 2^63 - 1 之外的整数";

    "{} bytes behind the pickle are ignored": "pickle 之后的 {} 字节已忽略";
    "a memory snapshot in which no block was ever handed out: record with torch.cuda.memory._record_memory_history() and dump again": "此内存快照中从未分配过块：请用 torch.cuda.memory._record_memory_history() 记录后重新转储";

    "pickle protocol {}, of which we read 2 to 5": "pickle 协议为 {}，可读取的是 2 到 5";
    "{} would make Python look up or call something; a memory snapshot is plain data, and nothing is executed here": "{} 会让 Python 查找或调用对象；内存快照只是数据，此处不执行任何代码";
    "{} belongs to protocol 0, of which we read 2 to 5": "{} 属于协议 0，可读取的是 2 到 5";
    "{} is no opcode": "{} 不是操作码";
    "nothing is remembered as number {}": "编号 {} 处没有记住任何内容";
    "number {} is beyond what can be remembered so far": "编号 {} 超出目前可记住的范围";
    "a number of {} bytes": "数字长 {} 字节";
    "{} is no list": "{}不是列表";
    "{} is no dict": "{}不是字典";
    "a key without a value": "有键而没有值";
    "there is no mark on the stack": "栈上没有标记";
    "its values need more than {} bytes of memory: record fewer events, as with torch.cuda.memory._record_memory_history(max_entries=100000)": "其值需要超过 {} 字节的内存：请少记录一些事件，如 torch.cuda.memory._record_memory_history(max_entries=100000)";
    "the oldest events are lost, for more came than the {} that were kept: record with a larger max_entries= to see them": "最早的事件已丢失，因为发生的事件多于所保留的 {} 个：要看到它们，请以更大的 max_entries= 记录";
    "the oldest events are lost, for more came than were kept: record with a larger max_entries= to see them": "最早的事件已丢失，因为发生的事件多于所保留的：要看到它们，请以更大的 max_entries= 记录";
    "its text cannot be read, at {}": "其文本无法读取：{}";
    "write KEY:VALUE": "应写为 KEY:VALUE";
    "write True or False": "应写 True 或 False";
    "write a number of MiB above 20": "应写大于 20 的 MiB 数";
    "write a number between 0 and 1": "应写 0 与 1 之间的数";
    "write a power of two, or a list such as [256:1,512:2,>:8]": "应写 2 的幂，或如 [256:1,512:2,>:8] 的列表";
    "set, and not modelled: {}": "已设置但未建模：{}";
    "it takes more from the stack than is there": "从栈中取出的多于栈中所有";

    "segment {}": "段 {}";
    "segment {}, block {}": "段 {}，块 {}";
    "more than {} blocks": "超过 {} 个块";
    "the state \"{}\" is not known": "状态 \"{}\" 无法识别";

    "{}, no PyTorch memory snapshot, which is a dict with \"segments\" as torch.cuda.memory._dump_snapshot() writes it": "{}，而不是 PyTorch 内存快照；后者是含 \"segments\" 的字典，由 torch.cuda.memory._dump_snapshot() 写出";
    "a pickled dict whose \"segments\" are {}": "这是 pickle 字典，其 \"segments\" 为{}";
    "a pickled dict without \"segments\"": "这是没有 \"segments\" 的 pickle 字典";
    "a pickled list": "这是 pickle 列表";
    "a pickle of {}": "这是{}的 pickle";
    "device {}": "设备 {}";
    "it is {}, not a dict": "它是{}，而不是字典";
    "it is {}, not a list": "它是{}，而不是列表";
    "its trace is {}, not a list": "其跟踪为{}，而不是列表";
    "a device beyond {}": "设备编号超过 {}";
    "not known and left out: {}": "无法识别，已略去：{}";
    "not known and without effect: {}": "无法识别，没有影响：{}";
    "{} without a name, or no event at that time": "{} 没有名称，或该时刻没有事件";
    "{} without function and file left out": "{} 没有函数与文件，已略去";
    "\"{}\" ({} times)": "\"{}\"（{} 次）";
    "and {} more": "另有 {} 个";

    "allocation holds no value": "个分配不含任何值";
    "allocations hold no value": "个分配不含任何值";
    "{}: {} bytes that nothing uses": "{}：{} 字节未被使用";
    "{} values have no bytes and are left out": "{} 个值没有字节，已略去";
    "{} more allocations hold several values in turn: they are shown whole": "另有 {} 个分配先后容纳多个值：按整块显示";
    "there is no allocation with a value in it": "没有含值的分配";
    "its size is rounded in the text: it is taken to end where its values end": "文本中的大小经过取整：视为止于其值的末尾";
    "value {} ({})": "值 {}（{}）";
    "{} values have no lifetime: they are shown for the whole run": "{} 个值没有生命周期：按整个运行期间显示";
    "every address is a multiple of {}, which is taken for the alignment: the dump does not say it": "所有地址都是 {} 的倍数，视之为对齐：转储未予说明";
    "parameter {}": "参数 {}";
    "{} other allocations, end to end": "另外 {} 个分配，首尾相接";
    "allocation {}": "分配 {}";
    "all allocations together are longer than any memory": "所有分配之和长于任何内存";
    "{} of them are thread-local: the dump does not say when they live": "其中 {} 个为线程局部：转储未说明其存活时间";

    "`{}` is no allocation": "`{}` 不是分配";
    "more than {} allocations": "超过 {} 个分配";
    "`{}` is neither an allocation nor a value with its offset": "`{}` 既不是分配，也不是带偏移的值";
    "a value before the first allocation": "在首个分配之前出现了值";
    "more than {} values": "超过 {} 个值";
    "allocation {} is `{}`, which is not known": "分配 {} 为 `{}`，无法识别";

    "more than {} reads of parts of results": "对结果的各部分的读取超过 {} 次";

    "the live ranges of this module are": "此模块的生命周期";
    "the buffer assignment of this module is": "此模块的缓冲区分配";
    "the buffer assignment and the live ranges of this module are": "此模块的缓冲区分配与生命周期";
    "{} missing: open `*-buffer-assignment.txt` and `*-live-range.txt` of one module together, or its `*.hlo.pb` alone": "缺少{}：请一起打开同一模块的 `*-buffer-assignment.txt` 与 `*-live-range.txt`，或单独打开其 `*.hlo.pb`";
    "the allocations have {} bytes, but `Total bytes` says {}": "各分配共 {} 字节，但 `Total bytes` 为 {}";
    "{} has a live range in line {} too": "{} 在第 {} 行也有生命周期";
    "{} is live at the peak but has no live range": "{} 在峰值时存活，但没有生命周期";
    "{} has a live range ({}) but no address": "{} 有生命周期（{}），但没有地址";
    "{} has an address (line {}) but no live range": "{} 有地址（第 {} 行），但没有生命周期";
    "it ends before the live range of {}": "它在 {} 的生命周期之前结束";
    "{} has {} bytes (line {}), but {} at the peak ({})": "{} 占 {} 字节（第 {} 行），但在峰值处为 {}（{}）";
    "{} of them have no address": "其中 {} 个没有地址";

    "a list of numbers is too long": "数字列表过长";
    "there are two computations {}": "有两个计算 {}";

    "each of them is a module of its own": "其中每一个都是独立的模块";
    "the binary file says all that is shown: this one is not read, nor compared with it": "二进制文件已含显示的全部内容：此文件未读取，也未与之比较";

    "more than {} instructions, operands and parts of results": "超过 {} 个指令、操作数与结果的部分";
    "instruction {}": "指令 {}";
    "the schedule names it, but no computation has it": "调度中有它，但没有计算含有它";

    "color {}": "颜色 {}";
    "allocation {}, {}": "分配 {}，{}";

    "it has no buffer assignment: open the `.hlo.pb` that was written after the optimizations": "其中没有缓冲区分配：请打开优化之后写出的 `.hlo.pb`";
    "there are two values {}": "有两个值 {}";
    "number of an allocation": "分配的编号";
    "size of an allocation": "分配的大小";
    "number of a parameter": "参数的编号";
    "the {} is {}": "{}为 {}";
    "the simulator of the heap did {}, which is not known": "堆模拟器执行了 {}，无法识别";
    "no instruction makes it": "没有指令产生它";
    "allocation {}, value {}": "分配 {}，值 {}";
    "there is no such value": "不存在这样的值";
    "its offset or its size is below zero": "其偏移或大小小于零";

    "`{}` has no last step": "`{}` 没有末步";
    "`{}` is not step {}": "`{}` 不是第 {} 步";
    "`{}` is no live range": "`{}` 不是生命周期";
    "{} lives from {} to {}, of 0 to {}": "{} 的生命周期从 {} 到 {}，不在 0 到 {} 之内";
    "more than {} live ranges": "超过 {} 个生命周期";
    "`{}` is no size of a value": "`{}` 不是值的大小";

    "the module has no schedule, as before the optimizations and in the oldest builds: open its `*-buffer-assignment.txt`": "该模块没有调度，优化之前以及最早的构建都是如此：请打开其 `*-buffer-assignment.txt`";
    "computation {}": "计算 {}";
    "it calls itself": "它调用自身";
    "calls are nested too deep": "调用嵌套过深";
    "it is called but not there": "它被调用但不存在";
    "it runs twice": "它执行了两次";

    "the text ends within it: {}": "文本在其中结束：{}";
    "the text ends within the live ranges": "文本在生命周期之中结束";
    "the text ends within a shape": "文本在形状之中结束";
    "it holds at most {} of its {} bytes between steps {} and {}, while {} of {} bytes lies among the temporary values: {} would fit there if the others lay elsewhere": "第 {2} 步与第 {3} 步之间，其 {1} 字节中至多占用 {0} 字节，而 {5} 字节的 {4} 放在临时值之中：若其余内容移到别处，{6} 可放在这里";
    "its list of the largest buffers has none with a size": "其最大缓冲区列表中没有带大小的项";
    "largest in {}": "{} 中最大者";
    "peak buffers": "峰值处的缓冲区";
    "it has no size and is left out": "没有大小，已略去";
    "its end is missing: the text may be cut off": "缺少结尾：文本可能被截断";
    "the text has no addresses and lists the largest buffers only: they are shown end to end, with sizes as rounded as it has them where their shapes do not tell": "文本没有地址，且只列出最大的缓冲区：它们首尾相接显示；形状未说明时，大小按文本取整";
    "the text says {} bytes in all, but lists {} bytes: the list counts": "文本称共 {} 字节，但列出了 {} 字节：以列表为准";
    "more than {} samples, lines and texts": "样本、行与文本超过 {} 个";
    "it is a profile, but not one of bytes": "这是性能剖析，但不是字节的剖析";
    "it has fewer bytes than 0": "字节数小于 0";
    "more than {} devices": "超过 {} 个设备";
    "sample {}": "样本 {}";
    "no stack of it holds a byte": "其中没有调用栈占用字节";
    "it is one instant: it says who holds how much, but neither where nor for how long; what each stack holds is shown as one, end to end": "这是一个瞬间：它说明谁占用多少，但不说明位置与时长；每个调用栈占用的内容合为一项，首尾相接显示";
    "{} modules have no buffer assignment or no schedule and are left out": "{} 个模块没有缓冲区分配或调度，已略去";
    "the profile has no module with a buffer assignment: dump the module instead": "剖析文件中没有带缓冲区分配的模块：请改为转储该模块";
    "more than {} modules": "超过 {} 个模块";
    "more than {} arenas": "超过 {} 个内存区";
    "XLA says: `{}`": "XLA 的说明：`{}`";
    "it does not make {} of the values: its instructions are not used": "它不产生其中 {} 个值：不使用其指令";
    "a second `{}`": "第二个 `{}`";
    "a second `{}`, {} has one": "第二个 `{}`，{} 中已有一个";
    "`{}` is no number of bytes": "`{}` 不是字节数";
    "this line is not understood: `{}`": "无法理解此行：`{}`";
    "{} more lines are not understood": "另有 {} 行无法理解";
    "it tells neither offsets nor lifetimes: nothing of it is shown": "其中既无偏移也无生命周期：不显示任何内容";

    "the simulator of the heap knows it, but the module does not": "堆模拟器中有它，但模块中没有";
    "{} values were freed at another time than their last use: that time is taken": "{} 个值的释放时间并非末次使用：以释放时间为准";

    "`{}` says nothing of a used value": "`{}` 未说明所用的值";

    "never more than {} bytes were taken from the device at a time, but laid out so that nothing moves they reach {}: the arena shows them so": "同时从设备取得的字节从未超过 {}，但为使各块不移动而铺开后达到 {}：内存区按此显示";

    "block that is not handed out is given back": "个未分配的块被归还";
    "blocks that are not handed out are given back": "个未分配的块被归还";
    "block is given back twice": "个块被归还两次";
    "blocks are given back twice": "个块被归还两次";
    "the first time counts": "以第一次为准";
    "block is handed out that is still in use": "个仍在使用的块被再次分配";
    "blocks are handed out that are still in use": "个仍在使用的块被再次分配";
    "the earlier use ends there": "较早的使用在此结束";
    "block overlaps another that is in use": "个块与另一个使用中的块重叠";
    "blocks overlap others that are in use": "个块与其他使用中的块重叠";
    "shown as they are": "按原样显示";
    "block lies in no segment": "个块不在任何段中";
    "blocks lie in no segment": "个块不在任何段中";
    "shown all the same": "仍予显示";
    "segment is taken or given back that cannot be": "个段无法被取得或归还，却被取得或归还";
    "segments are taken or given back that cannot be": "个段无法被取得或归还，却被取得或归还";
    "block is never given back, but no longer there at the end": "个块从未归还，但结束时已不在";
    "blocks are never given back, but no longer there at the end": "个块从未归还，但结束时已不在";
    "shown to the end": "显示到结束";
    "block is there at the end although it was given back": "个块已归还，但结束时仍在";
    "blocks are there at the end although they were given back": "个块已归还，但结束时仍在";
    "{}, event {}": "{}，事件 {}";
    "{}, end": "{}，末尾";

    "block has": "个块的";
    "blocks have": "个块的";
    "{} another size than PyTorch's rules give: of blocks that are no longer there, only the bytes asked for are shown": "{}大小与 PyTorch 的规则不符：已不存在的块只显示请求的字节";
    "{} another size than PyTorch's rules give, so those of blocks that are no longer there may be wrong, too": "{}大小与 PyTorch 的规则不符，因此已不存在的块的大小也可能有误";

    "it never handed out a block: left out": "它从未分配过块：已略去";
    "it never handed out a block: left out; {}": "它从未分配过块：已略去；{}";
    "{} was out of memory at event {}: {} bytes asked for, {} free on the device, no block in use": "{} 在事件 {} 处内存不足：请求 {} 字节，设备上空闲 {}，没有块在使用";
    "a memory snapshot in which no block was ever handed out; {}: record with torch.cuda.memory._record_memory_history() before the first request, and dump again": "此内存快照中从未分配过块；{}：请在第一次请求之前用 torch.cuda.memory._record_memory_history() 开始记录，然后重新转储";

    "actions of events": "事件的动作";
    "bytes": "字节串";
    "annotation": "个注释";
    "annotations": "个注释";
    "frame": "帧";
    "frames": "帧";
}
