//! `arenascope sweep`: one row a value.

use super::{failure, file, json, output};

const ARTICLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/article.graph");

/// 4096 and 648 bytes are needed at once, and 648 twice more.
#[test]
fn a_row_has_the_figures_of_its_value() {
    let args = [
        "sweep",
        ARTICLE,
        "--over",
        "alignment=1,64",
        "--strategy",
        "best",
        "--strategy",
        "naive",
    ];
    let (csv, warnings) = output(&[&args[..], &["--format", "csv"]].concat());
    let expected = "\"alignment\",naive,bound,unsized,best,naive,error\n\
                    1,6040,4744,0,4744,6040,\n64,6208,4800,0,4800,6208,\n";
    assert_eq!((csv.as_str(), warnings.as_str()), (expected, ""));
    let report = json(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(report["over"], "alignment");
    assert_eq!(report["points"][1]["plans"][0]["arena"], 4800);
    let table = output(&args).0;
    let last = table.lines().last().expect("a row");
    let cells: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(cells, ["64", "6208", "4800", "0", "4800", "6208"]);
}

#[test]
fn a_value_without_a_plan_has_its_error_in_its_row() {
    let size = (1_u64 << 61) - (1 << 31);
    let rows = format!("id,lower,upper,size\na,0,3,{size}\nb,1,4,{size}\n");
    let large = file("large_sweep.csv", rows.as_bytes());
    let (csv, _) = output(&[
        "sweep",
        &large,
        "--over",
        "alignment=4294967296,1",
        "--format",
        "csv",
    ]);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        rows[1],
        "4294967296,,,,,\"with b all sizes together reach 2^62 bytes\""
    );
    assert_eq!(rows[2], format!("1,{0},{0},0,{0},", 2 * size));
}

#[test]
fn what_cannot_be_swept_is_wrong_usage() {
    let none = failure(&["sweep", ARTICLE, "--over", "N=1..2"], 2);
    assert!(none.contains("--over N: no such dimension"), "{none}");
    let empty = failure(&["sweep", ARTICLE, "--over", "alignment=2..1"], 2);
    assert!(
        empty.contains("the first value is at most the last"),
        "{empty}"
    );
    let deployed = [
        "sweep",
        ARTICLE,
        "--over",
        "alignment=1",
        "--strategy",
        "deployed",
    ];
    assert!(failure(&deployed, 2).contains("for one value alone"));
}
