//! What is written for other tools: a C header that a compiler reads, a schedule, a report.

use std::fs;
use std::process::Command;

use planner::load::{Fault, unpacked};
use planner::save::{Section, c_header, csv, not_in_csv, packed, report, schedule_json, stem};
use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Options, Plan, Span, check, profile};
use serde_json::{Value, json};
use tests::chinese::{assert_told, load};
use tests::deployed::only_plan;

/// Names that C does not like, and two that are the same once it does.
fn sample() -> (Lifetimes, Plan) {
    let names = [
        "conv/1*/",
        "conv 1",
        "arena",
        "",
        "größe",
        "9\"\\\n#define X",
    ];
    let buffers = names.iter().zip(0_u64..);
    let buffers = buffers.map(|(name, at)| Buffer::new(*name, 10 + at, Span::new(at, at + 2)));
    let plan = Plan {
        origin: "by hand */ int x;".into(),
        offsets: [0, 16, 32, 0, 1 << 40, 64].map(Offset).to_vec(),
        arena: Bytes((1 << 40) + 14),
        ..Plan::default()
    };
    (Lifetimes::of(buffers), plan)
}

/// The compiler that links Rust reads the header without a warning and prints what it says.
/// One name for a document, whether the page or the command line has it open.
#[test]
fn a_document_is_called_without_folders_and_endings() {
    for (name, expected) in [
        ("dumps/chain.ir.txt", "chain"),
        ("C:\\dumps\\step.hlo.pb", "step"),
        ("mobilenet_v1.0_224.tflite", "mobilenet_v1.0_224"),
        (
            "a-buffer-assignment.txt + a-live-range.txt",
            "a-buffer-assignment",
        ),
        ("/tmp/a.csv + /tmp/b.csv", "a"),
        ("plan", "plan"),
        (".txt", ".txt"),
        ("", ""),
    ] {
        assert_eq!(stem(name), expected, "{name}");
    }
}

#[test]
fn a_compiler_reads_the_header() {
    let (lifetimes, plan) = sample();
    let header = c_header(&lifetimes, &plan, &Options::aligned(Bytes(16)), "my net");
    let folder = std::env::temp_dir().join(format!("arenascope-header-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the header");
    let program = "#include \"plan.h\"\n#include \"plan.h\"\n#include <stdio.h>\n\
        int main(void) {\n  const unsigned long long at[] = MY_NET_OFFSETS;\n  unsigned i;\n\
        for (i = 0; i < MY_NET_BUFFER_COUNT; i++) printf(\"%llu \", at[i]);\n\
        printf(\"%llu %llu %llu %llu\", MY_NET_ARENA_SIZE, MY_NET_ARENA_ALIGNMENT,\n\
        MY_NET_CONV_1_SIZE, MY_NET_CONV_1_1_OFFSET);\n  return 0;\n}\n";
    let write = |name: &str, text: &str| fs::write(folder.join(name), text);
    write("plan.h", &header).expect("the header is written");
    write("main.c", program).expect("the program is written");
    let strict = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"];
    let compiled = Command::new("cc")
        .args(strict)
        .args(["-Wno-long-long", "-o", "main", "main.c"])
        .current_dir(&folder)
        .output();
    let compiled = compiled.expect("Rust needs cc as well");
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{errors}\n{header}");
    let ran = Command::new(folder.join("main")).output();
    let ran = ran.expect("the program runs");
    let printed = String::from_utf8_lossy(&ran.stdout);
    let arena = (1_u64 << 40) + 14;
    let expected = format!("0 16 32 0 {} 64 {arena} 16 10 16", 1_u64 << 40);
    assert_eq!(printed, expected);
    fs::remove_dir_all(&folder).expect("the folder goes away");
}

#[test]
fn a_schedule_says_what_begins_and_ends() {
    let buffers = [("a", 4, 0, 2), ("b", 8, 1, 4)];
    let buffers =
        buffers.map(|(name, size, start, end)| Buffer::new(name, size, Span::new(start, end)));
    let lifetimes = Lifetimes::of(buffers);
    let live = profile(&lifetimes).points;
    let text = schedule_json(&lifetimes, &["conv", "", "add"], &live);
    let found: Value = serde_json::from_str(&text).expect("it is JSON");
    let expected = json!({
        "arenascope_schedule": 1,
        "horizon": 4,
        "steps": [
            {"step": 0, "name": "conv", "begins": ["a"], "live": 4},
            {"step": 1, "begins": ["b"], "ends": ["a"], "live": 12},
            {"step": 2, "name": "add", "live": 8},
            {"step": 3, "ends": ["b"], "live": 8},
        ],
    });
    assert_eq!(found, expected);
}

/// What a file says is text in the report, never an element; only our own pictures are.
#[test]
fn a_report_holds_what_it_is_given_as_text() {
    let evil = "<script>alert(1)</script>\" onload='x'\u{1}&";
    let text = || evil.to_owned();
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>p</title></svg>";
    let sections = [
        Section::Heading(text()),
        Section::Text(text()),
        Section::Figures(vec![(text(), text())]),
        Section::Table {
            head: vec![(text(), true), ("b".into(), false)],
            rows: vec![vec![text(), "1".into()]],
        },
        Section::Picture {
            svg: svg.into(),
            caption: text(),
        },
        Section::Attachment {
            title: text(),
            text: text(),
        },
    ];
    let html = report("en", evil, &sections);
    assert!(!html.contains("<script"));
    assert!(!html.contains('\u{1}'));
    assert_eq!(html.matches("<svg").count(), 1);
    assert!(html.contains("default-src 'none'"));
    // As XML it is well formed but for the doctype and the void elements of HTML.
    let body = &html[html.find("<body>").expect("a body")..html.find("</html>").expect("an end")];
    let tree = roxmltree::Document::parse(body).expect("well-formed");
    let scripts = tree.descendants().filter(|it| it.has_tag_name("script"));
    assert_eq!(scripts.count(), 0);
    let heading = tree.descendants().find(|it| it.has_tag_name("h2"));
    let text = heading.and_then(|it| it.text()).expect("a heading");
    assert_eq!(text, evil.replace('\u{1}', "\u{fffd}"));
    let cells = tree
        .descendants()
        .filter(|it| it.has_tag_name("td"))
        .count();
    assert_eq!(cells, 3);
}

#[test]
fn what_is_packed_unpacks() {
    let long = "offset 4096, ".repeat(10_000);
    for text in ["", "a", "größe {\"x\": 1}", long.as_str()] {
        let letters = packed(text);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        assert!(letters.chars().all(plain), "an address takes it as it is");
        assert_eq!(unpacked(&letters).expect("it reads back"), text);
    }
    assert!(packed(&long).len() < long.len() / 100);
}

/// Links are cut off by mail, mangled by hand, and written by people who mean harm.
#[test]
fn what_cannot_be_unpacked_says_why() {
    let letters = packed(&"a plan of some length, and more. ".repeat(40));
    let kind = |letters: &str| {
        unpacked(letters).map_err(|error| {
            assert_told(&error.message);
            error.kind
        })
    };
    for end in 2..letters.len() {
        let cut = kind(&letters[..end]).expect_err("its end is missing");
        assert!(
            matches!(cut, Fault::Truncated | Fault::Malformed),
            "{end}: {cut:?}"
        );
    }
    assert_eq!(
        kind(&letters.replacen("1.", "2.", 1)),
        Err(Fault::Unsupported)
    );
    assert_eq!(kind("1.*"), Err(Fault::Malformed));
    // Seventeen million letters in some thousands.
    let bomb = packed(&"a".repeat(17 << 20));
    assert!(bomb.len() < 40_000);
    assert_eq!(kind(&bomb), Err(Fault::Limit));
}

/// What is handed over in place comes back as a plan that the judge passes, of the same arena:
/// whole, and where the later buffer covers only one end of the earlier. A free range in the middle
/// has no place in the format, which is counted.
#[test]
fn a_handover_is_a_pause_in_the_csv() {
    for (size, shift, lost_pairs) in [(64, 0, 0), (40, 0, 0), (24, 40, 0), (24, 8, 1)] {
        let buffers = [(64, 0, 3), (size, 2, 5)].map(|(size, start, end)| {
            Buffer::new(format!("b{start}"), size, Span::new(start, end))
        });
        let mut lifetimes = Lifetimes::of(buffers);
        lifetimes.handovers = vec![Handover {
            before: 0,
            after: 1,
            shift: Bytes(shift),
        }];
        let plan = Plan {
            offsets: vec![Offset(0), Offset(shift)],
            arena: Bytes(64),
            ..Plan::default()
        };
        let options = Options::aligned(Bytes(1));
        assert_eq!(check(&lifetimes, &plan, &options), []);
        assert_eq!(not_in_csv(&lifetimes, &plan), lost_pairs);
        let (_, document, _) = load(&csv(&lifetimes, &plan).into_bytes()).expect("it is read");
        let (lifetimes, reread) = only_plan(document);
        assert_eq!(reread.arena, plan.arena);
        let faults = check(&lifetimes, &reread, &options).len();
        assert_eq!(faults, lost_pairs, "{size} at {shift}");
    }
}
