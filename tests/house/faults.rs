//! What planner, executor and workers say has its Chinese in `app/error_texts`.
//!
//! Every text of theirs that has words is either a template there or stands in the list of those
//! that no person sees; and every template there is a text of theirs.

use std::collections::BTreeSet;

use crate::File;
use crate::literals::{Literal, literals};

/// Whose sources say something.
const SPEAKERS: [&str; 5] = [
    "planner/src/",
    "app/executor/src/",
    "app/worker/src/",
    "app/runner/src/",
    "app/lesson/src/",
];

/// Of them what no person reads on the page: the command line, files that are written, names of
/// kernels, recordings and fused operators, and what the page says in words of its own.
const UNSEEN: [&str; 9] = [
    "planner/src/cli/",
    "planner/src/save/",
    "planner/src/picture.rs",
    "planner/src/number.rs",
    "planner/src/query/",
    "planner/src/passes/mod.rs",
    "planner/src/main.rs",
    "app/executor/src/recording/",
    "app/executor/src/kernels/",
];

/// What stands before a text that is a reason for a lint, a wish that never fails, the name of a
/// buffer on a device, or what a pass does, which the page says itself.
const SILENT: [&str; 4] = ["reason = ", "expect(", "label: Some(", "summary: "];

/// Texts of formats, looked for and not said; and what the page says in words of its own.
const LOOKED_FOR: [&str; 187] = [
    // A relation in lesson files.
    "not in",
    " at line ",
    "# left out: ",
    // What PyTorch says of memory.
    "ut of memory.",
    "ut of memory. Tried",
    " memory summary, device ID ",
    "Tried to allocate ",
    "Attempting to reserve ",
    " total capacity",
    "total capacity of ",
    "total capacty of ",
    " is free",
    " free",
    " is allocated by PyTorch",
    " already allocated",
    " cached",
    " allocated in private pools",
    " is reserved by PyTorch but unallocated",
    " reserved in total by PyTorch",
    "reserved memory",
    "from ",
    "Allocated memory",
    "Non-releasable memory",
    "| Allocated memory ",
    " allowed;",
    " OOMs: ",
    " retries: ",
    // Keys of PyTorch's profiler, and its categories as parts of names.
    "Device Type",
    "Device Id",
    "Total Allocated",
    "Total Reserved",
    "optimizer state",
    "autograd detail",
    // What TFLite Micro and ExecuTorch log of memory, and commands as they are typed.
    "B requested (adjusted for alignment), ",
    "B available",
    "Arena allocation total ",
    "Arena allocation head ",
    "Arena allocation tail ",
    "bytes with alignment",
    "' used ",
    " bytes for ",
    "TfLiteEvalTensor data",
    "Persistent TfLiteTensor data",
    "Persistent TfLiteTensor quantization data",
    "Persistent buffer data",
    "TfLiteTensor variable buffer data",
    "NodeAndRegistration struct",
    "Operator runtime data",
    "Arena size is too small for all buffers. Needed ",
    "Arena size is too small for activation buffers. Needed ",
    "but only ",
    "Failed to resize buffer. Requested: ",
    "Failed to allocate tail memory. Requested: ",
    "Failed to allocate temp memory. Requested: ",
    "Failed to allocate memory. Requested: ",
    "Failed to allocate memory for memory planning, ",
    "available ",
    "arenascope waste model.pte",
    "arenascope plan model.tflite --io tflm",
    "tflite::RecordingMicroAllocator::Create(arena, size)->PrintAllocations()",
    // What LiteRT's PrintInterpreterState says.
    "Arena (Normal)",
    "Execution plan as the list of ",
    " Input Tensors:",
    " Temporary Tensors:",
    " Output Tensors:",
    "Node ",
    "Tensor ",
    // A flag, as it is typed.
    "--optimise Size",
    // What other runtimes say where there is no memory.
    "CUDA error: out of memory",
    "HIP error: out of memory",
    "MPS backend out of memory",
    "MPS backend out of memory (",
    "MPS allocated: ",
    "other allocations: ",
    "max allowed: ",
    "memory: you tried to allocate ",
    "OOM when allocating tensor with shape[",
    " and type ",
    " by allocator ",
    "Failed to allocate memory for requested buffer of size ",
    " is smaller than requested bytes of ",
    " for requested buffer of size ",
    "Available memory of ",
    "Non-zero status code returned while running ",
    " node. Name:'",
    "Out of memory allocating ",
    "Failed to allocate request for ",
    "Scoped allocation with size ",
    " and limit ",
    "Attempting to allocate ",
    "That was not possible. There are ",
    "There are ",
    " would exceed allowed memory.",
    "Currently allocated",
    "Device limit",
    "Free (according to CUDA)",
    "ran out of memory trying to allocate ",
    "(rounded to ",
    "CUDA failure 2: out of memory",
    "cuda runtime error (2) : out of memory",
    "cudaMalloc failed: out of memory",
    "allocating ",
    "Used ",
    " of ",
    // Lines of Python, as they are typed.
    "XLA_FLAGS=\"--xla_dump_to=dump --xla_dump_hlo_as_text\" python train.py",
    "with torch.profiler.profile(profile_memory=True, with_stack=True) as prof:",
    "    train_step()",
    "arenascope plan model.onnx",
    "try: train_step()",
    "finally: torch.cuda.memory._dump_snapshot(\"snapshot.pickle\")",
    "TFLite Micro",
    "): size=",
    ", offset=",
    ", first_used=",
    " last_used=",
    "Unrecognised allocator",
    "Allocation, memory ",
    "Tensor Allocation for ",
    "mem_area ",
    ", of mem_type_set (",
    ", using allocator ",
    "Start Time",
    "Memory Usage",
    "Allocation Peak Tensor Size:",
    "Allocation Peak Memory Usage:",
    "File \"",
    "\", line ",
    ", in ",
    "stream.cmd.execute ",
    " as ",
    "stream.resource.subview ",
    "flush ",
    "invalidate ",
    "discard ",
    "stream.resource.alloca ",
    "stream.resource.pack ",
    "min_buffer_offset_alignment = ",
    "// -----// IR Dump ",
    "util.func ",
    "func.func ",
    "arith.constant ",
    "util.align ",
    "allocation result tot_alloc=",
    " size=",
    " time=[",
    " addr=[",
    "allocation ",
    ": size ",
    "Used values",
    "HloLiveRange (max ",
    " bytes",
    "Used values:",
    "Allocations sorted by size:",
    "  Live ranges at ",
    "  Stack trace breakdown ",
    "Memory Space: ",
    "HloModule ",
    "Total bytes",
    "Total bytes:",
    " positions:",
    " uses:",
    " from instruction:",
    ", operand ",
    // Words of XLA, in its tables of source lines and its messages, and what made its plans.
    " function_name_id=",
    " line=",
    " parent_frame_id=",
    " source_file=",
    "Peak buffers:",
    "Largest program allocations in ",
    "Buffer ",
    "unpadded size",
    "xla label",
    "entry parameter subshape",
    "allocation type",
    "Ran out of memory in memory space ",
    "Out of memory while trying to allocate ",
    "BufferAssignment stats:",
    "total fragmentation:",
    "fragmentation (",
    "parameter allocation:",
    "maybe_live_out allocation:",
    "preallocated temp allocation:",
    "constant allocation:",
    "total allocation:",
    "XLA for CPU",
    "XLA for GPU",
    "XLA for TPU",
];

/// Names of strategies and formulas, in which nothing is said.
const THE_SAME: [&str; 8] = [
    "O(n log n)",
    "O(n · k log k)",
    "Brélaz 1979, DSATUR",
    "5 × nnvm_tokens",
    "TFLite Micro, GreedyMemoryPlanner",
    "TVM USMP, ",
    "xla_spatial + xla_temporal",
    "greedy_by_size + greedy_by_breadth",
];

/// What is said of files is in words of the page, beside each of these beginnings: see
/// `words::fault`.
const SAID_OTHERWISE: [&str; 17] = [
    "choose a file that is not empty",
    "open an ONNX or TFLite model",
    "the file is cut off: download",
    "export the file again",
    "the graph is inconsistent",
    "split or simplify the model",
    "convert the file to a supported version",
    "check that the file is still there",
    "open together only the files of one dump",
    "compare them with `arenascope diff",
    "open both files together",
    "unpack it and open what is inside",
    "give what a toolchain wrote",
    "say which column means what",
    "choose a range of events",
    "change the text at this place",
    "record it as the text says",
];

/// A text as a template: `{name}` and `{name:?}` are holes.
fn template(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let twice = after.starts_with("{{") || after.starts_with("}}");
        let end = after.find('}').map_or(after.len(), |end| end + 1);
        match after.strip_prefix('{') {
            _ if twice => {
                out.push_str(&after[..1]);
                rest = &after[2..];
            }
            Some(_) => {
                out.push_str("{}");
                rest = &after[end..];
            }
            None => {
                out.push('}');
                rest = &after[1..];
            }
        }
    }
    out + rest
}

/// Whether there are words in it: two letters beside a blank.
fn has_words(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let small = |it: &char| it.is_ascii_lowercase();
    let word = |at: usize| {
        letters
            .get(at..at + 2)
            .is_some_and(|it| it.iter().all(small))
    };
    letters
        .iter()
        .enumerate()
        .any(|(at, it)| *it == ' ' && (word(at + 1) || at >= 2 && word(at - 2)))
}

fn is_said(literal: &Literal<'_>) -> bool {
    has_words(&literal.text) && !SILENT.iter().any(|it| literal.before.ends_with(it))
}

fn speaks(file: &File) -> bool {
    let path = &file.path;
    SPEAKERS.iter().any(|it| path.starts_with(it)) && !UNSEEN.iter().any(|it| path.starts_with(it))
}

/// What is said and has no Chinese.
fn untranslated(files: &[File], rows: &[(&str, &str)]) -> Vec<String> {
    let english: BTreeSet<&str> = rows.iter().map(|(english, _)| *english).collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| speaks(file)) {
        for literal in literals(&file.text).into_iter().filter(is_said) {
            let template = template(&literal.text);
            let is_known = english.contains(template.as_str())
                || LOOKED_FOR.contains(&template.as_str())
                || SAID_OTHERWISE
                    .iter()
                    .chain(&THE_SAME)
                    .any(|it| template.starts_with(it));
            if !is_known {
                let line = literal.line;
                findings.push(format!("{}:{line}: no Chinese for {template:?}", file.path));
            }
        }
    }
    findings
}

/// Chinese for what nobody says.
fn unsaid(files: &[File], rows: &[(&str, &str)]) -> Vec<String> {
    let speakers = files.iter().filter(|file| speaks(file));
    let said: BTreeSet<String> = speakers
        .flat_map(|file| literals(&file.text))
        .map(|literal| template(&literal.text))
        .collect();
    let rows = rows.iter().filter(|(english, _)| !said.contains(*english));
    rows.map(|(english, _)| format!("app/error_texts: nobody says {english:?}"))
        .collect()
}

/// The holes of a text, by their numbers in the English one.
fn holes(text: &str) -> BTreeSet<usize> {
    let mut next = 0;
    let inside = text.split('{').skip(1).filter_map(|it| it.split_once('}'));
    let inside = inside.filter(|(inside, _)| inside.chars().all(|it| it.is_ascii_digit()));
    inside
        .map(|(inside, _)| {
            inside.parse().unwrap_or_else(|_| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

/// Rows that are there twice, lose or add a hole, or are not in Chinese.
fn wrong(rows: &[(&str, &str)]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for (english, chinese) in rows {
        let is_chinese = |it: char| ('\u{4e00}'..='\u{9fff}').contains(&it);
        let is_kept = english == chinese || !chinese.contains(|it: char| it.is_alphabetic());
        if !seen.insert(english) {
            findings.push(format!("{english:?} is there twice"));
        }
        if holes(english) != holes(chinese) {
            findings.push(format!("{english:?} has other holes than {chinese:?}"));
        }
        if !is_kept && !chinese.contains(is_chinese) {
            findings.push(format!("{chinese:?} is not Chinese"));
        }
    }
    findings
}

fn all() -> Vec<(&'static str, &'static str)> {
    error_texts::rows().collect()
}

fn ours() -> Vec<(&'static str, &'static str)> {
    let foreign: BTreeSet<_> = error_texts::foreign().collect();
    let rows = error_texts::rows();
    rows.filter(|row| !foreign.contains(row)).collect()
}

#[test]
fn what_is_said_is_there_in_chinese() {
    let found = untranslated(&crate::project(), &all());
    crate::assert_clean(&found);
}

#[test]
fn what_is_there_in_chinese_is_said() {
    let rows = ours();
    assert!(rows.len() > 800, "only {} rows", rows.len());
    crate::assert_clean(&unsaid(&crate::project(), &rows));
}

#[test]
fn rows_are_whole() {
    crate::assert_clean(&wrong(&all()));
}

#[test]
fn a_planted_text_without_chinese_is_found() {
    let text = "fn f() {\n    // \"not a text of it\"\n    let a = format!(\"the {what} of it is {at:?}\");\n    \
                let b = x.expect(\"never said at all\");\n    let c = \"  Live ranges at \";\n    \
                let d = '\"'; let e = \"{} known {{here}}\";\n}\n";
    let file = |path| File::new(path, text);
    let rows = [("{} known {here}", "已知 {}")];
    assert_eq!(
        untranslated(
            &[
                file("planner/src/load/a.rs"),
                file("planner/src/cli/a.rs"),
                file("app/src/a.rs")
            ],
            &rows
        ),
        ["planner/src/load/a.rs:3: no Chinese for \"the {} of it is {}\""]
    );
}

#[test]
fn a_planted_row_without_text_is_found() {
    let files = [File::new(
        "app/worker/src/a.rs",
        "let a = \"a {x} \\\n         b\";\n",
    )];
    let rows = [("a {} b", "{}"), ("never said", "未说")];
    assert_eq!(
        unsaid(&files, &rows),
        ["app/error_texts: nobody says \"never said\""]
    );
}

#[test]
fn planted_wrong_rows_are_found() {
    let rows = [
        ("a {} of {}", "{1} 的 {0}"),
        ("a {} of {}", "仅 {}"),
        ("b {}", "{} 与 {}"),
        ("c {}", "still {}"),
    ];
    assert_eq!(
        wrong(&rows),
        [
            "\"a {} of {}\" is there twice",
            "\"a {} of {}\" has other holes than \"仅 {}\"",
            "\"b {}\" has other holes than \"{} 与 {}\"",
            "\"still {}\" is not Chinese",
        ]
    );
}
