//! What readers of dumps say.

use super::table;

table! {
    "it is text that speaks of memory, without figures that we know": "这是一段谈及内存的文本，其中没有我们认识的数字";
    "{}: {}. To see what lives when, record: {}": "{}：{}。要看到何时存活什么，请记录：{}";
    "PyTorch's message that a device is out of memory": "PyTorch 的设备内存不足消息";
    "the table of torch.cuda.memory_summary()": "torch.cuda.memory_summary() 的表";
    "at most {} were allocated and {} reserved": "最多分配 {}，保留 {}";
    "asked for": "请求";
    "the device": "设备";
    "still free": "空闲";
    "allocated by PyTorch": "PyTorch 已分配";
    "reserved by PyTorch but not allocated": "PyTorch 已保留但未分配";
    "everything else (CUDA itself, other programs)": "其他一切（CUDA 自身、其他程序）";
    "each figure is as rounded as the message": "各数字的精度与消息相同";
    "{} are free or kept by PyTorch, enough for the request if they lay in one piece: try PYTORCH_ALLOC_CONF=expandable_segments:True": "空闲或由 PyTorch 保留的有 {}，若连成一块便足够：可试 PYTORCH_ALLOC_CONF=expandable_segments:True";
    "even in one piece, what is free or kept by PyTorch is {} too little: less must be held": "空闲或由 PyTorch 保留的即使连成一块仍少 {}：须少持有一些";
    "reserved now: {}; of that not allocated: {}": "现在保留：{}；其中未分配：{}";
    "{} of them lie in segments that also hold blocks, so that empty_cache() cannot give them back": "其中 {} 在仍有块的段内，empty_cache() 无法归还";
    "the peaks may be of different moments, and each figure is cut to its unit": "各峰值可能不在同一时刻，各数字按单位截断";

    "more than {} buffers": "超过 {} 个缓冲区";
    "{} lives from {} to {}, which is no time": "{} 的生命周期从 {} 到 {}，不成区间";
    "there is no buffer with an address": "没有带地址的缓冲区";

    "the {} of a [memory] event is {}, beyond 63 bits": "[memory] 事件的 {} 为 {}，超出 63 位";
    "a [memory] event has no whole {}": "[memory] 事件缺少整数 {}";
    "a [memory] event has no ts": "[memory] 事件缺少 ts";
    "{} devices, of which we read at most {}": "有 {} 个设备，最多读取 {} 个";
    "CUDA device {}": "CUDA 设备 {}";
    "XPU device {}": "XPU 设备 {}";
    "MPS device {}": "MPS 设备 {}";
    "device {} of type {}": "类型 {1} 的设备 {0}";
    "{} B were allocated before the trace and no event gives them back: they are not shown": "有 {} B 在跟踪之前分配，且没有事件释放：未显示";
    "the trace names no segments: {} ranges of addresses that blocks covered are drawn end to end, without what lies between them": "跟踪未给出段：块曾占用的 {} 个地址区间首尾相接绘制，其间的空隙略去";
    "block is taken at an address that was never given back: it ends the one before it": "个块在未释放的地址上分配：前一个块到此为止";
    "blocks are taken at addresses that were never given back: they end those before them": "个块在未释放的地址上分配：前面的块到此为止";
    "block is given back with another size than it was taken with: the first counts": "个块释放时的大小与分配时不同：以分配时为准";
    "blocks are given back with another size than they were taken with: the first counts": "个块释放时的大小与分配时不同：以分配时为准";
    "there is no action {}": "没有动作 {}";
    "row {}": "第 {} 行";
    "{}: scratch {}": "{}：暂存 {}";
    "{} rows, of which we read at most {}": "有 {} 行，最多读取 {} 行";
    "it names no blocks: what is given back is taken to be the newest block of as many bytes and the same category. Bytes at each step are right, single lifetimes may not be": "其中没有块的标识：释放的块视为同字节数、同类别中最新的一个。每一步的字节数正确，单个生命周期未必正确";
    "event gives back what was never taken: it is left out": "个事件释放了从未分配的内容：已略去";
    "events give back what was never taken: they are left out": "个事件释放了从未分配的内容：已略去";
    "it holds no events": "其中没有事件";
    "the peak is {} B ({}) at moment {} of {}": "峰值为 {} B（{}），位于第 {} 个时刻（共 {} 个）";
    "these are sums over time without blocks, which cannot be laid out: {}. Export the same profile with a name that ends with .raw.json.gz": "这是随时间的总和，没有块，无法布局：{}。请将同一剖析导出为以 .raw.json.gz 结尾的文件";
    "{} bytes, but buffers reach {} bytes": "{} 字节，但缓冲区达到 {} 字节";

    "line {}, column {}": "第 {} 行，第 {} 列";

    "{} {} is beyond {}": "{} {} 超过 {}";
    "{} is \"{}\", which is no whole number from 0 up": "{}为 \"{}\"，不是非负整数";
    "{} {} is beyond 64 bits": "{} {} 超出 64 位";

    "the export leaves out {}": "导出时略去了 {}";
    "the id {} is there twice": "标识 {} 出现两次";
    "there is no line with the execution plan: print the state after AllocateTensors, and copy all of it": "没有执行计划所在的行：请在 AllocateTensors 之后打印状态，并完整复制";
    "only the main subgraph is read: the others share its arena": "只读取主子图：其他子图与其共用内存区";
    "tensor of the arena is used by no operator and left out": "个内存区张量未被任何算子使用，已略去";
    "tensors of the arena are used by no operator and left out": "个内存区张量未被任何算子使用，已略去";
    "tensors of an operator stand before the first one": "算子的张量出现在首个算子之前";
    "there is no list in brackets here": "此处没有方括号列表";
    "tensor {} is there twice": "张量 {} 出现两次";
    "more than {} operators": "超过 {} 个算子";
    "more than {} numbers": "超过 {} 个数";
    "the arena": "内存区大小";
    "the operator": "算子编号";
    "the tensor": "张量编号";
    "temporary, of which LiteRT does not tell the step: it is inferred": "个临时张量的步未由 LiteRT 给出：已推断";
    "temporaries, of which LiteRT does not tell the steps: they are inferred": "个临时张量的步未由 LiteRT 给出：已推断";
    "it is needed from {} to {}, which is no time": "需要它的步从 {} 到 {}，不成区间";
    "{} where the header has {} columns": "有 {}，而表头有 {} 列";
    "the role \"{}\" is none of {}": "角色 \"{}\" 不是下列之一：{}";
    "no graph input was found": "未找到图的输入";
    "taken for graph inputs: {}": "视为图的输入：{}";
    "this older export does not say which tensors are graph inputs; {}": "此较旧的导出未说明哪些张量是图的输入；{}";

    "plan {}": "计划 {}";
    "more than {} plans": "超过 {} 个计划";
    "buffer {} stands behind buffer {}": "缓冲区 {} 之后紧接缓冲区 {}";
    "{} is not followed by \"{}\"": "{}之后不是 \"{}\"";
    "the id": "标识";
    "the size": "大小";
    "the offset": "偏移";
    "the first step": "首个步";
    "the last step": "末个步";
    "it is last used at {}, before its first use at {}": "最后使用于 {}，早于首次使用 {}";
    "buffer {}": "缓冲区 {}";
    "it has {} lines for {} steps": "有 {} 行，而步数为 {}";
    "step {} of the picture": "图中的第 {} 步";
    "the log counts {} KiB there, its buffers make {} bytes: some may be missing": "日志在此记为 {} KiB，其缓冲区共 {} 字节：可能有缺失";
    "buffer does not follow the one before it: lines are missing": "个缓冲区与前一个不连续：缺少若干行";
    "buffers do not follow the one before them: lines are missing": "个缓冲区与前一个不连续：缺少若干行";
    "buffer has no place and is left out": "个缓冲区没有位置，已略去";
    "buffers have no place and are left out": "个缓冲区没有位置，已略去";
    "plan is the one before it once more": "个计划与前一个相同";
    "plans are the one before them once more": "个计划与前一个相同";
    "line is no part of a plan": "行不属于任何计划";
    "lines are no part of a plan": "行不属于任何计划";

    "more than {} tables": "超过 {} 个表";
    "the log says \"{}\"": "日志写有 \"{}\"";
    "line looks like a tensor but stands in no table": "行形似张量，但不在任何表中";
    "lines look like tensors but stand in no table": "行形似张量，但不在任何表中";
    "no table of this log has a tensor": "此日志的表中没有任何张量";
    "the table that begins here has no line with its total": "从此处开始的表没有总计行";
    "the names of the table's columns do not follow its heading": "表头之后没有表的列名";
    "{} of a tensor's {} cells: times, addresses, size, usage, format and name": "张量的 {1} 个单元格中只有 {0} 个：应为时间、地址、大小、占用、格式与名称";
    "the times": "时间";
    "the start time": "开始时间";
    "the end time": "结束时间";
    "the addresses": "地址";
    "the start address": "起始地址";
    "the end address": "结束地址";
    "from address {} to {} are not the {} bytes it has": "从地址 {} 到 {} 并非它所占的 {} 字节";
    "the memory usage": "内存占用";
    "Vela {}": "Vela {}";
    "the log counts {} bytes at once here, its tensors make {}: some may be missing": "日志在此记为同时 {} 字节，其张量共 {}：可能有缺失";
    "{} are \"{}\", no two numbers with - between": "{}为 \"{}\"，不是以 - 相连的两个数";
    "the total does not end in KiB": "总计未以 KiB 结尾";
    "the total": "总计";

    "the times of this trace are times. What can be read are the memory profiles of ExecuTorch (generate_memory_trace with enable_memory_offsets=True) and of ONNX Runtime (memory_profile_0.json of a build with memory profiling), and a trace of torch.profiler with profile_memory=True": "此跟踪中的时间确实是时间。可读取的是 ExecuTorch 的内存剖析（generate_memory_trace，enable_memory_offsets=True）与 ONNX Runtime 的内存剖析（启用内存剖析的构建所写的 memory_profile_0.json），以及以 profile_memory=True 记录的 torch.profiler 跟踪";
    "it holds tensors of both ExecuTorch and ONNX Runtime": "其中同时有 ExecuTorch 与 ONNX Runtime 的张量";
    "a tensor has no name": "有张量没有名称";
    "ts and dur of {} are not the bytes that its args say": "{} 的 ts 与 dur 并非其 args 所述的字节";
    "the tid {} is beyond {}": "tid {} 超过 {}";
    "the {} of a tensor is {}, below 0": "张量的 {} 为 {}，小于 0";
    "a tensor has no {}": "张量缺少 {}";
    "the {} of a tensor is no whole number from 0 up": "张量的 {} 不是非负整数";
    "an array of events": "事件数组";

    "it has sizes but no offsets: export it with enable_memory_offsets=True": "有大小而没有偏移：请以 enable_memory_offsets=True 导出";
    "{} arenas, of which we read at most {}": "有 {} 个内存区，最多读取 {} 个";
    "event is no tensor and is left out": "个事件不是张量，已略去";
    "events are no tensors and are left out": "个事件不是张量，已略去";
    "ONNX Runtime lists only some steps: a tensor is shown from the first to the last at which it is listed": "ONNX Runtime 只列出部分步：张量从首次列出显示到末次列出";
    "memory {}": "内存 {}";
    "each thread of {} has one tensor that no other thread has: nothing tells when the tensors live": "{} 的每个线程都有一个其他线程没有的张量：无从得知张量何时存活";

    "more than {} jumps back": "回跳超过 {} 次";

    "version {}, of which we know 0": "版本为 {}，仅知版本 0";
    "no tensor has a place: memory is not planned, or a delegate plans all of it": "没有张量有位置：内存未经规划，或全部由委托规划";
    "schema {}, of which we read ET12": "schema 为 {}，可读取的是 ET12";
    "extended header {}, of which we read eh00": "扩展头为 {}，可读取的是 eh00";
    "the header tells of {} bytes, but the file has {}": "文件头声明 {} 字节，但文件有 {} 字节";
    "{}, memory {}": "{}，内存 {}";
    "without a place in the file: whoever runs it gives them theirs": "在文件中没有位置：由运行者为其提供";
    "left out: no instruction touches them": "已略去：没有指令使用它们";
    "without bounds, with the sizes that the file states": "没有上界，采用文件所述的大小";
    "with data behind their offset, which their sizes do not count": "的偏移之后有其大小未计入的数据";
    "{} {}; the first is {}": "{} {}；第一个是 {}";
    "memory {} has {} bytes, but no tensor lies in it": "内存 {} 有 {} 字节，但其中没有张量";
    "a tensor in memory 0, which is reserved": "有张量位于保留的内存 0";
    "a tensor in memory {} of {}": "有张量位于内存 {}，而内存共 {} 个";
    "elements of type {}, which we do not know": "元素类型 {} 无法识别";
    "value {}": "值 {}";

    "a memory of {} bytes: {}": "{} 字节的内存：{}";
    "an operator with a name of {} bytes": "算子名称长 {} 字节";
    "a value of kind {}, which we do not know": "值的种类 {} 无法识别";
    "a tensor with {} in its shape": "张量的形状中有 {}";
    "a tensor of 2^64 bytes or more": "张量达到或超过 2^64 字节";
    "an instruction of kind {}, which we do not know": "指令的种类 {} 无法识别";
    "a value or instruction without content": "值或指令没有内容";
    "number {} of {}, counted from 0": "编号 {} 不在 {} 之内（从 0 计）";

    "{} is not known: taken to read and write its slices": "{} 无法识别：视为读写其各切片";

    "no function stands before the pass in one file and behind it in another": "没有函数在一个文件中位于该遍之前、在另一个文件中位于其后";
    "{}, pack {}": "{}，第 {} 个 pack";
    "{}, line {}": "{}，第 {} 行";
    "@{} is left out: it is not there behind the pass": "@{} 已略去：该遍之后没有它";
    "only the running program knows the sizes of its slices": "只有运行中的程序才知道其切片的大小";
    "{} left out, whose size only the running program knows": "{} 已略去，其大小只有运行中的程序知道";
    "that nothing uses": "没有被使用";
    "whose offset only the running program knows": "其偏移只有运行中的程序知道";
    "{} left out, {}": "{} 已略去，{}";
    "slice {}": "切片 {}";
    "it holds offsets but no lifetimes, which stand in the IR before the pass: add --mlir-print-ir-before=iree-stream-layout-slices": "其中有偏移但没有生命周期，后者在该遍之前的 IR 中：请加 --mlir-print-ir-before=iree-stream-layout-slices";
    "no function has a stream.resource.pack: nothing shares memory": "没有函数含 stream.resource.pack：没有共享的内存";
    "no function schedules memory: print the IR with --mlir-print-ir-before=iree-stream-layout-slices and --mlir-print-ir-after=iree-stream-layout-slices": "没有函数安排内存：请以 --mlir-print-ir-before=iree-stream-layout-slices 与 --mlir-print-ir-after=iree-stream-layout-slices 打印 IR";
    "before the pass stands {}, behind it {}: no function is the same on both sides, so they are of two programs": "该遍之前是 {}，之后是 {}：两侧没有相同的函数，因此属于两个程序";
    "it has no stream.resource.pack: nothing in it shares memory, or this is its IR after the pass": "其中没有 stream.resource.pack：没有共享的内存，或者这是该遍之后的 IR";
    "it is left out: it needs {} bytes": "已略去：它需要 {} 字节";
    "{} more packs are left out": "另外略去 {} 个 pack";
    ", those of {}, which needs most of {} packs: {} bytes": "，即 {1} 个 pack 中需要最多的 {0} 的生命周期：{2} 字节";
    "no command uses it: shown as one block": "没有命令使用它：显示为一整块";
    "lifetimes are those of the commands that use each range: the text no longer has those of the compiler": "生命周期取自使用各段内存的命令：文本中已没有编译器给出的生命周期";
    "over {} pieces of memory are touched up to here": "到此处访问的内存片段超过 {} 个";
    "only the lifetimes are in it{}; for the offsets add --mlir-print-ir-after=iree-stream-layout-slices": "其中只有生命周期{}；要得到偏移请加 --mlir-print-ir-after=iree-stream-layout-slices";

    "a slice stands here at another offset than further up": "同一切片在此处的偏移与上文不同";

    "the slices of this pack are not closed": "此 pack 的切片没有结束";
    "{} is no slice": "{} 不是切片";
    "this pack has no slices": "此 pack 没有切片";
    "[{} is no slice such as [0, 2] = %c64": "[{} 不是形如 [0, 2] = %c64 的切片";
    "[{}] is no interval of steps": "[{}] 不是步的区间";
    "the slice ends at {}, before it starts at {}": "切片结束于 {}，早于开始 {}";

    "{} more": "另有 {} 个";

    "this function is not closed": "此函数没有结束";

    "there is no chunk": "没有任何 chunk";
    "it is there twice": "它出现两次";
    "the {} {} of its end is before {}": "{}的末尾 {} 早于起点 {}";
    "the chunk that it is written over is not there": "它要覆盖的 chunk 不存在";
    "chunk does not lie on one of its chain at its last step": "个 chunk 在末步不位于其链中的另一个之上";
    "chunks do not lie on one of their chain at its last step": "个 chunk 在末步不位于其链中的另一个之上";
    "chunk {}": "chunk {}";
    "an object of objects": "由对象组成的对象";
    "a whole number from 0 up, as text": "以文本写出的非负整数";

    "the end": "结束";
    "it lives from {} to {}, which is no time": "其生命周期从 {} 到 {}，不成区间";
    "interval {}": "区间 {}";
    "it has no end: its last number may be cut off": "没有结尾：最后一个数可能不完整";
    "there is a line behind the last overwrite": "最后一个覆盖之后还有一行";
    "overwrite is not at the step that both need, which MegEngine passes over": "个覆盖不在两者都需要的步上，MegEngine 会跳过";
    "overwrites are not at the step that both need, which MegEngine passes over": "个覆盖不在两者都需要的步上，MegEngine 会跳过";
    "end of file": "文件末尾";
    "it ends before {}": "在{}之前结束";
    "a count of lines": "行数";
    "the count": "数目";
    "a buffer lies outside its segment: left out": "有缓冲区不在其段内：已忽略";
    "{} of them, of which we read at most {}": "有 {} 个，最多读取 {} 个";
    "it begins at step {} and ends at {}": "它在第 {} 步开始，在第 {} 步结束";
    "{} lines, of which we read at most {}": "有 {} 行，最多读取 {} 行";
    "line {} of {}": "第 {} 行（共 {} 行）";
    "{} where three numbers belong": "此处有 {}，应为三个数";
    "a number": "数字";
    "from {} to {}, of {} intervals": "从 {} 到 {}，而区间共 {} 个";
    "interval {} is written over itself": "区间 {} 覆盖了自身";
    "{} bytes at byte {} are no part of the {} bytes of interval {}": "位于字节 {1} 的 {0} 字节不在区间 {3} 的 {2} 字节之内";

    "there is a second allocation": "有第二个分配结果";
    "the last interval is cut off": "最后一个区间不完整";
    "line is no part of an allocation": "行不属于任何分配结果";
    "lines are no part of an allocation": "行不属于任何分配结果";
    "interval lies on the bytes of another at its last step: taken for an overwrite": "个区间在末步位于另一个的字节上：视为覆盖";
    "intervals lie on the bytes of others at their last step: taken for overwrites": "个区间在末步位于另一个的字节上：视为覆盖";
    "there is an interval {} but no {}: it may be cut off": "有区间 {} 但没有 {}：文件可能不完整";
    "the total is {} bytes, but intervals reach only {}: it may be cut off": "总计为 {} 字节，但区间只达到 {}：文件可能不完整";
    "it does not say how many intervals there are: a copy cut off behind a line looks whole": "其中未说明区间的数目：在行末截断的副本看似完整";
    "it is not written as id=0 size=8(0.00MiB) time=[0, 2) addr=[0, 8)": "其写法不是 id=0 size=8(0.00MiB) time=[0, 2) addr=[0, 8)";
    "the begin": "开始";
    "the first address": "首地址";
    "the last address": "末地址";
    "from address {} to {} there is no room for {} bytes": "从地址 {} 到 {} 容不下 {} 字节";

    "tensor": "个张量";
    "tensors": "个张量";
    "slice": "个切片";
    "slices": "个切片";
}
