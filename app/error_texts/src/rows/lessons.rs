//! What is said of lessons: files that are none, figures that cannot be measured, what is doubtful.

use super::table;

table! {
    "it is larger than {} MiB": "大于 {} MiB";
    "line {}, column {}: {}": "第 {} 行，第 {} 列：{}";

    "there is no setup {}": "没有名为 {} 的设置";
    "{} cannot be read: {}": "无法读取 {}：{}";
    "{} has more than {} steps or {} buffers": "{} 超过 {} 步或 {} 个张量";
    "nothing is called {} here": "此处没有名为 {} 的内容";
    "{} has no plan: {}": "{} 没有计划：{}";
    "the smallest arena of {} is not proved": "{} 的最小内存区未经证明";
    "a number stands where names should, or names where a number should": "应为名称处是数，或应为数处是名称";
    "nothing is open": "没有打开任何内容";
    "deployed plan": "部署的计划";
    "change by hand": "手动更改";
    "allocator that reserves": "会预留内存的分配器";
    "schedule": "调度";
    "shared object": "共享对象";
    "such eviction": "这样的逐出";
    "such swap": "这样的交换";
    "step that swaps": "会交换的训练步";
    "link to the host": "到主机的链路";
    "training step": "训练步";
    "finite number": "有限的数";

    "its name is to be small letters and hyphens": "名称应由小写字母与连字符组成";
    "it has no scene": "没有场景";
    "setup {} is of no problem of the lesson": "设置 {} 不属于本课的任何问题";
    "a problem from a seed needs a lesson of one scene": "由种子生成的问题要求课程只有一个场景";
    "another scene is called so": "另有场景使用此名称";
    "it is of no problem of the lesson": "不属于本课的任何问题";
    "it says {}, and the picture has KiB, MiB and GiB": "文中用 {}，而图中用 KiB、MiB 与 GiB";
    "it has more than {} words or {} characters": "超过 {} 个英文单词或 {} 个汉字";
    "{} is no term's name": "{} 不是术语的名称";
    "it needs at least two choices with names of their own": "至少需要两个名称各异的选项";
    "it says {}, and {} is measured": "文中写 {}，测得 {}";
    "{} of its claims hold, not one": "成立的断言有 {} 个，应恰为一个";
    "nothing is said to who chooses {}": "选择 {} 时没有任何反馈";
    "its tolerance is below zero": "容差小于零";
    "{} is called a mistake and is right": "{} 被当作错误，却是正确答案";
    "nothing is right to point at": "没有可指的正确对象";
    "{} is called wrong and is right": "{} 被当作错误，却是正确的";
    "{} has no place in the right order": "{} 在正确顺序中没有位置";
    "{} cannot be reached: {} is proved": "无法达到 {}：已证明最小为 {}";
    "{} recomputations are the fewest, not {}": "最少重计算 {} 次，而非 {} 次";
    "no set of activations fits": "没有任何激活集合放得下";
    "what is measured is not what is asked for": "所测与所问不符";
    "{} is explained by no figure": "{} 没有对应的数据";
    "it says nothing in {}": "缺少 {} 文本";

    "choice {}": "选项 {}";
    "item {}": "条目 {}";
    "feedback {}": "反馈 {}";
    "trap {}": "陷阱 {}";
    "wrong {}": "错误答案 {}";
    "early {}": "过早的 {}";
}
