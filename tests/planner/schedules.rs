//! Program JSONs whose schedule cannot happen, or whose tensors cannot lie where they say: each
//! is refused with its place and the reason.

use planner::graph::Bindings;
use planner::load::Document;
use planner::{Settings, prepare};
use serde_json::{Value, json};
use tests::chinese::load;

/// Four floats a tensor: 16 B.
fn tensor(name: &str, more: Value) -> Value {
    let mut tensor = json!({"name": name, "shape": [4]});
    let fields = tensor.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    tensor
}

fn op(name: &str, kind: &str, inputs: &[&str], output: &str) -> Value {
    json!({"name": name, "kind": kind, "inputs": inputs, "outputs": [output]})
}

fn step(kind: &str, of: &str) -> Value {
    match kind {
        "compute" | "recompute" => json!({"kind": kind, "operator": of}),
        _ => json!({"kind": kind, "tensor": of}),
    }
}

fn read(tensors: &[Value], operators: &[Value], steps: &[Value]) -> Result<Document, String> {
    let text = json!({
        "arenascope_program": 1, "tensors": tensors, "operators": operators, "schedule": steps,
    });
    let loaded = load(&text.to_string().into_bytes());
    loaded.map(|(_, document, _)| document).map_err(|error| {
        let (place, message) = (&error.place, &error.message);
        format!("{place}: {message}")
    })
}

/// x ─f─▶ a ─g─▶ y.
fn two(steps: &[Value]) -> Result<Document, String> {
    let tensors = [
        tensor("x", json!({"role": "input"})),
        tensor("a", json!({})),
        tensor("y", json!({"role": "output"})),
    ];
    read(
        &tensors,
        &[op("f", "Neg", &["x"], "a"), op("g", "Abs", &["a"], "y")],
        steps,
    )
}

/// a of two halves, l and r, which f and g compute; h reads all of it.
fn halves(steps: &[Value]) -> Result<Document, String> {
    let half = |offset: u64| json!({"shape": [2], "view": {"of": "a", "offset": offset}});
    let tensors = [
        tensor("x", json!({"shape": [2], "role": "input"})),
        tensor("a", json!({})),
        tensor("l", half(0)),
        tensor("r", half(8)),
        tensor("y", json!({"role": "output"})),
    ];
    let operators = [
        op("f", "Neg", &["x"], "l"),
        op("g", "Abs", &["x"], "r"),
        op("h", "Relu", &["a"], "y"),
    ];
    read(&tensors, &operators, steps)
}

#[test]
fn what_cannot_happen_is_refused_with_its_step() {
    let (f, g, h) = (
        step("compute", "f"),
        step("compute", "g"),
        step("compute", "h"),
    );
    let evict = step("evict", "a");
    let again = step("recompute", "f");
    let encode = json!({"kind": "encode", "tensor": "a", "to": "y"});
    let cases = [
        (
            two(&[]),
            "schedule: at the end y is needed, but has not been computed yet",
        ),
        (
            two(&[f.clone(), g.clone(), step("evict", "y")]),
            "schedule: at the end y is needed, but was evicted at step 2",
        ),
        (
            two(&[f.clone(), g.clone(), step("swap_out", "y")]),
            "schedule: at the end y is needed, but is swapped out",
        ),
        (
            two(&[f.clone(), encode, g.clone()]),
            "schedule, step 2: a is needed, but was encoded at step 1",
        ),
        (
            two(&[
                f.clone(),
                json!({"kind": "decode", "tensor": "a", "to": "y"}),
            ]),
            "schedule, step 1: a holds nothing that was encoded",
        ),
        (
            two(&[
                f.clone(),
                json!({"kind": "encode", "tensor": "a", "to": "x"}),
            ]),
            "schedule, step 1: x would be written, which the caller brings",
        ),
        (
            two(&[json!({"kind": "evict"})]),
            "schedule, step 0: it names no tensor",
        ),
        (
            two(&[json!({"kind": "compute"})]),
            "schedule, step 0: it names no operator",
        ),
        (
            halves(&[f.clone(), h.clone(), g.clone()]),
            "schedule, step 1: a is needed, but not all of its bytes 0 to 16 of a have been \
             computed",
        ),
        (
            halves(&[
                f.clone(),
                g.clone(),
                evict.clone(),
                again.clone(),
                h.clone(),
            ]),
            "schedule, step 4: a is needed, but not all of its bytes 0 to 16 of a have been \
             computed",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found.expect_err(expected), expected);
    }
}

#[test]
fn what_can_happen_is_read() {
    let (f, g, h) = (
        step("compute", "f"),
        step("compute", "g"),
        step("compute", "h"),
    );
    let (evict, again) = (step("evict", "a"), step("recompute", "f"));
    two(&[f.clone(), g.clone()]).expect("both in order");
    halves(&[f.clone(), g.clone(), h.clone()]).expect("both halves, then all of it");
    let both = [f, g, evict, again, step("recompute", "g"), h];
    halves(&both).expect("both halves once more");
}

/// b is written over a; what reads a after it would find b.
#[test]
fn what_was_written_over_cannot_be_read() {
    let over = |kind: &str| {
        let tensors = [
            tensor("x", json!({"role": "input"})),
            tensor("a", json!({})),
            tensor("b", json!({"view": {"of": "a"}})),
            tensor("y", json!({"role": "output"})),
        ];
        let operators = [
            op("f", "Neg", &["x"], "a"),
            op("g", kind, &["a"], "b"),
            json!({"name": "h", "kind": "Add", "inputs": ["a", "b"], "outputs": ["y"]}),
        ];
        let steps = ["f", "g", "h"].map(|name| step("compute", name));
        read(&tensors, &operators, &steps)
    };
    let expected = "schedule, step 2: a is needed, but b was written over it";
    assert_eq!(over("Relu").expect_err(expected), expected);
    over("Reshape").expect("the same bytes under another name");
}

#[test]
fn tensors_that_cannot_lie_where_they_say_are_refused() {
    let one = |more: Value| read(&[tensor("v", json!({})), tensor("a", more)], &[], &[]);
    let cases = [
        (
            json!({"alignment": 3}),
            "a: its alignment 3 is no power of two",
        ),
        (
            json!({"alignment": 0}),
            "a: its alignment 0 is no power of two",
        ),
        (
            json!({"view": {"of": "a"}}),
            "a: it views itself by way of others",
        ),
        (
            json!({"view": {"of": "v", "offset": 4}}),
            "a: its bytes 4 to 20 reach beyond the 16 bytes of its storage",
        ),
    ];
    for (more, expected) in cases {
        assert_eq!(one(more).expect_err(expected), expected);
    }
    let x = tensor("x", json!({"role": "input"}));
    let wrong = read(&[x], &[op("f", "Neg", &["x"], "x")], &[]);
    assert_eq!(
        wrong.expect_err("an input"),
        "f: it writes x, which the caller brings"
    );
}

/// The form that the reader's documentation shows is one that it reads.
#[test]
fn the_documented_form_is_read() {
    let source = include_str!("../../planner/src/load/program_json.rs");
    let block = source.split("```").nth(1).expect("an example");
    let lines = block.lines().filter_map(|line| line.strip_prefix("//!"));
    let text: String = lines.collect();
    let (_, document, _) = load(&text.into_bytes()).expect("a program");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("small");
    // compute f, evict a, recompute f.
    assert_eq!(subject.scheduled(), 3);
}

/// A hundred thousand views, each of the next: time grows with their number alone.
#[test]
fn views_of_views_are_resolved_in_any_order() {
    const COUNT: usize = 100_000;
    let of = |at: usize| match at + 1 < COUNT {
        true => tensor(
            &format!("t{at}"),
            json!({"view": {"of": format!("t{}", at + 1)}}),
        ),
        false => tensor(&format!("t{at}"), json!({})),
    };
    for backwards in [false, true] {
        let mut tensors: Vec<Value> = (0..COUNT).map(of).collect();
        if backwards {
            tensors.reverse();
        }
        let document = read(&tensors, &[], &[]).expect("views of one storage");
        let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("small");
        // One storage of 16 B under many names.
        assert_eq!(subject.split.expect("a program").intermediates.0, 16);
    }
}
