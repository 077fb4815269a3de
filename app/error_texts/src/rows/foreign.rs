//! What libraries say, the parser of JSON and the decoder of links, and the script that writes
//! the addresses of LiteRT.

use super::table;

table! {
    "{} tensors that get their bytes while the model runs": "{} 个在模型运行时才得到内存的张量";
    "EOF while parsing a list": "列表没有结束";
    "EOF while parsing an object": "对象没有结束";
    "EOF while parsing a string": "字符串没有结束";
    "EOF while parsing a value": "值没有结束";
    "expected `:`": "此处应为 `:`";
    "expected `,` or `]`": "此处应为 `,` 或 `]`";
    "expected `,` or `}`": "此处应为 `,` 或 `}`";
    "expected ident": "此处应为 true、false 或 null";
    "expected value": "此处应有值";
    "expected `\"`": "此处应为 `\"`";
    "invalid escape": "无效的转义";
    "invalid number": "无效的数字";
    "number out of range": "数字超出范围";
    "invalid unicode code point": "无效的 Unicode 码点";
    "control character (\\u0000-\\u001F) found while parsing a string": "字符串中有控制字符（\\u0000-\\u001F）";
    "key must be a string": "键必须是字符串";
    "invalid value: expected key to be a number in quotes": "值无效：键应为引号中的数字";
    "lone leading surrogate in hex escape": "十六进制转义中有单独的代理项";
    "trailing comma": "末尾有多余的逗号";
    "trailing characters": "末尾有多余的字符";
    "unexpected end of hex escape": "十六进制转义不完整";
    "recursion limit exceeded": "嵌套过深";
    "missing field `{}`": "缺少字段 `{}`";
    "unknown field `{}`, expected {}": "未知字段 `{}`，应为 {}";
    "duplicate field `{}`": "字段 `{}` 重复";
    "unknown variant `{}`, expected {}": "未知取值 `{}`，应为 {}";
    "one of {}": "下列之一：{}";
    "{} or {}": "{} 或 {}";
    "invalid type: {}, expected {}": "类型无效：此处为{}，应为{}";
    "invalid value: {}, expected {}": "值无效：此处为{}，应为{}";
    "invalid length {}, expected {}": "长度 {} 无效，应为{}";
    "integer `{}`": "整数 `{}`";
    "floating point `{}`": "浮点数 `{}`";
    "boolean `{}`": "布尔值 `{}`";
    "character `{}`": "字符 `{}`";
    "string {}": "字符串 {}";
    "null": "null";
    "map": "对象";
    "sequence": "列表";
    "a map": "对象";
    "a sequence": "列表";
    "a string": "字符串";
    "a borrowed string": "字符串";
    "a boolean": "布尔值";
    "unit": "空值";
    "struct {}": "{} 对象";
    "struct {} with {} elements": "含 {1} 个元素的 {0} 对象";
    "tuple struct {}": "{} 列表";
    "a tuple of size {}": "{} 个元素的列表";
    "an array of length {}": "{} 个元素的列表";
    "fewer elements in sequence": "更少的元素";
    "Invalid symbol {}, offset {}.": "位于 {1} 的符号 {0} 无效。";
    "Invalid last symbol {}, offset {}.": "位于 {1} 的末尾符号 {0} 无效。";
    "Invalid input length: {}": "输入长度无效：{}";
    "out of range integral type conversion attempted": "整数超出范围";
    "Invalid padding": "填充无效";
}
