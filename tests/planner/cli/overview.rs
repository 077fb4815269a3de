//! Several cases on one basis.

use serde_json::{Value, json};

use super::{file, json, run};

/// The row of the case whose name contains this.
fn row<'v>(report: &'v Value, name: &str) -> &'v Value {
    let rows = report["cases"].as_array().unwrap();
    let found = rows
        .iter()
        .find(|row| row["case"].as_str().unwrap().contains(name));
    found.unwrap_or_else(|| panic!("no {name} in {report:#}"))
}

fn exact(bytes: u64) -> Value {
    json!({"bytes": bytes, "is_bound": false})
}

fn at_least(bytes: u64) -> Value {
    json!({"bytes": bytes, "is_bound": true})
}

fn data(path: &str) -> String {
    format!("{}/../tests/data/plans/{path}", env!("CARGO_MANIFEST_DIR"))
}

/// XLA's own sums (`memory_analysis()` of the same step): what it calls arguments holds inputs and
/// weights. LiteRT's rows say which tensors are inputs and outputs. A CSV says nothing of that.
#[test]
fn cases_are_told_apart_and_read_on_one_basis() {
    let analysis = std::fs::read(data("xla/train-memory-analysis.json")).unwrap();
    let analysis: Value = serde_json::from_slice(&analysis).unwrap();
    let said = |key: &str| analysis[key].as_u64().unwrap();
    let plan = b"id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\n";
    let plan = file("overview.csv", plan);
    let rows = "id,lower,upper,size,offset,role,op,name\n\
                0,0,4,64,0,input,,x\n1,0,2,128,64,intermediate,A,a\n\
                2,1,3,192,192,intermediate,B,b\n3,2,4,64,64,output,C,y\n";
    let litert = file("overview_litert.csv", rows.as_bytes());
    let args = [
        "overview",
        &data("xla/train-live-range.txt"),
        &plan,
        &data("xla/train-buffer-assignment.txt"),
        &litert,
        "--format",
        "json",
    ];
    let report = json(&args);
    assert_eq!(report["cases"].as_array().unwrap().len(), 3, "{report:#}");
    let xla = row(&report, "train-buffer-assignment.txt");
    let (temporary, outputs) = (said("temp"), said("output") - said("alias"));
    assert_eq!(xla["temporary"], exact(temporary));
    assert_eq!(
        xla["with_inputs_and_outputs"],
        at_least(temporary + outputs)
    );
    assert!(
        xla["with_weights"]["bytes"].as_u64().unwrap() >= temporary + outputs + said("argument")
    );
    assert_eq!(row(&report, "overview.csv")["arenas"], exact(240));
    assert_eq!(row(&report, "overview.csv")["temporary"], Value::Null);
    // Without x and y: a and b are there at step 1, 320 bytes; with them as LiteRT laid them.
    let litert = row(&report, "overview_litert.csv");
    assert_eq!(litert["temporary"], at_least(320));
    assert_eq!(litert["with_inputs_and_outputs"], exact(384));
    let table = String::from_utf8(run(&args[..5]).stdout).unwrap();
    assert!(table.contains("≥ 320"), "{table}");
    let csv = run(&[&args[..5], &["--format", "csv"]].concat());
    assert_eq!(String::from_utf8(csv.stdout).unwrap().lines().count(), 4);
}

/// One network by XLA and by IREE: what each lists first is not of the same thing. Both were
/// handed the same arguments, 26 weights and tokens of 8,192 B, and hand back 8,192,000 B of logits.
#[test]
fn one_network_by_two_compilers() {
    let cases = format!("{}/../../shared/cases", env!("CARGO_MANIFEST_DIR"));
    let name = "module_0038.jit_fwd.cpu_after_optimizations";
    let parts = ["-buffer-assignment.txt", "-live-range.txt", ".txt"];
    let parts = parts.map(|part| format!("{cases}/{name}{part}"));
    if !std::path::Path::new(&parts[0]).exists() {
        return;
    }
    let iree = format!("{cases}/fwd.iree.txt");
    let [one, two, three] = &parts;
    let report = json(&["overview", one, &iree, two, three, "--format", "json"]);
    let (xla, iree) = (row(&report, name), row(&report, "fwd.iree.txt"));
    assert_eq!(xla["temporary"], exact(18_907_136));
    assert_eq!(iree["temporary"], exact(20_971_520));
    assert_eq!(
        xla["with_inputs_and_outputs"],
        at_least(18_907_136 + 8_192_000)
    );
    assert_eq!(
        iree["with_inputs_and_outputs"],
        at_least(20_971_520 + 8_192_000)
    );
    // 2 x 1,024,000 + 8 x 1,048,576 + 16 x 262,144 + 8,192; XLA counts twelve bytes of constants and 96 of threads.
    let arguments = 14_639_104;
    assert_eq!(
        iree["with_weights"],
        exact(20_971_520 + 8_192_000 + arguments)
    );
    assert_eq!(
        xla["with_weights"],
        exact(18_907_136 + 8_192_000 + arguments + 12 + 96)
    );
}

/// Its own plan has 400, 201, 202 and 12 units of 16 bytes at once, the fewest there can be; what
/// is kept beside it is what `waste` says, whose parts are compared with the interpreter elsewhere.
#[test]
fn a_model_with_its_own_plan_says_the_arena_to_give() {
    let model = data("offline/documented.planned.tflite");
    let found = json(&["overview", &model, "--format", "json"])["cases"][0].clone();
    let split = json(&["waste", &model, "--format", "json"]);
    assert_eq!(found["beside"], split["beside"]);
    let kept = found["beside"]["tail"].as_u64().unwrap();
    assert_eq!(found["with_tail"], 815 * 16 + kept);
    let table = String::from_utf8(run(&["overview", &model]).stdout).unwrap();
    let says = format!("with its own plan: 13040 of the plan, {kept} beside it");
    assert!(table.contains(&says), "{table}");
    // What says nothing of TFLite Micro has no such figure.
    let other = json(&[
        "overview",
        &data("offline/documented.tflite"),
        "--format",
        "json",
    ]);
    assert_eq!(other["cases"][0]["with_tail"], Value::Null);
}
