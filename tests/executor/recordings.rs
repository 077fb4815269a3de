//! Recordings as text, and what lowering refuses.

use std::fs;
use std::path::Path;

use executor::lower::families::{Families, Family};
use executor::lower::{Options, Refused, lower};
use planner::{Bytes, Offset, Strategy, message};
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

/// A model of one operator, which reads the same floats `often` times.
fn one(kind: &str, often: usize) -> Model {
    let mut builder = OnnxBuilder::new("one", 21);
    let x = builder.input("x", DataType::FLOAT, &[4.into()]);
    let y = builder.op("y", kind, &vec![x.as_str(); often], vec![]);
    builder.output(&y, DataType::FLOAT, &[4.into()]);
    Model::open(&builder.finish())
}

#[test]
fn a_graph_needs_the_families_of_its_operators_alone() {
    assert_eq!(Family::needed(&one("Relu", 1).program.graph), []);
    let model = one("SwiGLU", 2);
    assert_eq!(Family::needed(&model.program.graph), [Family::Recurrent]);
    let plan = model.plan(Strategy::OffsetsBySize);
    let lowered = |families| {
        let options = Options {
            families,
            ..Options::default()
        };
        let Model {
            program, values, ..
        } = &model;
        lower(program, values, &model.lifetimes, &plan, &options)
    };
    let mut others = Families::NONE;
    for family in Family::ALL {
        if family != Family::Recurrent {
            others.add(family, family.operators());
        }
    }
    let Err(Refused::Unsupported(ops)) = lowered(others) else {
        panic!("its kernels are not there");
    };
    assert_eq!(ops[0].reason, "there is no kernel for it");
    assert!(lowered(Families::of(&model.program.graph)).is_ok());
}

#[test]
fn an_arena_beyond_the_largest_binding_is_refused_with_figures() {
    let model = Model::open(&branching());
    let plan = model.plan(Strategy::OffsetsBySize);
    let options = |max_binding| Options {
        max_binding: Bytes(max_binding),
        ..Options::default()
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
        what: message!("arena"),
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

/// A zero point that 32 bits do not hold is none of an element: it is not taken for 0.
#[test]
fn a_zero_point_beyond_32_bits_is_refused() {
    let graph = |zero: &str| {
        let text = format!(
            "graph q onnx 17\ninput a: u8[4]\nconst s: f32[] = 0.5\nconst z: {zero}\n\
             y = com.microsoft::QLinearAdd(a, s, z, a, s, z, s, z)\noutput y\n"
        );
        let model = Model::open(text.as_bytes());
        model.lowered(&model.plan(Strategy::Naive))
    };
    assert!(graph("u8[] = 3").is_ok());
    let refused = graph("i64[] = 4294967299").unwrap_err();
    assert!(refused.to_string().contains("zero points"), "{refused}");
}
