//! What is said of the files that can be opened, and of how to get them.

use super::words;

words! {
    /// A string about what can be opened.
    HelpWord, help;

    // The menu of samples.
    Models: "Models", "模型";
    Deployed: "Deployed plans", "已部署的计划";
    Trainings: "Training runs", "训练运行";
    Problems: "Placement problems", "放置问题";

    // The door.
    DropTitle: "Drop to open", "松开以打开";
    DropKinds: "Models: ONNX, TFLite, config.json, GGUF, safetensors. Deployed plans: dumps of PyTorch, XLA, IREE, ExecuTorch, Vela, TFLite Micro, LiteRT, MegEngine. Problems and plans: CSV, JSON.", "模型：ONNX、TFLite、config.json、GGUF、safetensors。已部署的计划：PyTorch、XLA、IREE、ExecuTorch、Vela、TFLite Micro、LiteRT、MegEngine 的转储。问题与计划：CSV、JSON。";
    DropTogether: "Files of one dump go together.", "同一转储的多个文件请一起放入。";
    How: "How to get such a file", "如何获得此类文件";

    // The section of the help.
    OpenTitle: "What can be opened", "可以打开什么";
    OpenHint: "Drop, choose or paste it. Files are recognised by content, not extension; several files of one dump go together. Nothing leaves this machine.", "拖放、选择或粘贴均可。由内容而非文件名判断；同一转储的多个文件请一起打开。文件不会离开本机。";
    Copy: "Copy", "复制";
    Copied: "Copied", "已复制";
    Model: "The model itself: its lifetimes are found and planned.", "模型本身：求出其生命周期并进行规划。";
    Described: "Of a language model config.json, safetensors (with or without their index and config.json) or a GGUF of any size: the header alone is read, and a graph is written of it.", "语言模型的 config.json、safetensors（可连同索引与 config.json）或任意大小的 GGUF：只读取文件头，并据此写出计算图。";
    LlamaCpp: "The log of llama.cpp: the table of memory at its end, or what it says before that of each device.", "llama.cpp 的日志：结尾的内存分解表，或此前关于各设备的记录。";
    Requests: "Requests to a language model: what its key-value cache needs under each placement. Lines such as # bytes_per_token=131072, # page=16 or # capacity=8589934592 say what it is like.", "对语言模型的请求：其键值缓存在每种放置方式下的需求。可用 # bytes_per_token=131072、# page=16、# capacity=8589934592 等行加以说明。";
    Torch: "A memory snapshot: call the first before what is to be seen, the second after it. The pickle is read, never run.", "内存快照：在待观察的代码之前调用第一行，之后调用第二行。pickle 只读取，从不执行。";
    Xla: "From the folder: …buffer-assignment.txt and …live-range.txt of one module together. This is for JAX; other frontends of XLA know the same flags.", "从文件夹中同时打开同一模块的 …buffer-assignment.txt 与 …live-range.txt。以 JAX 为例；XLA 的其他前端使用相同的标志。";
    XlaProto: "Or one file, …hlo.pb, which also says which values share their bytes:", "或单个文件 …hlo.pb，其中还说明哪些值共享字节：";
    XlaOom: "Or the message that a program does not fit, pasted: its largest tensors with padding and lines of source.", "或粘贴“程序放不下”的报错文本：其中最大的张量，含填充与源代码行。";
    Pprof: "What each line holds at one instant:", "某一瞬间每行代码占用的内存：";
    Xplane: "Or a profile of XProf, …xplane.pb: the modules in it.", "或 XProf 的剖析文件 …xplane.pb：其中的模块。";
    Iree: "What the compiler prints around its slice layout:", "编译器在切片布局前后打印的内容：";
    Executorch: "The program itself, .pte: the plan is in it.", "程序文件 .pte 本身：其中包含计划。";
    Tflm: "A .tflite with OfflineMemoryAllocation metadata, or what the memory planner prints:", "带有 OfflineMemoryAllocation 元数据的 .tflite，或内存规划器打印的内容：";
    Litert: "LiteRT has no dump. This script asks it where every tensor lies and writes a CSV:", "LiteRT 没有转储功能。此脚本查询每个张量的位置并写成 CSV：";
    LitertScript: "Download litert_addresses.py", "下载 litert_addresses.py";
    Vela: "The compiler's log:", "编译器的日志：";
    Megengine: "StaticMemoryInfo.json, or the result that the planner prints. Its interval dump opens, too, as a problem without places.", "StaticMemoryInfo.json，或规划器打印的结果。其区间转储也可打开，作为尚无位置的问题。";
    Trace: "A Chrome trace in which times stand for offsets; it is turned the right way round.", "以时间表示偏移的 Chrome 跟踪；会自动转正。";
    Profile: "The profile that SessionOptions.enable_profiling writes: sizes and times of every node. When values live is not in it, so that it opens as a problem: what one node reads and writes at once.", "SessionOptions.enable_profiling 写出的剖析文件：每个节点的大小与时间。其中没有各值的存活时间，因此作为问题打开：单个节点同时读写的字节。";
    Tvm: "The graph JSON of the graph executor: its storages as shared objects.", "图执行器的计算图 JSON：其存储即共享对象。";
    Packed: "Around any of these: what belongs together is opened together. A text may also be pasted into the page.", "可包裹以上任何文件：属于一体的会一起打开。文本也可直接粘贴到页面中。";
    Others: "Any other planner: a CSV with the columns below. Arenascope's own plans are JSON.", "其他任何规划器：包含下述列的 CSV。Arenascope 自身的计划为 JSON。";
}
