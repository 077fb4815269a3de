//! What is said where a transformer is described, and requests to it.

use super::words;

words! {
    /// A string about transformers without a file.
    GenerateWord, generate;

    Title: "A transformer without a file", "无需文件的 Transformer";
    Preset: "Begin with", "从此开始";
    Own: "your own", "自定义";
    Shape: "The model", "模型";
    Run: "What it does", "它做什么";
    Keeps: "What it keeps", "它占用什么";
    Layers: "Layers, L", "层数 L";
    LayersHint: "blocks of attention and feed-forward, one after the other", "依次相接的注意力与前馈块";
    Hidden: "Hidden size, h", "隐藏维度 h";
    HiddenHint: "numbers of a token between layers", "层与层之间每个词元的数值个数";
    Heads: "Query heads, a", "查询头数 a";
    HeadsHint: "attend side by side", "并行地计算注意力";
    KeyHeads: "Key-value heads", "键值头数";
    KeyHeadsHint: "fewer than query heads where several share one (grouped queries)", "若多个查询头共用一个，则少于查询头数（分组查询）";
    HeadSize: "Head size, d", "头维度 d";
    HeadSizeHint: "numbers of a key", "一个键的数值个数";
    Inner: "Feed-forward size, f", "前馈维度 f";
    InnerHint: "numbers of a token inside the feed-forward part", "前馈部分内部每个词元的数值个数";
    Vocabulary: "Vocabulary, v", "词表大小 v";
    VocabularyHint: "different tokens", "不同词元的个数";
    Window: "Sliding window", "滑动窗口";
    WindowHint: "tokens that a layer looks back; 0 for all", "一层向前看的词元数；0 表示全部";
    Gated: "Gated feed-forward", "门控前馈";
    Tied: "Logits by the table of tokens (tied)", "输出复用词表嵌入（共享）";
    Dropout: "Dropout in training", "训练时使用 dropout";
    Mode: "Mode", "模式";
    Forward: "reads sequences (training, encoding)", "读取序列（训练、编码）";
    Prefill: "reads a prompt and keeps keys and values", "读取提示并保留键与值";
    Decode: "writes the next token after a context", "在上下文之后写出下一个词元";
    Tokens: "Tokens, s", "词元数 s";
    TokensHint: "of a sequence, or the context that is kept", "一个序列的词元数，或所保留的上下文长度";
    Batch: "Batch, b", "批大小 b";
    BatchHint: "sequences at once", "同时处理的序列数";
    Attention: "Attention", "注意力";
    Written: "written out: scores are there at once", "展开：分数同时存在";
    Fused: "fused: no scores are kept", "融合：不保留分数";
    WeightType: "Weights", "权重";
    ActivationType: "Activations", "激活值";
    CacheType: "Keys and values", "键与值";
    Parameters: "Parameters", "参数量";
    Weights: "Weights", "权重";
    CacheOfToken: "Keys and values of a token", "每个词元的键与值";
    Cache: "Keys and values of {} × {} {token|tokens}", "{} × {} 个词元的键与值";
    Operations: "Operations of a pass", "一遍的运算量";
    NoCache: "none are kept in this mode", "此模式下不保留";
    PlanHint: "Activations, and where each lies, are planned once it is open; Train and Sweep take it from there.", "打开后即规划激活值及其位置；随后可用“训练”与“扫描”。";
    Open: "Open and plan", "打开并规划";
    Requests: "Requests to its cache", "对其缓存的请求";
    RequestsHint: "They arrive, grow by a token a step and end. Each placement becomes an arena: one block each, buddy blocks, pages, pages swapped out.", "请求到达，每步增长一个词元，然后结束。每种放置方式成为一个内存区：每个请求一块、伙伴块、分页、换出的分页。";
    Count: "Requests", "请求数";
    Every: "Steps between arrivals, on average", "到达间隔的平均步数";
    Prompts: "Prompts, tokens", "提示长度（词元）";
    Outputs: "Outputs, tokens", "输出长度（词元）";
    LengthsHint: "from..to; each doubling is as likely as another", "从..到；每次加倍的概率相同";
    Page: "Page, tokens", "页大小（词元）";
    Capacity: "Cache, MiB", "缓存大小（MiB）";
    CapacityHint: "0 for no limit", "0 表示不限";
    Seed: "Seed", "随机种子";
    Play: "Play them", "重放";
    WrongRange: "Write such as 16..1024.", "请写成 16..1024 的形式。";
}
