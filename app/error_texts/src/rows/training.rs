//! Training steps: problems, logs and policies.

use super::table;

table! {
    "no instruction: {}": "不是指令：{}";
    "no instruction is called {}": "没有名为 {} 的指令";
    "there is no argument {}": "没有第 {} 个参数";
    "\"{}\" is there already": "\"{}\" 已经存在";
    "{} of \"{}\" is missing behind it": "其后缺少 \"{1}\" 的 {0}";
    "more than {} arguments and results": "参数与结果超过 {} 个";
    "there is no tensor \"{}\"": "没有张量 \"{}\"";
    "{} has to be a whole number up to {}": "{} 须为不超过 {} 的整数";
    "no layers (line {}, column {}): {}": "不是层的列表（第 {} 行第 {} 列）：{}";
    "\"{}\" reads what is not computed before it": "\"{}\" 读取了在它之前尚未计算的内容";
    "layer {}": "第 {} 层";
    "there are no layers, or no samples": "没有层，或没有样本";
    "the file is about {} samples: the batch of the training step is chosen beside it": "该文件按 {} 个样本给出：训练步的批量另行选择";
    "its operations are beyond 63 bits": "其运算量超出 63 位";
    "bytes or costs are beyond 64 bits": "字节数或开销超出 64 位";
    "{} nodes, of which we read at most {}": "有 {} 个节点，最多读取 {} 个";
    "{} values are read, of which we read at most {}": "共读取 {} 个值，最多支持 {} 个";
    "no policy is called {}: there is {}": "没有名为 {} 的策略，可用的有 {}";
    "no device is called {}: give its bytes, or one of {}": "没有名为 {} 的设备：请给出字节数，或选其一：{}";
    "line {}: {}": "第 {} 行：{}";
    "attention cannot be divided among {} devices: choose a number that divides the heads of queries and those of keys and values": "注意力无法分给 {} 个设备：请选能整除查询头数与键值头数的数";
    "no product can be divided among {} devices: choose a number that divides heads, and the size between the products of a feed-forward part": "没有乘积能分给 {} 个设备：请选能整除头数、且能整除前馈部分两次乘积之间大小的数";
    "{} tokens cannot be divided evenly among {} devices": "{} 个词元不能均分给 {} 个设备";
    "the model reads no tokens that could be divided": "模型没有读入可划分的词元";
    "{} experts cannot be divided evenly among {} devices": "{} 个专家不能均分给 {} 个设备";
    "{} layers cannot be divided into {} stages: choose fewer stages or chunks": "{} 层无法划分为 {} 个阶段：请减少阶段数或块数";
    "where a step is divided, gradients stay: leave out set_to_none": "划分训练步时梯度保留：请不要使用 set_to_none";
    "a pipeline is not planned with frozen layers: choose one of both": "流水线不支持冻结层：请二者取一";
    "stage {} is none of {}: they are numbered from 0": "没有阶段 {}：共 {} 个，从 0 编号";
    "one stage has nothing to interleave: choose one chunk, or more stages": "只有一个阶段无法交错：请选一个块，或更多阶段";
    "{} stages with several chunks need a multiple of as many micro-batches, not {}": "{} 个多块阶段需要其整数倍的微批数，而非 {}";
    "by autograd's rule alone a step is divided among devices": "只有按 autograd 规则的训练步才能划分到多个设备";
    "{} replicas cannot divide experts among {}: choose a divisor": "{} 个副本无法把专家划分为 {} 份：请选一个约数";
}
