//! What formats of files are called.

use super::words;

words! {
    /// A string about formats.
    FormatWord, formats;

    Onnx: "ONNX model", "ONNX 模型";
    Tflite: "TFLite model", "TFLite 模型";
    Csv: "Placement problem (CSV)", "放置问题（CSV）";
    PlanJson: "Arenascope plan (JSON)", "Arenascope 计划（JSON）";
    ProgramJson: "Arenascope program (JSON)", "Arenascope 程序（JSON）";
    Gguf: "GGUF (llama.cpp)", "GGUF（llama.cpp）";
    Transformer: "Description of a transformer (config.json)", "Transformer 描述（config.json）";
    Safetensors: "Safetensors", "Safetensors";
    LlamaCpp: "Memory of llama.cpp (log)", "llama.cpp 的内存（日志）";
    Requests: "Requests to a language model (CSV)", "语言模型的请求（CSV）";
    LayersJson: "Layers of a training problem (JSON)", "训练问题的各层（JSON）";
    LogJson: "DTR log", "DTR 日志";
    GraphText: "Arenascope graph (text)", "Arenascope 计算图（文本）";
    Torch: "PyTorch memory snapshot", "PyTorch 内存快照";
    TorchTimeline: "PyTorch memory timeline", "PyTorch 内存时间线";
    Xla: "XLA buffer assignment", "XLA 缓冲区分配";
    XlaOom: "XLA out-of-memory text", "XLA 内存不足文本";
    Executorch: "ExecuTorch program", "ExecuTorch 程序";
    Vela: "Vela allocation log", "Vela 分配日志";
    Iree: "IREE stream IR", "IREE stream IR";
    Tflm: "TFLite Micro plan log", "TFLite Micro 计划日志";
    Litert: "LiteRT addresses (CSV)", "LiteRT 地址（CSV）";
    Megengine: "MegEngine static memory", "MegEngine 静态内存";
    Tvm: "TVM graph JSON", "TVM 计算图 JSON";
    OrtProfile: "ONNX Runtime profile", "ONNX Runtime 性能剖析";
    Pprof: "JAX device memory profile", "JAX 设备内存剖析";
    ChromeTrace: "Chrome trace", "Chrome 跟踪";
}
