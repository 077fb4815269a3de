//! `arenascope bounds`.

use super::{PROBLEM, failure, file, json, keys, output, run, texts};

#[test]
fn bounds_are_reported() {
    let problem = file("bounds.csv", PROBLEM);
    let report = json(&["bounds", &problem, "--format", "json"]);
    assert_eq!(
        keys(&report),
        [
            "alignment",
            "bounds",
            "file",
            "format",
            "intermediates",
            "list",
            "ops",
            "partitions",
            "peak",
            "tensors",
            "unsized",
            "witness"
        ]
    );
    // a and b are live at step 2, b and c from 3 on: 12 bytes each time.
    assert_eq!(report["bounds"]["offsets"], 12);
    assert_eq!(report["alignment"], 1);
    assert_eq!(
        (&report["format"], &report["tensors"]),
        (&"csv".into(), &3.into())
    );
}

/// Of a stack that holds three allocations the file says only the sum: four are counted, and two drawn.
#[test]
fn allocations_of_one_stack_are_counted() {
    let row = |name: &str, size: u64, offset: u64, more: &str| {
        format!(
            "{{\"name\":\"{name}\",\"size\":{size},\"lower\":0,\"upper\":1,\"offset\":{offset}{more}}}"
        )
    };
    let (one, three) = (
        row("a", 4096, 0, ""),
        row("b", 96, 4096, ",\"role\":\"buffer\",\"several\":3"),
    );
    let text = format!(
        "{{\"arenascope_plan\":1,\"arena\":4192,\"separate\":true,\"buffers\":[{one},{three}]}}"
    );
    let stacks = file("stacks.json", text.as_bytes());
    let table = String::from_utf8(run(&["held", &stacks]).stdout).unwrap();
    assert!(table.contains(": 4 buffers\n"), "{table}");
    let report = json(&["held", &stacks, "--by", "role", "--format", "json"]);
    let groups = report["groups"].as_array().unwrap();
    let of = groups.iter().find(|it| it["group"] == "buffer").unwrap();
    assert_eq!((&of["bytes"], &of["buffers"]), (&96.into(), &3.into()));
}

/// A list of the largest buffers: who has read it is told nothing of operators, of an alignment or of
/// objects that buffers share, and positions that nobody wrote are not judged.
#[test]
fn a_list_without_offsets_is_no_plan_to_judge() {
    let text = b"Largest program allocations in hbm:\n\n  1. Size: 8.0K\n     ====\n\n\
                 \x20 2. Size: 4.0K\n     ====\n";
    let list = file("list_of_largest.txt", text);
    let table = String::from_utf8(run(&["bounds", &list]).stdout).unwrap();
    assert!(
        table.contains("2 buffers\nlower bound: 12288 bytes\n"),
        "{table}"
    );
    assert!(table.contains("the file names no offsets"), "{table}");
    for word in ["operator", "alignment", "objects"] {
        assert!(!table.contains(word), "{word}: {table}");
    }
    // What such a text calls fragmentation lies at no address.
    let gaps =
        "Program hbm requirement 16.0K:\n    HLO temp 16.0K (25.0% fragmentation (4.0K))\n\n";
    let text = [gaps.as_bytes(), text].concat();
    let split = run(&["waste", &file("list_with_gaps.txt", &text)]).stdout;
    let split = String::from_utf8(split).unwrap();
    assert!(split.contains("4096  25.0 %  fragmentation"), "{split}");
    assert!(!split.contains("free at"), "{split}");
    let refused = failure(&["check", &list], 1);
    assert!(refused.contains("names no offsets"), "{refused}");
}

#[test]
fn every_bound_has_its_witness() {
    // Two stretches; in the first b is fixed at 4, where a of 5 bytes does not fit below.
    let rows = b"id,lower,upper,size,fixed\na,0,3,5,\nb,2,9,8,4\nc,9,11,6,\n";
    let problem = file("witness.csv", rows);
    let args = ["bounds", &problem, "--align", "4"];
    let report = json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(report["partitions"], 2);
    let list = &report["list"];
    let names = texts(list, "bound");
    let expected = [
        "live",
        "partition",
        "partition",
        "aligned",
        "fixed",
        "maxima",
    ];
    assert_eq!(names, expected);
    // live: 13 at step 2; aligned: 8 + 8 with at most 3 saved; fixed: 12 and then 5.
    let bytes: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["bytes"])
        .collect();
    assert_eq!(bytes, [13, 13, 6, 13, 17, 13]);
    assert_eq!(report["bounds"]["offsets"], 17);
    assert_eq!(texts(&list[4]["witness"], "name"), ["b", "a"]);
    let table = run(&args);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("fixed addresses reach 12 bytes with 0 usable"),
        "{table}"
    );
    let csv = run(&[&args[..], &["--format", "csv"]].concat());
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(
        csv.starts_with("bound,bytes,step,buffers\nlive,13,2,2\n"),
        "{csv}"
    );
}

/// One byte is no bytes.
#[test]
fn one_byte_is_a_byte() {
    let one = file("one_byte.csv", b"id,lower,upper,size\na,0,1,1\n");
    let (table, _) = output(&["plan", &one, "--strategy", "best", "--align", "1"]);
    assert!(table.contains("lower bounds: offsets 1 byte,"), "{table}");
    let (table, _) = output(&["bounds", &one, "--align", "1"]);
    assert!(table.contains("\n1 byte is live at step 0:\n"), "{table}");
    let (table, _) = output(&["list", &one]);
    assert!(table.contains("1 of 1 buffer, 1 byte\n"), "{table}");
}
