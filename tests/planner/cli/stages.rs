//! `arenascope stages`: what each pass saves, and what it says of itself.

use serde_json::Value;

use super::{PROBLEM, failure, file, output};

const ARTICLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/article.graph");
const RECOMPUTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/recomputed.json");
const PASSES: [&str; 2] = ["--passes", "fusion,views,in_place=aggressive"];

/// The figures of the articles: two 32 × 32 tensors of floats, and four windows of 9 × 18.
#[test]
fn a_table_in_the_order_of_the_passes() {
    let args = [
        "stages", ARTICLE, "--io", "tflm", "--align", "1", "--format",
    ];
    let (text, warnings) = output(&[&args[..], &["json"], &PASSES].concat());
    assert_eq!(warnings, "");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let rows = json["stages"].as_array().expect("rows").iter();
    let row = |row: &Value| {
        let number = |key: &str| row[key].as_u64().expect("a number");
        let keys = [
            "allocations",
            "copied",
            "naive",
            "bound",
            "arena",
            "changes",
        ];
        (row["stage"].as_str().map(str::to_owned), keys.map(number))
    };
    let (whole, window) = (32 * 32 * 4, 9 * 18 * 4);
    let expected = [
        (
            "model",
            [
                6,
                4 * window,
                2 * whole + 4 * window,
                2 * whole,
                2 * whole,
                0,
            ],
        ),
        (
            "fusion",
            [
                5,
                4 * window,
                2 * whole + 3 * window,
                2 * whole,
                2 * whole,
                1,
            ],
        ),
        ("views", [3, 0, 2 * whole + window, 2 * whole, 2 * whole, 2]),
        ("in_place", [2, 0, 2 * whole, 2 * whole, 2 * whole, 1]),
    ];
    let found: Vec<_> = rows.map(row).collect();
    assert_eq!(
        found,
        expected.map(|(name, row)| (Some(name.to_owned()), row))
    );
    let (csv, _) = output(&[&args[..], &["csv"], &PASSES].concat());
    assert_eq!(csv.lines().count(), 5);
    assert!(csv.starts_with("stage,allocations,copied,naive,peak,bound,arena,changes\n"));
}

#[test]
fn rewrites_and_refusals_are_told() {
    let text = "graph told onnx 17
input a: f32[64]
b = Exp(a)
c = Neg(b)
y = Add(b, c)
output y
";
    let told = file("told.graph", text.as_bytes());
    let args = ["stages", &told, "--changes", "--passes", "in_place=mxnet"];
    let (text, _) = output(&args);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("b, c")).collect();
    let [line] = lines[..] else {
        panic!("{text}");
    };
    assert!(line.starts_with("in_place: Neg ["), "{line}");
    assert!(
        line.contains("refused: another operator reads it (Add_"),
        "{line}"
    );
}

#[test]
fn what_no_pass_may_change_is_said() {
    let args = [
        "stages",
        RECOMPUTED,
        "--passes",
        "in_place=aggressive",
        "--format",
        "csv",
    ];
    let (text, warnings) = output(&args);
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[1].starts_with("model,"), "{text}");
    // The same figures, and no change.
    assert_eq!(rows[1].replace("model", "in_place"), rows[2]);
    let why = "the pass in_place changes nothing: its schedule does more than compute";
    assert!(warnings.contains(why), "{warnings}");
    let args = ["bounds", ARTICLE, "--passes", "order", "--parallel", "free"];
    let (_, warnings) = output(&args);
    let why = "the pass order changes nothing: operators run at the same time";
    assert!(warnings.contains(why), "{warnings}");
}

#[test]
fn what_there_is_to_choose_is_named() {
    let text = failure(&["stages", ARTICLE, "--passes", "in_place=none"], 2);
    let rules = "in_place has no rule called \"none\"; there are litert, mxnet, onnxruntime";
    assert!(text.contains(rules), "{text}");
    let text = failure(&["stages", &file("stages.csv", PROBLEM)], 1);
    assert!(
        text.contains("there are no operators in this file"),
        "{text}"
    );
}

/// Fused, `Add` and `Mul` read t twice, so that nothing is written in place: t, big and y are live
/// together, 256 B each. Without fusion u lies on big and y on u: two of them.
#[test]
fn a_pass_that_blocks_a_better_result_is_said() {
    let text = "graph blocked onnx 17
input x: f32[64]
input w: f32[64]
t = LpNormalization(x)
big = LpNormalization(w)
u = Add(t, big)
y = Mul(u, t)
z = LpNormalization(y)
output z
";
    let blocked = file("blocked.graph", text.as_bytes());
    let passes = ["--passes", "fusion,views,in_place=aggressive,order"];
    let args = ["stages", &blocked, "--format", "json"];
    let (text, _) = output(&[&args[..], &passes].concat());
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let last = json["stages"].as_array().expect("rows").last();
    assert_eq!(last.expect("a row")["arena"], 768);
    let found = &json["blocked"];
    assert_eq!(found["arena"], 512);
    assert_eq!(found["without"], serde_json::json!(["fusion"]));
    let (text, _) = output(&[&["stages", &blocked][..], &passes].concat());
    let said = "without fusion the arena is 512: what it makes blocks a later pass";
    assert!(text.contains(said), "{text}");
    // In place alone there is nothing better.
    let (text, _) = output(&[&args[..], &["--passes", "in_place=aggressive"]].concat());
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["blocked"], Value::Null);
}

/// What the operators of a domain do that we do not know is not known either.
#[test]
fn operators_of_another_domain_that_keep_their_order_are_named() {
    let text = "graph domain onnx 17
input x: f32[4]
one: f32[4] = my.ops::Log(x)
two: f32[4] = my.ops::Log(one)
y = Relu(two)
output y
";
    let model = file("domain.graph", text.as_bytes());
    for command in ["stages", "passes"] {
        let (_, warnings) = output(&[command, &model, "--passes", "order"]);
        let said = "these keep their order, because they may do more than compute: my.ops::Log";
        assert!(warnings.contains(said), "{command}: {warnings}");
        let (_, warnings) = output(&[command, &model, "--passes", "in_place"]);
        assert!(
            !warnings.contains("keep their order"),
            "{command}: {warnings}"
        );
    }
}

/// One that draws numbers may not pass one that nobody knows: both change what they do not write.
#[test]
fn an_unknown_operator_keeps_its_place_beside_random_numbers() {
    let text = "graph drawn onnx 17
input x: f32[4]
one: f32[4] = my.ops::Log(x)
two = RandomNormalLike(x)
y = Add(one, two)
output y
";
    let model = file("drawn.graph", text.as_bytes());
    let (_, warnings) = output(&["stages", &model, "--passes", "order"]);
    assert!(warnings.contains("keep their order"), "{warnings}");
}

/// Nothing is known of what has no size, so no plan is called the best of the whole model.
#[test]
fn what_is_optimal_is_so_of_what_has_a_size() {
    let text = "graph unknown onnx 17
input x: f32[4]
a = Relu(x)
b = my.ops::Log(a)
c = Relu(b)
y: f32[4] = Neg(c)
output y
";
    let model = file("unknown.graph", text.as_bytes());
    let (table, _) = output(&["plan", &model, "--strategy", "best"]);
    let said = "\"optimal\" is said of the 1 tensor with a size: 2 without are left out";
    assert!(table.contains(said), "{table}");
}
