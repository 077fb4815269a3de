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
    let name = "module_0038.jit_fwd.cpu_after_optimizations";
    let parts = ["-buffer-assignment.txt", "-live-range.txt", ".txt"];
    // Ten bytes of a gzip file stand before what is deflated, and eight behind it.
    let unpacked = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/shared/cases");
        let packed = std::fs::read(format!("{folder}/{name}.gz")).unwrap();
        let body = &packed[10..packed.len() - 8];
        file(
            name,
            &miniz_oxide::inflate::decompress_to_vec(body).unwrap(),
        )
    };
    let parts = parts.map(|part| unpacked(&format!("{name}{part}")));
    let iree = unpacked("fwd.iree.txt");
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

/// What cannot be read is a row that says why, with an exit code for whoever reads no rows; a path
/// that is there twice, as two patterns of a shell give it, is listed once.
#[test]
fn one_bad_file_is_a_row_and_a_file_is_listed_once() {
    let plan = file(
        "overview_good.csv",
        b"id,lower,upper,size,offset\na,0,2,100,0\n",
    );
    let bad = file(
        "overview_bad.csv",
        b"id,lower,upper,size,offset\na,0,2,100,x\n",
    );
    let text = file(
        "overview_text.txt",
        b"RuntimeError: CUDA error: out of memory\n",
    );
    let gone = "tests/no such file";
    let args = ["overview", &plan, &bad, &plan, &text, gone];
    let output = run(&args);
    assert_eq!(output.status.code(), Some(1));
    let warned = String::from_utf8(output.stderr).unwrap();
    assert!(warned.contains("given twice"), "{warned}");
    let table = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<&str> = table.lines().skip(2).take(4).collect();
    assert!(
        rows[0].contains("100") && rows[0].ends_with(&plan),
        "{table}"
    );
    assert!(
        rows.iter().filter(|row| row.contains("not read")).count() == 3,
        "{table}"
    );
    assert!(
        table.contains(&format!("{bad}: not read: line 2")),
        "{table}"
    );
    let json = run(&[&args[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["cases"].as_array().unwrap().len(), 4);
    assert!(
        row(&json, "overview_text")["error"]
            .as_str()
            .unwrap()
            .contains("no figures")
    );
    assert_eq!(row(&json, "overview_good")["arenas"], exact(100));
    let csv = run(&[&args[..], &["--format", "csv"]].concat());
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(csv.lines().next().unwrap().ends_with(",error"), "{csv}");
    assert_eq!(csv.lines().count(), 5, "{csv}");
}

/// A chain of x, a and y with four floats each: beside the arena all three count, and in TFLite
/// Micro's x is gone when y is written: two of them at once.
#[test]
fn inputs_and_outputs_lie_where_io_says() {
    let graph = b"graph g onnx 17\ninput x: f32[4]\na = Relu(x)\ny = Sigmoid(a)\noutput y\n";
    let model = file("overview_io.graph", graph);
    let of = |io: &str| {
        let found = json(&["overview", &model, "--io", io, "--format", "json"]);
        found["cases"][0]["with_inputs_and_outputs"].clone()
    };
    assert_eq!(
        (of("beside"), of("tflm")),
        (at_least(3 * 16), at_least(2 * 16))
    );
}

/// What a log of TFLite Micro does not tell is said here as elsewhere.
#[test]
fn a_log_of_tflite_micro_says_what_is_kept_beside() {
    let log = data("tflm/person_detect.log");
    let table = String::from_utf8(run(&["overview", &log]).stdout).unwrap();
    assert!(
        table.contains("RecordingMicroAllocator prints it"),
        "{table}"
    );
}

/// Of 19.02 GiB on a TPU the text lists 8.5: 16.5 are temporary, with outputs that are not
/// written over arguments 17.5, with 2 GiB of arguments 19.5, in GiB as the text rounds them.
#[test]
fn a_list_of_the_largest_is_not_the_whole() {
    let text = "Ran out of memory in memory space hbm. Used 18.50G of 15.48G hbm.\n\nTotal hbm \
         usage >= 19.02G:\n    reserved        530.00M\n    program          16.50G \n    arguments \
         \u{20}       2.00G \n\nOutput size 2.00G; shares 1.00G with arguments.\n\nProgram hbm \
         requirement 16.50G:\n    HLO temp         16.50G (100.0% utilization)\n\n  Largest \
         program allocations in hbm:\n\n  1. Size: 8.00G\n     Operator: op_name=\"dot\" source_file=\"/a/m.py\" source_line=120\n     Shape: \
         bf16[32,4096,32768]{2,1,0}\n     XLA label: fusion.12 = fusion(p)\n     ====\n\n  2. \
         Size: 512.00M\n     Shape: f32[1048576,2]{1,0:T(8,128)}\n     Unpadded size: 8.00M\n     \
         ====\n";
    let text = file("tpu_list.txt", text.as_bytes());
    let gib = |halves: u64| halves << 29;
    let report = json(&["overview", &text, "--format", "json"]);
    let found = row(&report, "tpu_list.txt");
    // 1902 hundredths of 2^30.
    let total = 20_422_569_492_u64;
    assert_eq!(found["arenas"], at_least(total));
    assert_eq!(found["temporary"], exact(gib(33)));
    assert_eq!(found["with_inputs_and_outputs"], at_least(gib(35)));
    assert_eq!(found["with_weights"], at_least(gib(39)));
    // 530 MiB of it are nobody's, as the text says.
    let reserved = 530 << 20;
    let rest = total - reserved - gib(17);
    let waste = json(&["waste", &text, "--format", "json"]);
    assert_eq!(
        (&waste["arena"], &waste["not_listed"]),
        (&total.into(), &rest.into())
    );
    let parts = waste["parts"].as_array().unwrap();
    let named: Vec<&Value> = parts.iter().map(|it| &it["part"]).collect();
    assert_eq!(named, ["needed", "padding", "tail", "not_listed"]);
    assert_eq!(parts[2]["bytes"], reserved);
    let held = json(&["held", &text, "--format", "json"]);
    assert_eq!(held["bytes"], total - reserved);
    let groups = held["groups"].as_array().unwrap();
    let own = groups
        .iter()
        .find(|it| it["group"] == "not listed")
        .unwrap();
    assert_eq!((&own["bytes"], &own["buffers"]), (&rest.into(), &0.into()));
    for command in ["waste", "held", "bounds"] {
        let table = String::from_utf8(run(&[command, &text]).stdout).unwrap();
        assert!(
            table.contains(&format!("{rest} bytes are not listed")),
            "{table}"
        );
        assert!(!table.contains("fragmentation"), "{table}");
    }
    // What has no line of source was no more there before a recording than the rest.
    let table = String::from_utf8(run(&["held", &text]).stdout).unwrap();
    assert!(table.contains("m.py:120, 1 buffer\n"), "{table}");
    assert!(table.contains("no source, 1 buffer, "), "{table}");
    let held = json(&["held", &text, "--by", "op", "--format", "json"]);
    assert_eq!(held["groups"][0]["group"], "fusion", "{held:#}");
    // Whoever plans what is listed says nothing of the rest, and neither does who exports it.
    let exported = run(&["export", &text, "--as", "json", "--strategy", "deployed"]).stdout;
    let again = file("tpu_list.json", &exported);
    for file in [&text, &again] {
        for strategy in ["deployed", "best"] {
            let report = json(&["plan", file, "--strategy", strategy, "--format", "json"]);
            let plan = &report["plans"][0];
            assert_eq!(
                (&plan["arena"], &plan["optimal"]),
                (&total.into(), &false.into())
            );
        }
    }
}

/// Each holds its functions before the pass and behind it: nothing of one is in the other.
#[test]
fn two_programs_of_iree_are_two_cases() {
    let [one, other] = ["iree/chain.ir.txt", "iree/loop.ir.txt"].map(data);
    let both = json(&["overview", &one, &other, "--format", "json"]);
    let cases = both["cases"].as_array().unwrap();
    let alone = [&one, &other]
        .map(|path| json(&["overview", path, "--format", "json"])["cases"][0].clone());
    assert_eq!(cases[..], alone);
}

/// What is needed counts in each pool at its own peak: `small` lives at step 0 alone, and only at
/// step 1 both large ones do.
#[test]
fn needed_bytes_of_pools_have_a_step_each() {
    let rows = "id,lower,upper,size,pools\np1,0,2,1000,1\np2,1,4,1000,1\nsmall,0,1,100,0\n";
    let pools = file("steps_of_pools.csv", rows.as_bytes());
    let waste = [
        "waste",
        "--strategy",
        "best",
        "--pool",
        "sram=100",
        "--pool",
        "psram=2000",
    ];
    let table = run(&[&waste[..], &[&pools]].concat());
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("needed (step 0 in sram, step 1 in psram)"),
        "{table}"
    );
    let found = json(&[&waste[..], &["--format", "json", &pools]].concat());
    let expected = serde_json::json!([{"pool": "sram", "step": 0}, {"pool": "psram", "step": 1}]);
    assert_eq!(found["parts"][0]["pools"], expected);
}

/// The one request that failed asked for 11 GiB again; the other file has none.
#[test]
fn requests_that_failed_are_listed() {
    let failed = data("torch/split_segment.pickle");
    let met = file(
        "overview_met.csv",
        b"id,lower,upper,size,offset\na,0,2,100,0\n",
    );
    let args = ["overview", &failed, &met];
    let table = String::from_utf8(run(&args).stdout).unwrap();
    let says = "out of memory: 1 request failed, the first for 11811160064 bytes\n";
    assert_eq!(table.matches("out of memory").count(), 1, "{table}");
    assert!(
        table.contains(&format!("split_segment.pickle: {says}")),
        "{table}"
    );
    let report = json(&[&args[..], &["--format", "json"]].concat());
    let first = 11_u64 << 30;
    let found = serde_json::json!({"requests": 1, "first": first});
    assert_eq!(row(&report, "split_segment.pickle")["failed"], found);
    assert_eq!(row(&report, "overview_met.csv")["failed"], Value::Null);
    let csv = run(&[&args[..], &["--format", "csv"]].concat());
    let csv = String::from_utf8(csv.stdout).unwrap();
    let ends: Vec<bool> = csv
        .lines()
        .map(|it| it.ends_with(",1,11811160064,"))
        .collect();
    assert_eq!(ends, [false, true, false], "{csv}");
}
