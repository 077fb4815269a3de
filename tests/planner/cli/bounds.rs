//! `arenascope bounds`.

use super::{PROBLEM, file, json, keys, run, texts};

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
