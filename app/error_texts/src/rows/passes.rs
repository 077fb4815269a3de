//! Why a pass refused a rewrite, or looked at nothing.

use super::table;

table! {
    "another operator reads it": "另有算子读取它";
    "its reader needs the elements one after the other": "读取它的算子需要连续的元素";
    "the caller feeds it": "由调用方提供";
    "the caller reads it": "由调用方读取";
    "it is known before the run": "运行前已知";
    "it is kept from one run to the next": "在各次运行之间保留";
    "the two hold different numbers of bytes": "两者字节数不同";
    "the two hold elements of different types": "两者元素类型不同";
    "so few bytes may stand for a shape": "字节太少，可能表示形状";
    "several of its elements share a byte": "它有多个元素共用同一字节";
    "scales or zero points are not those that the operator needs": "缩放或零点不是该算子所需要的";
    "it reads floats beside quantised elements": "它除量化元素外还读取浮点数";
    "its elements run backwards": "它的元素逆序排列";
    "it does not start at a whole word of 4 bytes": "它不从 4 字节整字开始";
    "it lies in another tensor already": "它已位于另一张量之内";
    "the others would lie between its elements": "其他张量会落在它的元素之间";
    "where it would lie depends on values of the run": "其位置取决于运行时的值";
    "there were too many to try each of them": "数量太多，未逐一尝试";
    "it would raise the live bytes at the peak from {} to {}": "它会把峰值活跃内存从 {} 提高到 {}";

    "conv + batch norm": "卷积 + 批归一化";
    "conv + batch norm + activation": "卷积 + 批归一化 + 激活";
    "conv + activation": "卷积 + 激活";
    "conv + element-wise": "卷积 + 逐元素";
    "matmul + bias + activation": "矩阵乘 + 偏置 + 激活";
    "matmul + element-wise": "矩阵乘 + 逐元素";
    "matmul + scale, mask, softmax": "矩阵乘 + 缩放、掩码、softmax";
    "scale, mask, softmax": "缩放、掩码、softmax";
    "element-wise chain": "逐元素链";
    "layer norm": "层归一化";
    "RMS norm": "RMS 归一化";

    "{} has no rule called {}; there are {}": "{} 没有名为 {} 的规则；可用的有 {}";
    "no pass is called {}; there are {}": "没有名为 {} 的 pass；可用的有 {}";

    "its schedule does more than compute": "其调度不只是计算";
    "operators run at the same time": "算子同时运行";
    "the file gives offsets of its own": "文件自带偏移";
    "sizes, or what must be kept, are beyond what can be planned": "大小或必须保留的内容超出可规划的范围";
}
