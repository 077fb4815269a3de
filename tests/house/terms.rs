//! One term for each thing: what is never said on the page, and what is said instead.

use crate::File;

/// Where the page's own words are, and what others say in Chinese.
const WORDS: &str = "app/src/strings/";
const FAULTS: &str = "app/error_texts/src/rows/";

/// What is not said, in small letters, and the term to use.
const INSTEAD: [(&str, &str); 43] = [
    ("buffer", "tensor"),
    ("letters", "characters"),
    ("refuted", "failed"),
    ("twin", "CPU reference"),
    ("largest live sum", "peak of live bytes"),
    ("positional maxima", "lower bound for shared objects"),
    ("content decides", "files are recognised by content"),
    ("stands at 1", "is set to 1"),
    ("gives no number", "leaves open"),
    ("beside the arena", "outside the arena"),
    ("write over what they read last", "in-place operators"),
    ("keep all but", "replan only this one"),
    ("what holds it up", "why it cannot lie lower"),
    ("here before", "earlier at this address"),
    ("here after", "later at this address"),
    ("in step by", "synchronise by"),
    ("one decision on", "next decision"),
    ("would do, but", "also fits, but an earlier one is taken"),
    ("given to object", "goes into object"),
    ("who goes where", "assignment to pools is heuristic"),
    ("has nothing to add", "no remarks"),
    ("no step needs more", "the peak would fall to this"),
    ("live range", "lifetime"),
    ("结点", "节点"),
    ("生存期", "生命周期"),
    ("存活区间", "生命周期"),
    ("存活期", "生命周期"),
    ("裁判", "检验"),
    ("缓冲区", "张量"),
    ("此前在此", "该地址之前的占用者"),
    ("此后在此", "该地址之后的占用者"),
    ("由什么支撑", "为何不能更低"),
    ("支撑链", "这条链"),
    ("触及", "实际写入"),
    ("已否定", "验证失败"),
    ("最大存活总和", "同时活跃内存的峰值"),
    ("逐位最大值", "共享对象的下界"),
    ("归属未搜索", "内存池分配未经搜索"),
    ("，相比 ", "A 比 B 小"),
    ("内存池归属", "内存池分配"),
    ("孪生", "对照实现"),
    ("字母", "字符"),
    ("影片", "回放"),
];

/// Words about a buffer that is one: of a format that speaks of buffers and live ranges, or on a
/// device.
const BUFFERS: [&str; 10] = [
    "Xla",
    "FormatXla",
    "RemedyUnknownFormat",
    "RemedyApart",
    "RunHint",
    "AllocatedHint",
    "Allocated",
    "LedgerTitle",
    "LedgerLabel",
    "CsvPauses",
];

/// Terms that another stands for, with that.
pub(crate) fn synonyms(files: &[File]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        let (words, faults) = (file.path.starts_with(WORDS), file.path.starts_with(FAULTS));
        if !words && !faults {
            continue;
        }
        for (at, line) in file.text.lines().enumerate() {
            // A row is `Name: "English", "Chinese";` or `"English": "Chinese";`.
            let Some((name, text)) = line.split_once(": \"") else {
                continue;
            };
            // What a dump has is a buffer; the English of faults is their source's.
            let is_buffer =
                faults || file.path.ends_with("/deployed.rs") || BUFFERS.contains(&name.trim());
            let text = text.to_lowercase();
            for (wrong, term) in INSTEAD {
                let applies = match wrong {
                    "buffer" | "缓冲区" | "live range" => !is_buffer,
                    "字母" => words,
                    _ => true,
                };
                if applies && text.contains(wrong) {
                    let line = at + 1;
                    findings.push(format!("{}:{line}: \"{wrong}\": say \"{term}\"", file.path));
                }
            }
        }
    }
    findings
}

#[test]
fn things_have_one_name() {
    crate::assert_clean(&synonyms(&crate::project()));
}

#[test]
fn planted_synonyms_are_found() {
    let rows = "    A: \"Twins of buffers\", \"结点\";\n    RunHint: \"one buffer\", \"缓冲区\";\n";
    let rows = [
        File::new("app/src/strings/a.rs", rows),
        File::new(
            "app/error_texts/src/rows/a.rs",
            "    \"a buffer\": \"由裁判\";\n",
        ),
        File::new("app/src/a.rs", rows),
    ];
    assert_eq!(
        synonyms(&rows),
        [
            "app/src/strings/a.rs:1: \"buffer\": say \"tensor\"",
            "app/src/strings/a.rs:1: \"twin\": say \"CPU reference\"",
            "app/src/strings/a.rs:1: \"结点\": say \"节点\"",
            "app/error_texts/src/rows/a.rs:1: \"裁判\": say \"检验\"",
        ]
    );
}
