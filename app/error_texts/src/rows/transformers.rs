//! What is said of transformers that are described.

use super::table;

table! {
    "\"{}\" is no architecture that is known here": "“{}”不是此处已知的架构";
    "\"{}\" is not known here": "“{}”在此处未知";
    "an encoder keeps no keys and values": "编码器不保留键和值";
    "it is not there": "缺失";
    "key \"{}\"": "键 \"{}\"";
    "layers with and without a window follow no pattern that is known here": "有窗口的层与无窗口的层不符合此处已知的任何规律";
    "layers with and without experts take turns": "有专家的层与无专家的层交替出现";
    "line {} column {}": "第 {} 行第 {} 列";
    "neither true nor false": "既不是 true 也不是 false";
    "no whole number": "不是整数";
    "rotary positions turn pairs of elements": "旋转位置编码按元素对旋转";
    "the file does not say how it runs: {} tokens are read, their keys and values are kept, attention is one operator": "文件未说明如何运行：读取 {} 个 token 并保留其键和值，注意力为一个算子";
    "the file does not say how it runs: {} tokens are read, attention is one operator": "文件未说明如何运行：读取 {} 个 token，注意力为一个算子";
    "version {} is not known here: {} is": "版本 {} 在此处未知：已知的是 {}";
    "{} \"{}\" is not known: 16 bits are taken": "{} “{}”未知：按 16 位计算";
    "{} do not divide {} heads": "{} 不能整除 {} 个头";
    "{} elements do not fit {} rows": "{} 个元素与 {} 行不符";
    "{} is more than {} experts": "{} 多于 {} 个专家";
    "{} is no multiple of the {} of an expert": "{} 不是单个专家大小 {} 的倍数";
    "{} is not from 1 to {}": "{} 不在 1 至 {} 之间";
    "it is big-endian, which is not read": "文件为大端序，不支持读取";
    "version {} of GGUF is not read: 2 and 3 are": "不支持 GGUF 版本 {}：支持 2 和 3";
    "an array reaches beyond the end of the file": "数组超出文件末尾";
    "{} {}, more than {}": "{} {}，超过 {}";
    "a text that is no UTF-8, from its byte {} on": "文本自第 {} 字节起不是 UTF-8";
    "{} is no type of a value": "{} 不是任何值类型";
    "arrays in arrays, deeper than {}": "数组嵌套超过 {} 层";
    "{} is no type of a tensor that is known here": "{} 不是此处已知的张量类型";
    "rows of {} elements are no blocks of {}": "每行 {} 个元素不是 {} 的整块";
    "its bytes are beyond 64 bits": "字节数超出 64 位";
    "its {} {} take {} bytes: {}": "其 {} {}共占 {} 字节：{}";
    "layers differ, which is not read": "各层取值不同，不支持读取";
    "the cache is beyond 64 bits": "缓存超出 64 位";
    "{} needs {} bytes alone, and the cache has {}": "{} 单独就需要 {} 字节，而缓存只有 {}";
    "more than {} blocks are taken": "取用的块超过 {} 个";
    "{} is 0, and has to be at least 1": "{} 为 0，须至少为 1";
    "{} is said twice": "{} 说了两次";
    "more than {} requests": "请求超过 {} 个";
    "there is no request": "没有任何请求";
    "its first line is not id,arrival,prompt,output": "首行不是 id,arrival,prompt,output";
    "bytes_per_token is not said: {} are taken, those of Llama 3 8B in 16 bits": "未说明 bytes_per_token：取 {}，即 16 位的 Llama 3 8B";
    "one block of {} tokens each": "每个请求一块，{} 个词元";
    "buddy blocks, powers of two of {} tokens": "伙伴块，{} 个词元的 2 的幂倍";
    "pages of {} tokens": "每页 {} 个词元";
    "pages of {} tokens, prefixes shared": "每页 {} 个词元，共享前缀";
    "pages of {} tokens, sliding window": "每页 {} 个词元，滑动窗口";
    "pages of {} tokens, swapped out": "每页 {} 个词元，换出到主机";
    "{}: host's memory": "{}：主机内存";
    "at most {} requests at once, the last one ends at step {}; preempted: {}. Of memory times time {} % held tokens, {} % waited for tokens to come, {} % was wasted inside blocks and {} % outside": "同时至多 {} 个请求，最后一个在第 {} 步结束；被抢占：{} 次。按内存乘时间计，{} % 存放词元，{} % 等待后续词元，{} % 浪费在块内，{} % 浪费在块外";
}
