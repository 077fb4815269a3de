//! What is said where a training step is divided among devices.

use super::words;

words! {
    /// A string about a step on many devices.
    ShardingWord, sharding;

    Title: "Many devices", "多设备";
    Hint: "The step of one rank, by autograd's rule. Devices are replicas × tensor × context × stages; the batch above is that of a micro-batch of a rank.", "一个 rank 的训练步，按 autograd 规则。设备数 = 副本 × 张量 × 上下文 × 阶段；上面的批大小是每个 rank 的微批大小。";
    Devices: "{} {device|devices}; a step has {} {sample|samples}: {} × {} {micro-batch|micro-batches} of {}", "{} 台设备；每步 {} 个样本：{} × {} 个微批，每个 {}";
    Data: "Replicas, d", "副本数 d";
    DataHint: "Data parallel: each replica computes other samples", "数据并行：各副本计算不同的样本";
    Zero: "Replicas divide", "副本间划分";
    Zero0: "nothing (DDP)", "不划分（DDP）";
    Zero1: "optimizer state (ZeRO-1)", "优化器状态（ZeRO-1）";
    Zero2: "gradients, too (ZeRO-2)", "还有梯度（ZeRO-2）";
    Zero3: "weights, too (ZeRO-3, FSDP)", "还有权重（ZeRO-3、FSDP）";
    Tensor: "Tensor parallel, t", "张量并行 t";
    TensorHint: "Products of matrices are divided: q, k, v and the first feed-forward product by columns, those after them by rows", "划分矩阵乘：q、k、v 与前馈第一个乘积按列，其后的按行";
    Sequence: "sequence parallel", "序列并行";
    SequenceHint: "What tensor parallelism does not divide is divided along the sequence", "张量并行不划分的部分沿序列划分";
    Context: "Context parallel, c", "上下文并行 c";
    ContextHint: "Whole sequences are divided; attention gathers keys and values", "整个序列被划分；注意力收集键与值";
    Expert: "Expert parallel, e", "专家并行 e";
    ExpertHint: "Experts are divided among so many of the replicas", "专家划分到这么多个副本上";
    Pipeline: "Stages, p", "流水线阶段 p";
    PipelineHint: "Layers are divided; one forward, one backward in turn (1F1B)", "划分各层；前向与反向交替（1F1B）";
    Chunks: "Chunks of a stage, v", "每阶段的块数 v";
    ChunksHint: "More than one is the interleaved schedule", "多于一块即交错调度";
    Micro: "Micro-batches, m", "微批数 m";
    MicroHint: "Of a step; their gradients are added up", "每步的微批数；其梯度累加";
    Stage: "Stage in view", "查看的阶段";
    StageHint: "From 0; ranks of a stage hold as much as each other", "从 0 起；同一阶段的各 rank 占用相同";
    Prefetch: "Gathered ahead", "提前收集";
    PrefetchHint: "Parts of the model whose weights are gathered before they are needed; backward one always is", "在需要之前就收集权重的模型部分数；反向时总有一个";
    Bucket: "Bucket, MiB", "桶（MiB）";
    BucketHint: "Gradients are put together into so much before they are reduced; 0 for each part of the model by itself", "梯度凑够这么多再归约；0 表示模型的每部分各自归约";
    Keeps: "gathered weights stay", "保留收集的权重";
    KeepsHint: "From the forward to the backward pass (reshard_after_forward=False)", "从前向到反向（reshard_after_forward=False）";
    Offload: "optimizer on the host", "优化器在主机上";
    OffloadHint: "Its state and the master copy take no memory of the device", "其状态与主副本不占设备内存";
    Wide: "32-bit gradients", "32 位梯度";
    WideHint: "Gradients of weights are added up in 4 bytes in mixed precision, too, as Megatron does", "混合精度下权重梯度也以 4 字节累加，如 Megatron";
    Ranks: "First, middle and last stage side by side", "首、中、末阶段并排";
    RanksHint: "Plan a schedule first: keep all, or a row of the table", "请先规划一个调度：全部保留，或表中的一行";

    Bars: "What a rank holds at its peak", "一个 rank 的峰值占用";
    BarsHint: "One thing chosen otherwise, all else as it is. A bar is taken by a click.", "只改变一项，其余不变。点击一条即采用。";
    Over: "by", "按";
    OfStage: "stage", "阶段";
    OfZero: "what replicas divide (ZeRO)", "副本间划分（ZeRO）";
    OfData: "replicas, d", "副本数 d";
    OfTensor: "tensor parallel, t", "张量并行 t";
    OfContext: "context parallel, c", "上下文并行 c";
    OfPipeline: "stages, p", "阶段数 p";
    OfBatch: "micro-batch, samples", "微批（样本）";
    OfSequence: "sequence, tokens", "序列（词元）";
    NoSequence: "The model has no dimension for the length of a sequence.", "模型没有序列长度这一维。";
    MostLoaded: "Stage {} holds most: {}, of which {} {}.", "阶段 {} 占用最多：{}，其中{} {}。";
    Cannot: "not possible: {}", "不可行：{}";
}
