//! Words for the passes that people choose, and the rules that these follow.

use super::words;

words! {
    /// A string about passes.
    PassWord, passes;

    Quantised: "Run QDQ groups on integers", "QDQ 组按整数运行";
    QuantisedHint: "What stands between DequantizeLinear and QuantizeLinear runs as an operator on integers of 8 bits, as ONNX Runtime runs it.", "DequantizeLinear 与 QuantizeLinear 之间的算子像 ONNX Runtime 那样按 8 位整数运行。";
    Decompose: "Decompose", "分解算子";
    DecomposeHint: "Takes normalisations, softmax, GELU and SiLU apart into their arithmetic, as compilers do.", "把归一化、softmax、GELU 和 SiLU 拆成基本运算，如同编译器所做。";
    BatchNorm: "Fold batch norms", "折叠批归一化";
    BatchNormHint: "Folds batch normalisations into the weights of the convolutions before them.", "把批归一化并入其前卷积的权重。";
    Fusion: "Fuse operators", "融合算子";
    FusionHint: "Operators that follow one another run as one: what is between them needs no memory.", "前后相接的算子合为一个：它们之间的张量不占内存。";
    FusionAll: "every pattern", "全部模式";
    FusionActivations: "Relu and Clip only", "仅 Relu 和 Clip";
    Views: "Use views", "使用视图";
    ViewsHint: "Slices, reshapes, splits and transposes are the bytes of their input, read with strides; where that does not raise the peak.", "切片、变形、拆分、转置直接按步长读取其输入的字节；仅在不抬高峰值处使用。";
    ViewsStrided: "any strides", "任意步长";
    ViewsContiguous: "contiguous only", "仅连续";
    ViewsGgml: "as ggml, always", "同 ggml，总是";
    Concat: "Concatenate in place", "原地拼接";
    ConcatHint: "The pieces of a concatenation are written where the whole has them.", "拼接的各部分直接写入整体中的位置。";
    InPlace: "Allow in-place operators", "允许原地算子";
    InPlaceHint: "An operator writes over an input that nobody reads after it.", "算子把输出写在此后无人读取的输入之上。";
    InPlaceLitert: "as LiteRT", "同 LiteRT";
    InPlaceMxnet: "as MXNet", "同 MXNet";
    InPlaceOnnxRuntime: "as ONNX Runtime", "同 ONNX Runtime";
    InPlaceGgml: "as ggml", "同 ggml";
    InPlaceAggressive: "wherever it is legal", "凡合法之处";
    Order: "Order operators", "重排算子";
    OrderHint: "Operators run in an order that lowers the peak; everything that the model depends on is kept.", "按降低峰值的次序运行算子；模型的依赖关系全部保留。";
    OrderExact: "exact", "精确";
    OrderSearch: "local search", "局部搜索";
    OrderGreedy: "greedy by live bytes", "按活跃内存贪心";
    OrderDepthFirst: "depth first", "深度优先";
    Rule: "{}: rule", "{}：规则";
}
