//! What readers of models, problems and plans say, and writers of them.

use super::table;

table! {
    "{} gaps, of which we read at most {} per buffer": "有 {} 个间隙，每个缓冲区最多读取 {} 个";
    "the gap from {} to {} is empty": "从 {} 到 {} 的间隙为空";
    "the gap from {} to {} does not lie behind the one before it and within the span": "从 {} 到 {} 的间隙不在前一个间隙之后，或超出生命周期";
    "the window from {} to {} is no part of the buffer's {} bytes": "从 {} 到 {} 的窗口不在缓冲区的 {} 字节之内";
    "there is no pool {}: pools are numbered from 0 to {}": "不存在内存池 {}：内存池从 0 编号到 {}";
    "there is no pool {}, nor any other": "不存在内存池 {}，也没有其他内存池";
    "pool {} is there twice": "内存池 {} 出现两次";

    "write the steps of each gap as lower-upper, upper exclusive, and @first:behind where those bytes stay needed, separated by spaces, as in \"3-5 7-9@0:64\"": "请把每个间隙的步写作 lower-upper（不含 upper），若其中某些字节仍需要则加 @first:behind，各项以空格分隔，例如 \"3-5 7-9@0:64\"";
    "write one address in bytes, as in \"4096\" or \"0x1000\", or -1 or nothing for none": "请写一个以字节计的地址，例如 \"4096\" 或 \"0x1000\"；没有则写 -1 或留空";
    "write the numbers of the pools that it may live in, counted from 0, the preferred first, separated by spaces, as in \"1 0\"": "请写可放入的内存池编号，从 0 计，首选在前，以空格分隔，例如 \"1 0\"";
    "the id \"{}\" is there twice": "标识 \"{}\" 出现两次";
    "more than {} rows": "超过 {} 行";
    "more than {} gaps": "超过 {} 个间隙";
    "line {}": "第 {} 行";
    "the column \"{}\" is unknown and ignored": "列 \"{}\" 无法识别，已忽略";
    "two columns mean \"{}\"": "有两列表示 \"{}\"";
    "there is no column \"{}\" among {}": "{1} 中没有列 \"{0}\"";
    "there are both \"upper\" (exclusive) and \"end\" (inclusive)": "同时有 \"upper\"（不含）与 \"end\"（含）两列";
    "there is no column \"upper\" (exclusive) or \"end\" (inclusive) among {}": "{} 中没有列 \"upper\"（不含）或 \"end\"（含）";
    "{} where the header has {}; a cell with a delimiter in it is quoted, lists in cells are separated by spaces": "有 {}，而表头有 {}；含分隔符的单元格须加引号，单元格内的列表以空格分隔";
    "a quotation mark opens a cell and nothing closes it": "引号开启了一个单元格，但没有闭合";
    "\"{}\" comes to no whole number, and is not rounded": "\"{}\" 换算后不是整数，且不作舍入";
    "\"{}\" can be read in two ways: its point may part thousands": "\"{}\" 有两种读法：其中的点可能是千位分隔";
    "steps have no unit, and this one has {}": "步没有单位，而此处带有 {}";
    "it ends at {}, before it starts at {}": "结束于 {}，早于开始 {}";
    "the cell is empty": "单元格为空";
    "{} is beyond 64 bits": "{} 超出 64 位";
    "\"{}\" is not a whole number from 0 up": "\"{}\" 不是非负整数";
    "the time {} is beyond {}": "时间 {} 超过 {}";
    "\"{}\" is no list of gaps: {}": "\"{}\" 不是间隙列表：{}";
    "\"{}\" is no list of pools: {}": "\"{}\" 不是内存池列表：{}";
    "line {}, column \"{}\"": "第 {} 行，列 \"{}\"";
    "row has a hint, which is ignored: no address is fixed": "行带有提示值，已忽略：未固定任何地址";
    "rows have a hint, which is ignored: no address is fixed": "行带有提示值，已忽略：未固定任何地址";
    "row has size 0": "行大小为 0";
    "rows have size 0": "行大小为 0";
    "row ends when it starts and is left out": "行的开始即结束，已略去";
    "rows end when they start and are left out": "行的开始即结束，已略去";
    "column \"offset\"": "列 \"offset\"";
    "only in {} of {}: ignored": "{1} 项中只有 {0} 项给出：已忽略";

    "a vtable before the file": "vtable 位于文件之前";
    "a vtable of impossible length": "vtable 的长度不可能";
    "names and small constants exceed {} bytes": "名称与小常量超过 {} 字节";
    "shapes, operands and options exceed {} elements": "形状、操作数与选项超过 {} 个元素";
    "{} bytes at {} lie behind the end of the file at {}": "位于 {1} 的 {0} 字节超出文件末尾 {2}";
    "a reference to itself": "引用了自身";
    "byte {}": "字节 {}";

    "these files are no parts of one dump, and no model with its data": "这些文件既不是同一转储的各部分，也不是模型及其数据";
    "\"{}\" has {} bytes at {}, and the file has {}": "“{0}”在 {2} 处有 {1} 字节，而文件只有 {3} 字节";
    "it has no bytes": "没有任何字节";
    "it holds no offsets": "其中没有偏移";
    "byte 0": "字节 0";
    "the text is UTF-16: save it as UTF-8": "文本为 UTF-16：请另存为 UTF-8";
    "workspaces that kernels ask for while they run are not in the file": "内核运行时申请的工作区不在文件中";
    "there is no list \"{}\": the graph is not planned": "没有列表 \"{}\"：该图未作规划";
    "{} entries for {} values": "{1} 个值却有 {0} 项";
    "it does not lead from every node to its values": "它没有从每个节点指向其各个值";
    "it reads a value that no node before it makes": "它读取了此前没有节点产生的值";
    "a value that no node makes is returned": "返回了没有节点产生的值";
    "no size follows from {} of {}": "{1} 的 {0} 无法得出大小";
    "its storage is {}": "其存储为 {}";
    "the storages together go beyond 64 bits": "各存储合计超出 64 位";
    "no node of a run says what it writes: profile a run of the model": "没有节点说明其写入：请对模型的一次运行作剖析";
    "{} nodes took {} µs; how long each value lives and where it lies is not in a profile: each is shown at its node only, so that the bound is what one node reads and writes at once; the model says the rest: open both together": "{} 个节点共用时 {} µs；各值存活多久、位于何处不在剖析中：每个值只显示在其节点处，因此下界是单个节点同时读写的字节；其余须由模型给出：请将两者一起打开";
    "the profile has {} nodes, which took {} µs; of these {} are operators of the model by name, {} by type and order": "该剖析有 {} 个节点，耗时 {} µs；其中 {} 个按名称、{} 个按类型与顺序对应模型的算子";
    "dimensions are as they were in the run: {}": "各维度与运行时相同：{}";
    "{} (step {})": "{}（步 {}）";
    "{} reads": "{} 读";
    "{} writes": "{} 写";
    "{} writes {}": "{} 写 {}";
    "input or weight": "输入或权重";
    "{} runs, of which the last is shown": "{} 次运行，显示最后一次";
    "it is packed by {}": "以 {} 压缩";
    "it is packed more than {} times": "压缩嵌套超过 {} 层";
    "more than {} files inside": "其中的文件超过 {} 个";
    "unpacked it has more bytes than we hold: unpack it yourself": "解压后的字节数超过可容纳的上限：请自行解压";
    "a file inside ends behind the end of this one, at {}": "其中的一个文件在 {} 处超出本文件末尾";
    "behind the end of the gzip data are bytes that are none": "gzip 数据之后还有不属于它的字节";
    "several dumps, each of them a document": "多份转储，各自是一个文档";
    "the gzip header has a name or comment of more than {} bytes": "gzip 头部的名称或注释超过 {} 字节";
    "the gzip header ends too early": "gzip 头部过早结束";
    "the gzip data is packed in a way that is not deflate": "gzip 数据的压缩方式不是 deflate";
    "the packed bytes end too early": "压缩数据过早结束";
    "the packed bytes are damaged": "压缩数据已损坏";
    "a zip archive of more than 4 GiB or 65,534 files": "zip 归档超过 4 GiB 或 65,534 个文件";
    "the directory at the end of the zip archive is missing": "zip 归档末尾的目录缺失";
    "it is encrypted: unpack it with its password first": "已加密：请先用密码解压";
    "it is packed in a way that is not deflate": "其压缩方式不是 deflate";
    "the header of a file inside is damaged": "其中一个文件的头部已损坏";
    "the tar archive ends too early": "tar 归档过早结束";
    "the archive is empty: no file is inside": "归档是空的：其中没有文件";
    "nothing inside is a format that we read: {}": "其中没有可读取的格式：{}";
    "{} documents are inside, unpack it and open one: {}": "其中有 {} 个文档，请解压后打开一个：{}";
    "it is text, none of the formats we read; its first line is {}": "这是文本，不属于任何可读取的格式；首行为 {}";
    "it begins with{}, which is none of the formats we read": "开头为{}，不属于任何可读取的格式";

    "its plan has the form {}, we read form 1": "其计划的形式为 {}，可读取的是形式 1";
    "its plan has characters that no link has: {}": "其计划含有链接中不允许的字符：{}";
    "its plan is longer than {} bytes": "其计划长于 {} 字节";
    "the end of its plan is missing": "其计划缺少结尾";
    "its plan cannot be inflated": "其计划无法解压";
    "its plan is no text": "其计划不是文本";

    "the program has version {}, we read version {}": "程序版本为 {}，可读取的是版本 {}";
    "{} entries, of which we read at most {}": "有 {} 项，最多读取 {} 项";
    "it writes {}, which the caller brings": "它写入由调用者提供的 {}";
    "schedule, step {}": "调度，第 {} 步";
    "its elements have no fixed size, or its size goes beyond 64 bits": "其元素没有固定大小，或其大小超出 64 位";
    "only a constant of dtype i32 or i64 has values": "只有类型为 i32 或 i64 的常量可以给出值";
    "the value {} has more than 32 bits": "值 {} 超过 32 位";
    "{} values do not fit its shape": "{} 个值与其形状不符";
    "its alignment {} is no power of two": "其对齐 {} 不是 2 的幂";
    "a count is of the first output of an operator, once": "计数须针对算子的第一个输出，且只能出现一次";
    "it views itself by way of others": "它经由其他张量成为自身的视图";
    "it names no tensor": "未指明张量";
    "no tensor is called {}": "没有名为 {} 的张量";
    "it names no operator": "未指明算子";
    "no operator is called {}": "没有名为 {} 的算子";
    "{} has no storage": "{} 没有存储";
    "two {}s have this name": "有两个{}使用此名称";

    "the file became shorter": "文件变短了";
    "{} bytes at once": "一次读取 {} 字节";
    "field number 0": "字段号为 0";
    "a field of wire type {}": "字段的线路类型为 {}";
    "{} in {}": "{1} 中的{0}";
    "the file": "文件";
    "{} bytes reach beyond the end of {}": "有 {} 字节超出 {} 的末尾";
    "a number is cut off": "数字不完整";
    "a number that does not end": "数字没有结尾";
    "its wire type is {}, not {}": "其线路类型为 {}，而不是 {}";
    "field {} of {}: {}": "{1} 的字段 {0}：{2}";
    "a name of {} bytes": "名称长 {} 字节";
    "a name is not UTF-8": "名称不是 UTF-8";
    "messages are nested too deep": "消息嵌套过深";
    "a packed number does not end": "打包的数字没有结尾";

    "{} bytes at {} lie behind the end of the file": "位于 {1} 的 {0} 字节超出文件末尾";

    "{} bytes of text, of which we read at most {}": "文本有 {} 字节，最多读取 {} 字节";
    "the text is not UTF-8": "文本不是 UTF-8";

    "the file ends before the model's graph": "文件在模型的图之前结束";
    "{} more warnings are left out": "另有 {} 条警告已略去";
    "tensor \"{}\"": "张量 \"{}\"";
    "operator \"{}\" ({})": "算子 \"{}\"（{}）";
    "no operator set version: the newest rules are used": "没有算子集版本：采用最新的规则";
    "sparse: sized as if it were dense": "稀疏：按稠密计算大小";
    "tensor {}": "张量 {}";
    "it has no name": "没有名称";
    "it is defined twice": "定义了两次";
    "more than {} symbolic dimensions": "超过 {} 个符号维度";
    "operator {}": "算子 {}";
    "it has no type": "没有类型";
    "operator \"{}\" writes it again": "算子 \"{}\" 再次写入它";
    "an output of the model that nothing writes": "模型的输出，但没有算子写入它";
    "listed twice among the outputs": "在输出中列出了两次";
    "it depends on its own result": "它依赖自身的结果";
    "the operators were not in an order in which they can run": "算子的次序无法执行，已重新排列";

    "too many {}": "{}过多";
    "attribute elements": "属性元素";
    "the model has two graphs": "模型有两个图";
    "operator sets": "算子集";
    "operator inputs": "算子输入";
    "operator outputs": "算子输出";
    "subgraphs are nested too deep": "子图嵌套过深";

    "the file has no bytes": "文件没有任何字节";

    "a function of the model itself: its results have no size": "模型自带的函数：其结果没有大小";
    "its stream is no number: taken as if it had none": "其流不是数字：视为没有流";
    "{} reads it, but nothing defines it": "{} 读取它，但没有任何定义";
    "more than {} attributes": "超过 {} 个属性";
    "attribute \"{}\" is given twice": "属性 \"{}\" 给出了两次";
    "its value is text, sparse or missing: it has no size": "其值为文本、稀疏或缺失：没有大小";

    "tensor \"{}\" has more than {} dimensions": "张量 \"{}\" 超过 {} 个维度";
    "tensor \"{}\" has a negative dimension": "张量 \"{}\" 有负的维度";

    "more than {} bytes in one line": "一行超过 {} 字节";
    "more than {} names, numbers and signs": "名称、数字与符号超过 {} 个";
    "this escape is unknown: behind a backslash stand \", \\, n, r, t, or u and hex digits in braces": "无法识别的转义：反斜杠之后应为 \"、\\、n、r、t，或 u 与花括号中的十六进制数";
    "a quotation mark opens a text and nothing closes it": "引号开启了一段文本，但没有闭合";
    "here should be {}, not `{}`": "此处应为{}，而不是 `{}`";
    "the line ends where there should be {}": "行已结束，而此处应为{}";
    "the end of the line": "行尾";
    "a whole number from 0 up": "非负整数";
    "a name": "名称";
    "a number, or numbers in brackets": "一个数字，或方括号中的若干数字";
    "`,` or `{}`": " `,` 或 `{}`";
    "an element type such as f32": "元素类型（例如 f32）";
    "a dimension: a number, a name or `?`": "维度（数字、名称或 `?`）";
    "an operator such as Relu(x)": "算子（例如 Relu(x)）";
    "a name, elements or `_`": "名称、元素或 `_`";
    "an attribute such as axis=1": "属性（例如 axis=1）";
    "a value: numbers, a text or `@` and a name": "值（数字、文本，或 `@` 加名称）";
    "`floats[]`, `texts[]` or `subgraph(1)`": " `floats[]`、`texts[]` 或 `subgraph(1)`";
    "`{}` is no number that fits here": "`{}` 不是此处可用的数字";
    "{} scales and {} zero points": "{} 个缩放系数与 {} 个零点";
    "nothing defines \"{}\": write an input, a constant or an operator that does": "没有任何一行定义 \"{}\"：请写定义它的输入、常量或算子";
    "it needs an element type and a shape, as in \"x: f32[1, 8]\"": "需要元素类型与形状，例如 \"x: f32[1, 8]\"";
    "more than {} dimensions": "超过 {} 个维度";
    "no dimension is called \"{}\": give its size, as in `let H = 224`": "没有名为 \"{}\" 的维度：请给出其大小，例如 `let H = 224`";
    "{} elements do not fill this shape": "{} 个元素与此形状不符";
    "elements of {} cannot be written: leave them out": "{} 的元素无法写出：请略去";
    "\"{}\" is {} by its operator, whatever is declared": "按其算子，\"{}\" 为 {}，与声明无关";
    "\"{}\" has no shape: {}": "\"{}\" 没有形状：{}";
    "line {} defines \"{}\" already": "第 {} 行已定义 \"{}\"";

    "write NAME=1..32, NAME=1..32:4 or NAME=1,2,4": "请写 NAME=1..32、NAME=1..32:4 或 NAME=1,2,4";
    "the first value is at most the last, a step is 1 or more, an alignment from 1 to 2^32": "首值不得大于末值，步长至少为 1，对齐为 1 至 2^32";
    "at most {} values": "最多 {} 个值";
    "its plan breaks a rule": "其计划违反规则";

    "{} handovers, of which we read at most {}": "有 {} 个交接，最多读取 {} 个";
    "from {} to {}, of {} buffers": "从 {} 到 {}，而缓冲区共 {} 个";
    "buffer {} is handed over to itself": "缓冲区 {} 交接给了自身";
    "{} of {} allow nothing: their buffers share more or fewer than the last and the first step": "{1} 个中有 {0} 个不起作用：其缓冲区的共同步不恰为末步与首步";
    "{} pools, of which we read at most {}": "有 {} 个内存池，最多读取 {} 个";
    "{} pools with {} bases and {} sizes for {} of {} buffers": "有 {} 个内存池、{} 个基址与 {} 个大小，对应 {4} 个缓冲区中的 {3} 个";
    "pool {} is not among {} pools": "内存池 {} 不在 {} 个内存池之内";
    "a pool ends beyond 2^62": "内存池的末尾超出 2^62";

    "the plan has version {}, we read version {}": "计划版本为 {}，可读取的是版本 {}";
    "a JSON object without the key \"arenascope_plan\"": "此 JSON 对象没有键 \"arenascope_plan\"";
    "{} buffers, of which we read at most {}": "有 {} 个缓冲区，最多读取 {} 个";
    "the span from {} to {} is empty": "从 {} 到 {} 的生命周期为空";
    "two buffers have this name": "有两个缓冲区使用此名称";
    "two sums are of one kind": "有两个总和属于同一类别";
    "more than {} gaps in all": "间隙总数超过 {}";
    "{} names for {} steps: the rest is left out": "有 {} 个名称，而步数为 {}：其余略去";
    "{} times for {} steps: left out": "有 {} 个时刻，而步数为 {}：略去";
    "a step begins before the one before it: left out": "有一步的开始早于其前一步：略去";
    "{} bytes, but {} bytes are live at a time: left aside": "为 {} 字节，但同时存活 {} 字节：不予采用";
    "{} objects for {} of {} buffers": "有 {} 个对象，对应 {2} 个缓冲区中的 {1} 个";
    "object {} is not among {} objects": "对象 {} 不在 {} 个对象之内";
    "beyond 64 bits": "超出 64 位";

    "{} frames, of which we read at most {}": "有 {} 帧，最多读取 {} 帧";
    "more than {} aliases, uses, frames and dimensions in all": "别名、使用、帧与维度合计超过 {}";
    "frame {} is not among {} frames": "帧 {} 不在 {} 帧之内";
    "it lives from {} to {}, but is needed from {} to {}": "其生命周期从 {} 到 {}，但需要它的步从 {} 到 {}";

    "its {} contradicts itself and is left out": "其{}自相矛盾，已略去";

    "graph inputs": "图输入";
    "graph outputs": "图输出";
    "the schema has version {}, we read version 3": "schema 版本为 {}，可读取的是版本 3";
    "operator codes": "算子代码";
    "subgraph {} is to be run, but there are {} subgraphs": "要运行子图 {}，但子图共 {} 个";
    "{} {}, of which we read at most {}": "有 {} 个{}，最多读取 {} 个";
    "subgraph {}": "子图 {}";
    "this subgraph of {} operators is planned; the memory that {} other subgraphs with {} operators need is left out": "规划的是这个有 {} 个算子的子图；另外 {} 个子图（共 {} 个算子）所需的内存未计入";
    "its operator code is not in the file": "其算子代码不在文件中";
    "tensor {} is not among the {} tensors": "张量 {} 不在 {} 个张量之内";

    "{}: the plan is left out": "{}：计划已略去";
    "its buffer {} is not among the {} buffers": "其缓冲区 {} 不在 {} 个缓冲区之内";
    "its buffer {} is empty": "其缓冲区 {} 为空";
    "tensor {} has the offset {}, where TFLite Micro would write before its arena": "张量 {} 的偏移为 {}，TFLite Micro 会写到内存区之前";
    "there are two plans; as in TFLite Micro the last one counts": "有两个计划；与 TFLite Micro 一样以最后一个为准";
    "{} bytes are too few for a plan": "{} 字节不足以容纳计划";
    "its format has version {}; as TFLite Micro does we read it as version 0": "其格式版本为 {}；与 TFLite Micro 一样按版本 0 读取";
    "it has {} offsets, but the model has {} tensors, so that TFLite Micro refuses the model": "它有 {} 个偏移，而模型有 {} 个张量，因此 TFLite Micro 会拒绝该模型";
    "{} offsets should follow, but there are only {}": "应有 {} 个偏移，但只有 {} 个";
    "{} bytes behind the last offset are ignored": "最后一个偏移之后的 {} 字节已忽略";
    "it says that it is for {} subgraphs, but there are {}": "它声明用于 {} 个子图，但子图共 {} 个";
    "it leaves every tensor to the runtime": "它把所有张量留给运行时";
    "it leaves {} tensors to the runtime, more than we place around the others": "它把 {} 个张量留给运行时，多于我们可在其他张量周围放置的数目";
    "it leaves {} tensors to the runtime, {} first; they are shown where TFLite Micro places them around the others": "它把 {} 个张量留给运行时，首先是 {}；按 TFLite Micro 在其他张量周围的放置方式显示";

    "the model has fields that we do not know and could not keep": "模型含有无法识别、因而无法保留的字段";
    "a buffer": "一个缓冲区";
    "options of an operator": "一个算子的选项";
    "{} behind the FlatBuffers part, as in files of more than 2 GB": "{}位于 FlatBuffers 部分之后，如超过 2 GB 的文件那样";

    "{} constants have no data in this file; it can be planned, not run": "{} 个常量在此文件中没有数据；可以规划，但不能运行";
    "{} dimensions, of which we read at most {}": "有 {} 个维度，最多读取 {} 个";
    "{} is no dimension": "{} 不是维度";
    "shape and shape signature differ in rank; the signature is ignored": "形状与形状签名的秩不同；忽略签名";
    "buffer {} is not among {} buffers": "缓冲区 {} 不在 {} 个缓冲区之内";

    "writes tensor \"{}\", which {} writes too": "写入张量 \"{}\"，而 {} 也写入它";
    "writes tensor \"{}\", which is a graph input": "写入张量 \"{}\"，而它是图输入";
    "reads tensor \"{}\", which {} has yet to write": "读取张量 \"{}\"，而 {} 尚未写入它";
    "{} tensors that no operator reads or writes count as constants": "{} 个没有算子读写的张量计为常量";

    "only a TFLite model can take a plan": "只有 TFLite 模型可以写入计划";
    "the model has several subgraphs, whose tensors share the arena with those planned here": "模型有多个子图，其张量与此处规划的张量共用内存区";
    "the file would have 2 GiB or more, or an offset beyond 2 GiB": "文件会达到 2 GiB，或有偏移超过 2 GiB";
    "the elements of {} were taken out of the file, so that it cannot run": "{} 的元素已从文件中移除，因此无法运行";
    "the plan is for {} bytes of {}, which has {} in the file: bind the dimensions as the file has them": "该计划对应 {1} 的 {0} 字节，而它在文件中为 {2}：请按文件绑定维度";
    "the plan has no place for {} of the {} tensors in TFLite Micro's arena, {} first: plan inputs and outputs as TFLite Micro has them": "在 TFLite Micro 的内存区中，计划没有 {1} 个张量中 {0} 个的位置，首先是 {2}：请按 TFLite Micro 的方式规划输入与输出";
    "TFLite Micro needs more of a plan: {}": "TFLite Micro 对计划还有要求：{}";

    "it views that storage already": "它已是该存储的视图";
    "a view of a strided view is no view of one storage": "跨步视图的视图不是单一存储的视图";
    "the offset goes beyond 64 bits": "偏移超出 64 位";
    "its bytes {} to {} reach beyond the {} bytes of its storage": "其字节 {} 至 {} 超出其存储的 {} 字节";
    "it has no size": "没有大小";
    "there are not as many strides as dimensions": "步幅的数目与维度的数目不同";
    "its elements are not whole bytes": "其元素不是整字节";

    "at the end {}": "在末尾{}";
    "{} was not swapped out": "{} 未曾换出";
    "{} holds nothing that was encoded": "{} 中没有编码的内容";
    "there is no operator {}": "不存在算子 {}";
    "{} was computed before": "{} 之前已计算过";
    "{} was never computed before": "{} 之前从未计算过";
    "{} is needed, but {} was written over it": "需要 {}，但 {} 已覆盖它";
    "{} does not lie where {} takes it from {}": "{0} 不在 {1} 从 {2} 取用之处";
    "{} is needed, but not all of its bytes {} to {} of {} have been computed": "需要 {0}，但其 {3} 字节中的 {1} 至 {2} 尚未全部计算";
    "has not been computed yet": "尚未计算";
    "was {} at step {}": "已在第 {1} 步{0}";
    "is swapped out": "已换出";
    "there is no storage {}": "不存在存储 {}";
    "{} is needed, but {}": "需要 {}，但它{}";
    "{} would be written, which the caller brings": "会写入由调用者提供的 {}";

    "step {}: {}": "第 {} 步：{}";

    "recompute {}": "重新计算 {}";

    "{} {}": "{} {}";
    "{}: {}": "{}：{}";
    "{}, {}": "{}，{}";
    "{}; {}": "{}；{}";
    "ignored": "已忽略";
    "sparsity": "稀疏结构";
    "quantisation": "量化参数";
    "operator": "算子";
    "freed": "释放";
    "evicted": "逐出";
    "encoded": "编码";
    "cell": "个单元格";
    "cells": "个单元格";
    "column": "列";
    "columns": "列";
    "row": "行";
    "rows": "行";
}
