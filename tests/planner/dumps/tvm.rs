//! TVM's graph JSON. The file of the page's own network is written by hand after the rules of the
//! graph executor: each storage is as large as its largest value.

use planner::load::{Document, Fault, LoadError};
use planner::{Bytes, Options, Span, check};
use serde_json::{Value, json};
use tests::chinese::load;

/// x → conv → relu → fc, of which fc lies where conv lay.
fn graph() -> Value {
    let op = |name: &str, input: u64| {
        json!({"op": "tvm_op", "name": name, "inputs": [[input, 0, 0]],
               "attrs": {"func_name": format!("tvmgen_{name}"), "num_outputs": "1"}})
    };
    json!({
        "nodes": [{"op": "null", "name": "x", "inputs": []}, op("conv1", 0), op("relu1", 1), op("fc1", 2)],
        "arg_nodes": [0], "heads": [[3, 0, 0]], "node_row_ptr": [0, 1, 2, 3, 4],
        "attrs": {
            "dltype": ["list_str", ["float32", "float32", "float32", "float32"]],
            "shape": ["list_shape", [[1, 3, 32, 32], [1, 16, 32, 32], [1, 16, 32, 32], [1, 10]]],
            "storage_id": ["list_int", [0, 1, 2, 1]],
        },
    })
}

fn read(graph: &Value) -> Result<Document, LoadError> {
    load(&graph.to_string().into_bytes()).map(|(_, document, _)| document)
}

fn arenas(graph: &Value) -> Vec<planner::deployed::Arena> {
    match read(graph) {
        Ok(Document::Deployed(deployed)) => {
            assert_eq!(deployed.toolchain, "TVM");
            deployed.arenas
        }
        other => panic!("{other:?}"),
    }
}

/// 3·32·32 floats are 12,288 B, 16·32·32 are 65,536, ten are 40.
#[test]
fn storages_are_shared_objects() {
    let [arena] = &arenas(&graph())[..] else {
        panic!("one device")
    };
    let objects = arena.plan.objects.as_ref().expect("objects");
    assert_eq!(objects.sizes, [12_288, 65_536, 65_536].map(Bytes));
    assert_eq!(objects.of_buffer, [0, 1, 2, 1]);
    assert_eq!(arena.plan.arena, Bytes(12_288 + 2 * 65_536));
    let spans: Vec<Span> = arena.lifetimes.buffers.iter().map(|it| it.span).collect();
    // The input stays for the whole run, conv until relu has read it, fc to the end.
    assert_eq!(
        spans,
        [
            Span::new(0, 3),
            Span::new(0, 2),
            Span::new(1, 3),
            Span::new(2, 3)
        ]
    );
    assert_eq!(arena.lifetimes.step_names, ["conv1", "relu1", "fc1"]);
    let found = check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1)));
    assert_eq!(found, []);
}

/// The same file as somebody else gives it.
#[test]
fn the_case_of_an_outsider_reads_alike() {
    for (name, content) in tests::shared::files("cases", "tvm_graph.json") {
        let (_, document, _) = load(&content).expect("a graph");
        let Document::Deployed(deployed) = document else {
            panic!("{name}")
        };
        assert_eq!(deployed.arenas[0].plan.arena, Bytes(143_360));
    }
}

/// What is written in place shares its storage for one step; another shape of a value is that value.
#[test]
fn in_place_and_views_break_no_rule() {
    let mut graph = graph();
    // relu writes over conv.
    graph["attrs"]["storage_id"][1] = json!([0, 1, 1, 2]);
    let arena = arenas(&graph).remove(0);
    assert_eq!(arena.plan.arena, Bytes(12_288 + 65_536 + 40));
    assert_eq!(arena.lifetimes.handovers.len(), 1);
    assert_eq!(
        check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1))),
        []
    );
    // relu is a reshape of conv, which fc then reads.
    graph["nodes"][2]["attrs"]["func_name"] = json!("__nop");
    let arena = arenas(&graph).remove(0);
    let names: Vec<&str> = arena
        .lifetimes
        .buffers
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["x", "conv1", "fc1"]);
    assert_eq!(arena.lifetimes.buffers[1].span, Span::new(0, 3));
    assert_eq!(
        check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1))),
        []
    );
    // A plan that puts two values in one place at one time is read, and the judge says so.
    graph["nodes"][2]["attrs"]["func_name"] = json!("tvmgen_relu");
    graph["attrs"]["storage_id"][1] = json!([0, 1, 0, 2]);
    let arena = arenas(&graph).remove(0);
    assert!(!check(&arena.lifetimes, &arena.plan, &Options::aligned(Bytes(1))).is_empty());
}

#[test]
fn devices_are_arenas_and_types_have_sizes() {
    let mut graph = graph();
    graph["attrs"]["device_index"] = json!(["list_int", [1, 2, 2, 1]]);
    graph["attrs"]["dltype"][1] = json!(["uint8", "float16x4", "bool", "int4"]);
    let arenas = arenas(&graph);
    let found: Vec<(String, u64)> = arenas
        .iter()
        .map(|it| (it.name.to_string(), it.plan.arena.0))
        .collect();
    // x of bytes and fc of ten whole bytes; conv of four halves an element, relu of a byte.
    let placed = [("CPU", 3_072 + 10), ("CUDA", 16_384 * 8 + 16_384)];
    assert_eq!(found, placed.map(|(name, bytes)| (name.to_owned(), bytes)));
}

#[test]
fn broken_graphs_say_where() {
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut graph = graph();
        change(&mut graph);
        read(&graph).expect_err("it is broken")
    };
    for (change, kind, place) in [
        (
            &(|it: &mut Value| it["attrs"]["storage_id"] = json!([])) as &dyn Fn(&mut Value),
            Fault::Unsupported,
            "attrs",
        ),
        (
            &|it| it["attrs"]["shape"][1] = json!([[1]]),
            Fault::Malformed,
            "shape",
        ),
        (
            &|it| it["attrs"]["storage_id"][1][2] = json!(-1),
            Fault::Malformed,
            "relu1",
        ),
        (
            &|it| it["attrs"]["dltype"][1][0] = json!("text"),
            Fault::Unsupported,
            "x",
        ),
        (
            &|it| it["attrs"]["shape"][1][3] = json!([u64::MAX, 2]),
            Fault::Unsupported,
            "fc1",
        ),
        (
            &|it| it["attrs"]["shape"][1][3] = json!([-1, 2]),
            Fault::Unsupported,
            "fc1",
        ),
        (
            &|it| it["nodes"][1]["inputs"] = json!([[3, 0, 0]]),
            Fault::Dangling,
            "conv1",
        ),
        (
            &|it| it["heads"] = json!([[9, 0, 0]]),
            Fault::Dangling,
            "heads",
        ),
        (
            &|it| it["node_row_ptr"] = json!([0, 2, 1, 3, 4]),
            Fault::Malformed,
            "node_row_ptr",
        ),
        (
            &|it| it["node_row_ptr"] = json!([0, 1]),
            Fault::Malformed,
            "node_row_ptr",
        ),
    ] {
        let error = broken(change);
        assert_eq!(
            (error.kind, error.place.to_string().as_str()),
            (kind, place),
            "{error}"
        );
    }
    let text = graph().to_string();
    let error = load(&text.as_bytes()[..text.len() - 9].to_vec()).expect_err("cut off");
    assert_eq!(error.kind, Fault::Truncated, "{error}");
}
