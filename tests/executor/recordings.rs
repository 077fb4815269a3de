//! Recordings as text, and what lowering refuses.

use std::fs;
use std::path::Path;

use executor::lower::{Options, Refused, lower};
use planner::{Bytes, Offset, Strategy};
use tests::confirmations::branching;
use tests::onnx_builder::{Axis, DataType, OnnxBuilder};
use tests::runs::Model;

/// Compares with `golden/NAME.txt`; `REWRITE_GOLDEN=1` writes it, to be read by a person.
fn golden(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("executor/golden");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let wanted = fs::read_to_string(&path).unwrap();
    assert_eq!(text, wanted, "{}", path.display());
}

#[test]
fn a_recording_says_everything_that_a_run_does() {
    let model = Model::open(&branching());
    let planned = model.lowered(&model.plan(Strategy::OffsetsBySize)).unwrap();
    golden("branching", &planned.recording.to_string());
}

#[test]
fn all_operators_without_a_kernel_are_named_at_once() {
    let mut builder = OnnxBuilder::new("unsupported", 17);
    let shape = [Axis::Fixed(4), Axis::Fixed(4)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let a = builder.op("first", "Bernoulli", &[&x], vec![]);
    let b = builder.op("between", "Relu", &[&x], vec![]);
    let c = builder.op("second", "RandomNormalLike", &[&b], vec![]);
    builder.output(&a, DataType::FLOAT, &shape);
    builder.output(&c, DataType::FLOAT, &shape);
    let model = Model::open(&builder.finish());
    let refused = model.lowered(&model.plan(Strategy::Naive)).unwrap_err();
    let Refused::Unsupported(ops) = &refused else {
        panic!("{refused}");
    };
    let named: Vec<_> = ops.iter().map(|x| (&*x.op, &*x.kind)).collect();
    assert_eq!(
        named,
        [("first", "Bernoulli"), ("second", "RandomNormalLike")]
    );
    assert!(ops.iter().all(|op| !op.reason.is_empty()));
}

#[test]
fn an_arena_beyond_the_largest_binding_is_refused_with_figures() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let options = |max_binding| Options {
        until: None,
        max_binding: Bytes(max_binding),
        allow_hazards: false,
    };
    let lowered = |max_binding| {
        let Model {
            program,
            values,
            lifetimes,
            ..
        } = &model;
        lower(program, values, lifetimes, &plan, &options(max_binding)).map(|_| ())
    };
    assert_eq!(lowered(4864), Ok(()));
    let refused = lowered(4860).unwrap_err();
    let too_large = Refused::TooLarge {
        what: "arena".into(),
        bytes: 4864,
        limit: 4860,
    };
    assert_eq!(refused, too_large);
    assert!(refused.to_string().contains("4864 B"));
}

#[test]
fn plans_that_no_gpu_can_run_are_refused_by_name() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::Naive);
    let with = |buffer: usize, offset: u64| {
        let mut plan = plan.clone();
        plan.offsets[buffer] = Offset(offset);
        model.lowered(&plan).map(|_| ())
    };
    let unaligned = Refused::Unaligned {
        tensor: "b".into(),
        offset: 1218,
    };
    assert_eq!(with(1, 1218), Err(unaligned));
    let outside = Refused::Outside {
        tensor: "b".into(),
        end: 6000 + 1200,
        arena: 5 * 1216,
    };
    assert_eq!(with(1, 6000), Err(outside));
    // b = relu a: exactly in place is fine, one word beside is not.
    assert!(matches!(with(1, 4), Err(Refused::Hazard { .. })));
}
