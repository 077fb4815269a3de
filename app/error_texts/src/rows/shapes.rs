//! Why a tensor has no size.

use super::table;

table! {
    "input {} is missing": "缺少输入 {}";
    "{} depends on the elements of \"{}\"": "{} 取决于 \"{}\" 的元素";
    "{} gives at most {}: set fewer for \"{}\"": "{} 最多给出 {} 个：请为 \"{}\" 设定更少的数量";
    "{}: set how many at most": "{}：请设定数量上限";
    "what it reads is no vector": "其输入不是向量";
    "boxes {} with scores {}": "边界框为 {}，得分为 {}";
    "{}: a dimension beyond 64 bits": "{}：有维度超出 64 位";
    "axis {} of rank {}": "轴 {}（秩为 {}）";
    "{} axes of rank {}": "{} 个轴（秩为 {}）";
    "{} dimensions": "{} 个维度";
    "size {}": "大小 {}";

    "output {} of {}": "输出 {}（共 {}）";
    "no shape in the file": "文件中没有形状";
    "rank {}": "秩 {}";

    "a scalar": "标量";
    "ids that are not (batch, length)": "标识的形状不是 (batch, length)";
    "embeddings that are not a matrix": "嵌入不是矩阵";
    "unexpected dimensions": "维度不符合预期";

    "no kernel_shape": "没有 kernel_shape";
    "pads {}": "填充 {}";
    "a kernel {}": "卷积核 {}";
    "a window of {} over {}": "窗口 {} 大于 {}";
    "an image of {}": "图像为 {}";
    "an image without channels": "图像没有通道";
    "columns that are not two halves": "列数不能分为两半";
    "weights of {}": "权重为 {}";
    "weights of {} for {} channels": "权重为 {}，而通道数为 {}";
    "over {} elements": "作用于 {} 个元素";
    "more padding than output": "填充多于输出";
    "no regions or no size": "没有区域或没有大小";
    "fewer than two dimensions": "少于两个维度";
    "an empty block": "块为空";

    "{} and {} do not fit": "{} 与 {} 不匹配";
    "element sizes differ": "元素大小不同";

    "starts, ends, axes and steps do not fit": "starts、ends、axes 与 steps 不匹配";
    "step 0": "步长为 0";
    "indices {} of {}": "{1} 的索引为 {0}";
    "axis {}": "轴 {}";

    "no shape": "没有形状";
    "{} to {}": "{} 变为 {}";
    "axis {} of {} is not 1": "{1} 的轴 {0} 不为 1";
    "no axes": "没有轴";
    "an axis is given twice": "有轴给出了两次";
    "perm {} of rank {}": "perm 为 {}，而秩为 {}";
    "{} sizes for {} parts": "{} 个大小对应 {} 个部分";
    "{} by {}": "{} × {}";
    "no pads": "没有填充";
    "pads {} for {} axes": "填充 {} 对应 {} 个轴";
    "pads {} of {}": "{1} 的填充为 {0}";
    "{} for {} axes": "{} 对应 {} 个轴";
    "blocks of {} in {}": "{1} 中的块为 {0}";

    "{} times {}": "{} 乘以 {}";
    "not two matrices": "不是两个矩阵";
    "inner dimensions {} and {}": "内部维度为 {} 与 {}";
    "no equation": "没有算式";
    "'{}' appears in no input": "'{}' 不出现在任何输入中";
    "term \"{}\" for {}": "项 \"{}\" 对应 {}";

    "an input of {}": "输入为 {}";
    "recurrent weights without three dimensions": "循环权重不是三维";

    "scale {} of {}": "{1} 的缩放为 {0}";
    "sizes {}": "大小为 {}";
    "{} at {}": "{} 位于 {}";

    "{} instead of one number": "得到 {}，而应为一个数";
    "a signal of {}": "信号为 {}";
    "neither a window nor a frame length": "既没有窗口也没有帧长";
    "{} of {} by {}": "{1} 中的 {0}，步长 {2}";

    "a constant without a shape": "常量没有形状";
    "limits that are not scalars": "上下限不是标量";
    "{} to {} by {}": "{} 到 {}，步长 {}";
    "delta 0": "delta 为 0";
    "no batch": "没有批维度";

    "{} elements do not make {}": "{} 个元素不能组成 {}";
    "a squeezed dimension is not 1": "被压缩的维度不为 1";
    "the permutation has another rank": "置换的秩不同";
    "{} does not continue {}": "{} 不能接在 {} 之后";
    "paddings of another rank": "填充的秩不同";
    "multiples of another rank": "倍数的秩不同";
    "the operand does not broadcast to the shape": "操作数不能广播到该形状";
    "a step of 0": "步长为 0";
    "the length is not two numbers": "长度不是两个数";
    "an operand of less than two dimensions": "操作数少于两个维度";

    "{} counts elements by their values": "{} 按元素的值计数";
    "{} and {} do not broadcast": "{} 与 {} 不能广播";
    "{} needs the elements of \"{}\"": "{} 需要 \"{}\" 的元素";
    "input {} is empty": "输入 {} 为空";

    "{} in {} parts": "{} 分为 {} 部分";
    "parts exceed the whole": "各部分超过整体";
    "outputs do not match the dimension": "输出与维度不符";
    "the operand is a scalar": "操作数是标量";
    "begin or size of another rank": "begin 或 size 的秩不同";
    "begins behind the end": "在末尾之后开始";
    "begin, end and strides differ in length": "begin、end 与 strides 长度不同";
    "more indices than dimensions": "索引多于维度";
    "index {} of {}": "索引 {}，而大小为 {}";
    "a stride of 0": "步幅为 0";
    "more batch dimensions than the axis allows": "批维度多于轴所允许的数目";
    "indices are longer than the rank": "索引长于秩";
    "the table is a scalar": "表是标量";

    "stride or window of 0": "步幅或窗口为 0";
    "a window of {} on {}": "窗口 {} 作用于 {}";
    "input is not of rank 2": "输入的秩不为 2";
    "input {} has rank {}, not {}": "输入 {} 的秩为 {}，而不是 {}";
    "weights are a scalar": "权重是标量";
    "input is a scalar": "输入是标量";
    "weights lack a dimension": "权重缺少一个维度";
    "{} elements in rows of {}": "{} 个元素，每行 {}";
    "an operand has less than two dimensions": "有操作数少于两个维度";
    "the new size is not two numbers": "新的大小不是两个数";
    "a block of 0": "块为 0";
    "blocks and paddings differ in number": "块与填充的数目不同";
    "crops beyond the image": "裁剪超出图像";

    "{} of {}": "{1} 的 {0}";
    "k {}": "k {}";
}
