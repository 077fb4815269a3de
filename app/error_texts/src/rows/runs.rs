//! What is said of runs.

use super::table;

table! {
    "it is not in the file": "它不在文件中";
    "{} elements are stored, {} are needed": "存有 {} 个元素，而需要 {} 个";
    "the file is not open": "文件未打开";
    "the file ends before it does": "文件在其结束之前终止";
    "it does not fit the memory": "它放不进内存";
    "it has too many elements": "它的元素过多";
    "its sparsity contradicts itself": "其稀疏结构自相矛盾";

    "the elements of {} are not at hand: {}": "{} 的元素无法取得：{}";
    "the file holds {} B of {} B": "文件占 {} B，而需要 {} B";
    "there is no input {}": "不存在输入 {}";
    "a computed constant has a type that cannot be in a run": "计算得到的常量的类型不能用于运行";
    "it was not computed": "未曾计算";
    "{} words are there, {} are needed": "有 {} 个字，而需要 {} 个";
    "its range is beyond 64 bits": "其范围超出 64 位";

    "this program was built without one": "此程序构建时未包含 GPU 支持";

    "arena": "内存区";
    "inputs and outputs": "输入与输出";
    "uniforms": "uniform 数据";
    "readback": "回读";
    "placeholder": "占位内存";
    "timestamps": "时间戳";
    "limits": "性能上限";
    "uniforms: parts": "uniform 缓冲区：分段";
    "readback: tensor": "回读：张量";
    "timestamps: readback": "时间戳：回读";
    "audit: shadow of the arena": "审计：内存区的影子";
    "audit: counters": "审计：计数器";
    "audit: declared ranges": "审计：声明的范围";
    "audit: uniforms": "审计：uniform 缓冲区";
    "audit: readback": "审计：回读";
    "{} B, {} B of them the arena: {}": "{} B，其中内存区占 {} B：{}";

    "there is no GPU to run on: {}": "没有可用的 GPU：{}";
    "the GPU is out of memory: {}": "GPU 内存不足：{}";
    "the GPU refused a call: {}": "GPU 拒绝了调用：{}";
    "the GPU's driver failed: {}": "GPU 驱动失败：{}";
    "the GPU was lost: {}": "GPU 丢失：{}";
    "a run of {} dispatches is longer than {}, which offsets of 32 bits reach": "一次运行有 {} 次派发，超过 32 位偏移所能到达的 {} 次";

    "it does not answer": "没有应答";
    "it has gone": "已不在";

    "{} is fused into it": "其中融合了 {}";
    "the unknown activation {} is fused into it": "其中融合了未知的激活函数 {}";

    "{} permutes no {} dimensions": "{} 不是 {} 个维度的置换";
    "{} is no slice of {}": "{} 不是 {} 的切片";
    "the slice of axis {} leads outside of it": "轴 {} 的切片超出范围";
    "there is no axis {}": "不存在轴 {}";
    "{} does not broadcast to {}": "{} 不能广播到 {}";
    "{} does not repeat {}": "{} 不是 {} 的重复";
    "{} does not fit into {}": "{} 放不进 {}";
    "the pieces make {} of {}": "各部分合计 {}，而应为 {}";
    "the pads are of another rank": "填充的秩不同";
    "axis {} has nothing to pad with": "轴 {} 没有可用于填充的元素";
    "{} is not made of {}": "{} 不能由 {} 组成";
    "{} is more than one element": "{} 不止一个元素";

    "{} dimensions broadcast each its own way": "有 {} 个维度以各自的方式广播";

    "it holds a subgraph": "它含有子图";
    "it has no subgraph \"{}\"": "没有子图 \"{}\"";
    "its {} takes {} values, and gets {}": "其 {} 接受 {} 个值，却得到 {} 个";
    "its {} gives {} values, and {} are asked of it": "其 {} 给出 {} 个值，却要求 {} 个";
    "its iterations come to more than {} operators, which is the most that we unroll": "其各次迭代合计超过 {} 个算子，这是展开的上限";
    "its condition is computed during the run, and in a branch \"{}\" has no size: {}": "其条件在运行时计算，而一个分支中的 \"{}\" 没有大小：{}";
    "its condition is computed during the run, and its branches give \"{}\" as {} and as {}": "其条件在运行时计算，而两个分支给出的 \"{}\" 分别为 {} 和 {}";
    "something without a size": "没有大小的值";
    "its condition is not one truth value": "其条件不是单个真值";
    "a value that it passes on has no size": "它传递的某个值没有大小";
    "its trip count \"{}\" is not known before the run": "其循环次数 \"{}\" 在运行前未知";
    "its condition \"{}\" is not known before the run": "其条件 \"{}\" 在运行前未知";
    "it makes no iteration, so that its scan outputs have no size": "它一次也不迭代，因此其扫描输出没有大小";
    "its condition for the next iteration is computed during the run": "其下一次迭代的条件要在运行时才能算出";
    "its body gives fewer values than the loop carries": "其循环体给出的值少于循环携带的值";
    "its sequences are of several lengths": "其序列长度不一";
    "its attribute num_scan_inputs is not a number of its inputs": "其属性 num_scan_inputs 与输入数不符";
    "it has no scan inputs": "它没有扫描输入";
    "its scan inputs have {} and {} slices": "其扫描输入分别有 {} 个和 {} 个切片";
    "its scan input \"{}\" has no length": "其扫描输入 \"{}\" 没有长度";
    "TFLite Micro places what its subgraphs hold in the same arena, which is not modelled": "TFLite Micro 将其子图的内容放入同一内存区，此处未建模";
    "it names no subgraph that the file has": "它未指向文件中的任何子图";
    "its subgraph cannot be read: {}": "无法读取其子图：{}";
    "it keeps variables": "它保存变量";
    "output {} is missing": "缺少输出 {}";
    "input {} is not known before the run": "输入 {} 在运行之前未知";
    "there is no axis {} of {}": "不存在轴 {}，秩为 {}";
    "{} is {}, no float": "{} 为 {}，不是浮点数";
    "{} of type {} cannot be in a run": "类型为 {1} 的 {0} 不能参与运行";
    "there is no kernel for it": "没有对应的内核";
    "there is no kernel for it: operators of {} are not known": "没有对应的内核：{} 域的算子未知";
    "{} has no size: there is no kernel for {}": "{} 没有大小：{} 没有对应的内核";
    "it has no result": "它没有结果";
    "there is no kernel for this way of writing a normalisation": "没有用于这种归一化写法的内核";
    "it does not normalise along the last dimensions": "它不沿最后的维度归一化";
    "it normalises along nothing": "它没有归一化的维度";
    "its kernel cannot walk the strides of {}": "其内核无法按 {} 的步长读取";
    "the size of {} hangs on values of the run: {}": "{} 的大小取决于运行时的值：{}";
    "{} is too large to be planned: {}": "{} 过大，无法规划：{}";
    "{} has no size, because {} has none": "{} 没有大小，因为 {} 没有大小";
    "{} has no size: {}": "{} 没有大小：{}";

    "{} is quantised, and the file does not say how": "{} 经过量化，但文件未说明方式";

    "weights of {} in {} groups do not lead from {} to {}": "权重 {}（{} 组）不能由 {} 得到 {}";
    "it has too many pixels": "其像素过多";

    "it has {} operands, a kernel takes two": "它有 {} 个操作数，而内核只取两个";
    "term {} is not for {}": "项 {} 与 {} 不符";
    "term {} is not for a rank of {}": "项 {} 与秩 {} 不符";
    "letter {} has two sizes": "字母 {} 有两个大小";
    "letter {} is in no operand": "字母 {} 不在任何操作数中";
    "letter {} is written twice": "字母 {} 写了两次";
    "it has more than {} letters": "它的字母超过 {} 个";
    "{} is not for {}": "{} 与 {} 不符";

    "{} is {}": "{} 为 {}";
    "{} is {}, not bool": "{} 为 {}，而不是 bool";
    "{} has not as many elements as {}": "{} 的元素数与 {} 不同";
    "{} is {}, {} is {}": "{} 为 {}，{} 为 {}";

    "the axis does not fit the shapes": "轴与形状不符";
    "the indices are of another rank": "索引的秩不同";
    "the indices are a scalar": "索引是标量";
    "the indices do not fit the shape": "索引与形状不符";
    "{} has less than {} dimensions": "{} 少于 {} 个维度";
    "indices of type {} are not read": "不读取类型为 {} 的索引";
    "{} has another type than {}": "{} 与 {} 的类型不同";
    "{} has no elements to pick": "{} 没有可选取的元素";
    "{} has not {} elements": "{} 没有 {} 个元素";
    "it walks {} dimensions": "它要遍历 {} 个维度";
    "it reaches beyond 2^31 elements": "它超出 2^31 个元素";

    "{} operators cannot be run: {}": "{} 个算子无法运行：{}";
    "{} operators cannot be run: {}; {} more operators read what these would give": "{} 个算子无法运行：{}；另有 {} 个算子读取它们的结果";
    "its results are drawn at random: no two runs could be compared": "其结果随机生成：两次运行无法比较";
    "it needs memory that no tensor of the plan has": "它需要的内存不属于方案中的任何张量";
    "{} gave {} in \"{}\", and at most {} was set: set at least {}": "{0} 在 \"{2}\" 中给出 {1} 个，而设定的上限为 {3}：请设为至少 {4}";
    "{} gave {} in \"{}\", and the file says at most {}: set at least {}": "{0} 在 \"{2}\" 中给出 {1} 个，而文件声明的上限为 {3}：请设为至少 {4}";
    "what {} gives cannot be counted: {}": "无法统计 {} 的结果数量：{}";
    "how much {} gives cannot be counted": "无法统计 {} 的结果数量";
    "the elements of {} are not at hand": "没有 {} 的元素";
    "{} numbers of segments for {} rows": "{} 个段号对应 {} 行";
    "the numbers of its segments do not count up from 0": "其段号不是从 0 起逐一递增";
    "its k is no number of elements": "它的 k 不是元素个数";
    "its boxes and scores have no such dimensions": "边界框和得分的维度不符";
    "its boxes and scores do not fit": "边界框与得分不匹配";
    "it is too large": "它过大";
    "it compares more than {} pairs of boxes: ask for fewer boxes, or for higher scores": "需比较的边界框超过 {} 对：请减少所需的框数，或提高得分阈值";
    "it asks for {} boxes, and at most {} are listed": "它请求 {} 个边界框，而最多列出 {} 个";
    "boxes of {} are not suppressed": "不支持抑制类型为 {} 的边界框";
    "it has too many boxes": "边界框过多";
    "it has too many classes": "类别过多";
    "with what the run counted, \"{}\" takes {} B, and {} B were planned: it grows where a count is less": "按运行时统计的数量，\"{}\" 占用 {} 字节，而计划为 {} 字节：数量变小时它反而变大";
    "where \"{}\" lies in another tensor hangs on what the run counts: plan it without the passes \"views\" and \"concat\"": "\"{}\" 在另一个张量中的位置取决于运行时的数量：请在不使用 \"views\" 和 \"concat\" 变换的情况下规划";
    "with what the run counted, \"{}\" has no size: {}": "按运行时统计的数量，\"{}\" 没有大小：{}";
    "how much it gives hangs on values of the run": "其结果的数量取决于运行时的值";
    "{} sequences of {} units: a kernel has {} states": "{} 个序列、每个 {} 个单元：一个内核只有 {} 个状态";
    "its sequences have lengths of their own": "其各序列长度不同";
    "it has peepholes": "它带有窥孔连接";
    "its forget gate is its input gate": "其遗忘门与输入门耦合";
    "it has {} directions": "它有 {} 个方向";
    "input {} has {} elements": "输入 {} 有 {} 个元素";
    "there is no kernel for a pool over regions": "没有用于区域池化的内核";
    "{} × {}, the first is {}: {}": "{} × {}，第一个是 {}：{}";
    "{} has no size": "{} 没有大小";
    "{} lies at {} B: a run needs multiples of 4 B": "{} 位于 {} B：运行需要 4 B 的倍数";
    "{} ends at {} B, behind the arena of {} B": "{} 结束于 {} B，超出 {} B 的内存区";
    "the {} needs {} B, and this device binds {} B at most": "{} 需要 {} B，而此设备最多绑定 {} B";
    "{} reads {} where it writes {}: a GPU's threads run in no order": "{} 读取 {} 之处正是它写入 {} 之处：GPU 线程没有顺序";
    "a run has no other memory, and no encoder": "运行没有其他内存，也没有编码器";

    "io buffer": "输入输出缓冲区";

    "a pool does not lead from {} to {}": "池化不能由 {} 得到 {}";
    "a window of {} elements": "窗口 {} 的元素";
    "{} has no channels": "{} 没有通道";
    "it leads from {} to {}": "它由 {} 得到 {}";

    "a scalar is no matrix": "标量不是矩阵";
    "the product has {} elements, not {}": "乘积有 {} 个元素，而不是 {}";

    "it changes the rank": "它改变秩";
    "there is nothing to resize": "没有可缩放的内容";
    "it resizes {} of {} dimensions": "它缩放 {1} 个维度中的 {0} 个";
    "its fractions are beyond 32 bits": "其小数超出 32 位";

    "the axes of {} take turns too often": "{} 的轴交替过多";
    "{} does not reduce to {}": "{} 不能归约为 {}";
    "there is a bias without a scale": "有偏置而没有缩放";
    "{} has {} elements, {} are needed": "{} 有 {} 个元素，而需要 {} 个";

    "{} hidden units: a kernel has {}": "隐藏单元有 {} 个，而内核最多 {} 个";
    "a matrix of {} rows: a kernel has {}": "矩阵有 {} 行，而内核最多 {} 行";
    "it projects or normalizes its state": "它对状态做投影或归一化";
    "its weights are not constants of one type": "其权重不是同一类型的常量";
    "it assigns more than constants to variables": "它赋给变量的不只是常量";
    "it names {} functions": "它给出 {} 个函数";
    "there is no kernel for its function {}": "没有用于其函数 {} 的内核";

    "its places are {}, not integers": "其位置为 {}，而不是整数";
    "{} is not like {}": "{} 与 {} 不同";
    "{} are not of {}": "{} 不属于 {}";

    "its shapes do not fit": "其形状不匹配";
    "there are more indices than places": "索引多于位置";
    "its tuples are longer than the rank": "其元组长于秩";
    "its updates do not fit": "其更新不匹配";
    "it reaches beyond 2^32 elements": "它超出 2^32 个元素";
    "there is no kernel for it on {}": "没有用于 {} 的内核";
    "{} tuples are too many to look through": "{} 个元组过多，无法逐一检查";

    "elements of type {} cannot be moved": "类型为 {} 的元素无法搬移";
    "elements of type {} share words with others": "类型为 {} 的元素与其他元素共用字";

    "weights of one operator": "一个算子的权重";

    "an image of {}: there is a kernel for 1 to 3 spatial dimensions": "图像为 {}：内核只支持 1 至 3 个空间维度";
    "{} for {} dimensions": "{} 对应 {} 个维度";
    "{} is out of range": "{} 超出范围";
    "a window of {}": "窗口 {}";
    "its window reaches beyond 2^30 elements": "其窗口超出 2^30 个元素";

    "it may be training": "可能是训练";
    "it drops at random: that is training": "它随机丢弃：属于训练";
    "it has no starts": "没有 starts";
    "it has more axes than starts": "axes 多于 starts";
    "it has more axes than steps": "axes 多于 steps";
    "it has no pads": "没有 pads";
    "{} pads for {} axes": "{} 个 pads 对应 {} 个轴";
    "there is no kernel for its mode {}": "没有用于其模式 {} 的内核";
    "its value is not in the file": "其值不在文件中";
    "it has no matrices": "没有矩阵";
    "it has no blocks of pixels": "没有像素块";

    "axis {} does not fit {}": "轴 {} 与 {} 不符";

    "there is no kernel for its reduction {}": "没有用于其归约 {} 的内核";
    "its batch dimensions are negative": "其批维度为负";

    "it has no equation": "没有算式";
    "it transposes batches": "它转置批维度";
    "its operands are not two matrices": "其操作数不是两个矩阵";

    "it computes in a type other than f32": "它以 f32 以外的类型计算";
    "scale and bias broadcast each its own way": "缩放与偏置以各自的方式广播";
    "it has {} outputs that are not known": "它有 {} 个未知的输出";
    "{} does not broadcast to {} along one run": "{} 不能沿一个连续段广播到 {}";
    "its groups do not divide the channels": "其分组不能整除通道数";
    "it is in training mode: it would update its statistics": "处于训练模式：会更新其统计量";
    "it is in training mode: is_test is 0": "处于训练模式：is_test 为 0";
    "it has statistics for each element: spatial is 0": "每个元素都有统计量：spatial 为 0";
    "{} is not for {} channels": "{} 与 {} 个通道不符";
    "the norm of order {} is neither L1 nor L2": "{} 阶范数既不是 L1 也不是 L2";

    "{} does not fit {}": "{} 与 {} 不符";
    "{} does not fit axis {} of {}": "{} 与 {2} 的轴 {1} 不符";

    "it has not one axis": "不是恰好一个轴";

    "this operator set has no cubic": "此算子集没有 cubic";
    "there is no kernel for antialias": "没有用于 antialias 的内核";
    "its region of interest is too short": "其感兴趣区域过短";
    "there is no kernel for rounding as {}": "没有用于舍入方式 {} 的内核";
    "there is no kernel for a scale of {}": "没有用于缩放 {} 的内核";
    "it has other axes": "它有其他的轴";
    "a size is negative": "有负的大小";
    "it has no axes": "没有 axes";
    "there is no kernel for coordinates as {}": "没有用于坐标方式 {} 的内核";
    "its region of interest is too far away": "其感兴趣区域过远";

    "a window of {} with weights of {}": "窗口为 {}，而权重为 {}";
    "padding of {} in {} dimensions": "填充为 {}，而维度为 {} 个";
    "auto_pad {}": "auto_pad 为 {}";
    "{} groups": "{} 组";
    "a window without a size": "窗口没有大小";

    "it has no axis": "没有 axis";
    "output {} has no size": "输出 {} 没有大小";
    "there is no axis {} in {}": "{1} 中不存在轴 {0}";
    "it pads with a zero point, which is not read from the file": "它以零点填充，而零点不从文件读取";

    "its blocks {} are too large": "其块 {} 过大";
    "its blocks do not fit the rank": "其块与秩不符";
    "its blocks or borders are negative": "其块或边界为负";
    "{} does not become {}": "{} 不能变为 {}";

    "quantised activations": "量化的激活";
    "what is sparse is no constant of the file": "稀疏内容不是文件中的常量";
    "an activation on {}": "对 {} 的激活";

    "its weights are shuffled": "其权重经过重排";
    "{} is no matrix": "{} 不是矩阵";
    "{} is not in rows of {}": "{} 不能分为每行 {}";
    "{} is not for {} outputs": "{} 与 {} 个输出不符";
    "its operands are not matrices": "其操作数不是矩阵";

    "quantised activations: {} is {}": "量化的激活：{} 为 {}";
    "its scales are powers of two that take more than one shift to the right": "其缩放因子为 2 的幂，所需不止一次右移";
    "its cell state has the scale {}, which is no power of two from 2^-15 to 2^-9": "其单元状态的缩放因子为 {}，不是 2^-15 到 2^-9 之间的 2 的幂";
    "the file does not say how its hidden state is quantised": "文件未说明其隐藏状态如何量化";
    "there is no kernel for it on quantised elements": "没有用于量化元素的内核";
    "softmax of quantised elements along another dimension than the last": "沿最后一维以外维度的量化元素 softmax";
    "its scales are not one for each operand": "缩放因子不是每个操作数一个";
    "{} has no scale": "{} 没有缩放因子";
    "{} has not one scale": "{} 没有单一的缩放因子";
    "{} and {} have not the same scale": "{} 与 {} 的缩放因子不同";
    "{} has not the scale of a softmax": "{} 的缩放因子不是 softmax 的";
    "{} has not the scale that it is given": "{} 的缩放因子不是所给的";
    "an activation on quantised elements": "对量化元素的激活";
    "its bias is not a float for each of {} filters": "其偏置不是为 {} 个滤波器各给一个浮点数";
    "{} scales for {} filters": "{} 个缩放因子对 {} 个滤波器";
    "{} and {} do not make {}": "{} 与 {} 得不到 {}";

    "it has an activation fused": "其中融合了激活函数";
    "a scalar has no axis": "标量没有轴";

    "it is not of rank 4": "其秩不为 4";

    "it takes {}, and {} is {}": "它取 {}，而 {} 为 {}";
    "it has more indices than dimensions": "它的索引多于维度";
    "there is no index {} of {}": "不存在索引 {}，大小为 {}";
    "its stride is 0": "其步幅为 0";
    "it is too long": "它过长";

    "a convolution in three dimensions with groups": "带分组的三维卷积";
    "a negative radius": "半径为负";

    "it was not asked for": "未要求";
    "the run without reuse does not repeat itself: {} words of its outputs differ the second time, which no plan explains": "不复用的运行自身无法重现：第二次运行的输出有 {} 个字不同，这不是任何方案所能解释的";
    "its sizes go beyond 64 bits": "其大小超出 64 位";
    "the device has no memory for its arena of {} B: {}": "设备没有足够的内存容纳 {} B 的内存区：{}";
    "the device has no memory for its shadow: {}": "设备没有足够的内存容纳其影子：{}";
    "the plan places nothing, so there is nothing to confirm": "计划没有放置任何内容，因此没有可确认的";
    "there is no audit: {}": "没有审计：{}";
    "there is no run without reuse: {}": "没有不复用的运行：{}";

    "a part of it could not be loaded": "其中一部分无法加载";

    "memory of which only sizes and lifetimes are known": "仅知大小与生命周期的内存";
    "inputs and outputs other than as TFLite Micro has them": "与 TFLite Micro 不同的输入与输出方式";

    "the code that this needs is not loaded": "所需的部分尚未加载";

    "the .npy header cannot be read: {}": "无法读取 .npy 头：{}";
    "elements are {}, {} is needed": "元素为 {}，而需要 {}";
    "elements lie column by column (fortran_order)": "元素按列存放（fortran_order）";
    "the shape is {}, {} is needed": "形状为 {}，而需要 {}";
    "{} B of elements, {} B needed": "元素占 {} B，而需要 {} B";
    "the file ends inside it": "文件在其中结束";
    "version {} is not known": "版本 {} 无法识别";
    "there is no {}": "缺少 {}";

    "there is no device": "没有设备";
    "{} B are there, {} B are needed": "占 {} B，而需要 {} B";

    "there is none": "没有文件";
    "it is no model": "它不是模型";

    "input {}: {}": "输入 {}：{}";
    "too large: {}": "过大：{}";

    "{} of {} has no heads": "{} 的形状为 {}，没有注意力头";
    "{}, {} and {} do not fit together": "{}、{} 与 {} 不相配";
    "there is no kernel for rotary embeddings together with a mask": "没有同时处理旋转位置编码与掩码的内核";
    "its rows have {} elements, of at most {}": "其每行有 {} 个元素，而最多为 {}";
    "{} is not for {} batches": "{} 不是 {} 个批次的";
    "its batches are packed": "其批次是打包的";
    "its attribute {} is not there": "缺少属性 {}";
    "there is no kernel for its input {}": "没有用于其输入 {} 的内核";
    "there is no kernel for its attribute {}": "没有用于其属性 {} 的内核";
    "its length is not one number": "其长度不是一个数";
    "{} of {} has no batches": "{} 的形状为 {}，没有批次";
    "there is no kernel for weights of {} bits": "没有用于 {} 位权重的内核";
    "its inputs are not those of its update": "其输入与其更新规则不符";

    // What the page itself says.
    "the browser cannot join it": "浏览器无法拼合该文件";
    "it has not answered": "没有收到回答";
    "its reply could not be read": "无法读取其回答";
    "its script could not be loaded": "无法加载其脚本";
    "the browser cannot read it": "浏览器无法读取";
    "no window": "没有窗口";
    "worker": "worker 线程";
    "pictures feed floats, this is {}": "图片只能作为浮点输入，而此处为 {}";
    "this input takes no picture": "此输入不接受图片";
}
