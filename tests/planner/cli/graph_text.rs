//! Text graphs on the command line: planned like any model, and written from one.

use super::{PROBLEM, failure, file, json, output};

const ARTICLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/article.graph");
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../public/samples/unet.onnx");

/// 4096 bytes and 648 of what is made of them are needed at once, then 648 twice.
#[test]
fn a_text_graph_is_planned() {
    let plan = json(&[
        "plan",
        ARTICLE,
        "--strategy",
        "best",
        "--align",
        "1",
        "--format",
        "json",
    ]);
    let text = plan.to_string();
    assert!(text.contains("\"arena\":4744"), "{text}");
    let line = failure(
        &[
            "plan",
            &file("broken.graph", b"input x: f32[2]\ny = Relu(z)\n"),
        ],
        1,
    );
    assert!(
        line.contains("broken.graph: line 2, column 10: nothing defines"),
        "{line}"
    );
    assert!(line.contains("change the text at this place"), "{line}");
}

/// The text of a model is planned as the model is.
#[test]
fn a_model_is_exported_as_text() {
    let (text, warnings) = output(&["export", SAMPLE, "--as", "graph"]);
    assert_eq!(warnings, "");
    let written = file("unet.graph", text.as_bytes());
    let plan = |file: &str| {
        output(&[
            "export",
            file,
            "--as",
            "json",
            "--strategy",
            "greedy_by_size",
        ])
        .0
    };
    assert_eq!(plan(&written), plan(SAMPLE));
    assert_eq!(output(&["export", &written, "--as", "graph"]).0, text);
}

#[test]
fn what_has_no_graph_is_not_exported_as_one() {
    let problem = file("graphless.csv", PROBLEM);
    let line = failure(&["export", &problem, "--as", "graph"], 1);
    assert!(line.contains("there is no graph in this file"), "{line}");
    let recomputed = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/recomputed.json");
    let (text, warning) = output(&["export", recomputed, "--as", "graph"]);
    assert!(warning.contains("its schedule and its views"), "{warning}");
    let lines: Vec<&str> = text.lines().skip(1).take(2).collect();
    assert_eq!(lines, ["input x: f32[64]", "a = Neg(x) name=f"]);
}
