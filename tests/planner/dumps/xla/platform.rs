//! What a program was compiled for, and the flags that are proposed for it.

use planner::advice::{Flag, Wish};
use planner::graph::Bindings;
use planner::load::Document;
use planner::{Bytes, Settings, prepare};

use super::{LOOP_PB, TRAIN, open};

/// What made the plan in `files`, and the flags that are proposed.
fn flags(files: &[(&str, &[u8])]) -> (String, Vec<Flag>) {
    let (found, _) = open(files).expect("a dump");
    let toolchain = found.toolchain.clone();
    let document = Document::Deployed(found);
    let prepared = prepare(&document, &Bindings::default(), &Settings::default());
    let subject = prepared.expect("it is small");
    let advice = subject.advise(Bytes(1), &Wish::default(), &mut |_, _| {});
    (toolchain, advice.expect("a plan").flags)
}

/// A program of one operator, with this text behind its operands, and this shape.
fn module(shape: &str, size: u64, rest: &str) -> (String, Vec<Flag>) {
    let module = format!(
        "HloModule jit_f, is_scheduled=true\n\nENTRY %main (p.1: f32[64]) -> f32[64] {{\n  \
         %p.1 = {shape} parameter(0)\n  ROOT %op.1 = {shape} custom-call(%p.1){rest}\n}}\n"
    );
    let assignment = format!(
        "BufferAssignment:\nallocation 0: size {size}, preallocated-temp:\n \
         value: <1 op.1 @0> (size={size},offset=0): {shape}\n"
    );
    let ranges = "HloLiveRange (max 2):\n  InstructionSequence:\n    0:p.1\n    1:op.1\n  \
        BufferLiveRange:\n    op.1{}:1-2\n";
    flags(&[
        ("a", assignment.as_bytes()),
        ("b", ranges.as_bytes()),
        ("c", module.as_bytes()),
    ])
}

/// No flag of one platform is proposed for another: their names say what they are of.
#[test]
fn flags_are_those_of_the_platform() {
    let cublas = ", custom_call_target=\"__cublas$gemm\", metadata={op_name=\"dot\"}";
    let queue = ", metadata={op_name=\"dot\"}, backend_config={\"operation_queue_id\":\"0\"}";
    for gpu in [cublas, queue] {
        let (toolchain, found) = module("f32[64]{0}", 256, gpu);
        assert_eq!(toolchain, "XLA for GPU");
        assert!(!found.is_empty());
        assert!(
            found.iter().all(|it| it.text().contains("--xla_gpu_")),
            "{found:?}"
        );
    }
    let (toolchain, found) = module("f32[64]{0:T(1024)}", 4096, "");
    assert_eq!(toolchain, "XLA for TPU");
    assert!(!found.is_empty());
    assert!(
        found
            .iter()
            .all(|it| it.text().starts_with("LIBTPU_INIT_ARGS=")),
        "{found:?}"
    );
    let cpu = ", backend_config={\"outer_dimension_partitions\":[\"2\"]}";
    let (toolchain, found) = module("f32[64]{0}", 256, cpu);
    assert_eq!(
        (toolchain.as_str(), &found[..]),
        ("XLA for CPU", &[Flag::XlaCpu][..])
    );
    // What a framework says in the name of an operator tells nothing.
    let named = ", metadata={op_name=\"my__cublas$thing\"}";
    let (toolchain, found) = module("f32[64]{0}", 256, named);
    assert_eq!(toolchain, "XLA");
    for part in ["--xla_cpu_", "--xla_gpu_", "LIBTPU_"] {
        assert!(
            found.iter().any(|it| it.text().contains(part)),
            "{part}: {found:?}"
        );
    }
}

/// Both were compiled for a CPU (`make.py`); of the pair of texts alone nothing tells.
#[test]
fn a_dump_of_a_cpu_tells_where_it_has_its_module() {
    assert_eq!(
        flags(&[LOOP_PB]),
        ("XLA for CPU".to_owned(), vec![Flag::XlaCpu])
    );
    assert_eq!(flags(&TRAIN).0, "XLA");
}
