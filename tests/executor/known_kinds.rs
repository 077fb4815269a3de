//! Every row of the table of operators has a kernel, or the reason why it has none.

use std::collections::BTreeMap;

use executor::lower::{Refused, without_kernel};
use planner::Strategy;
use planner::graph::{DType, Dialect, Dim, Graph, Op, Quantization, Role, Tensor, TensorId};
use planner::operators::Operator;
use tests::chinese::assert_told;
use tests::onnx_builder::{DataType, OnnxBuilder};
use tests::operators::names;
use tests::runs::Model;

const ON_QUANTISED: &str = "there is no kernel for it on quantised elements";

/// A model that copies four elements.
fn copy(dialect: Dialect, dtype: DType) -> Model {
    let kind = match dialect {
        Dialect::Onnx { .. } => "Identity",
        Dialect::Tflite => "ZEROS_LIKE",
    };
    let halves = Quantization {
        scales: vec![0.5],
        zero_points: vec![0],
        axis: 0,
    };
    let tensor = |name: &str, role| Tensor {
        role,
        declared: Some(vec![Dim::Fixed(4)]),
        quantization: (dtype == DType::I8).then(|| Box::new(halves.clone())),
        ..Tensor::new(name, dtype)
    };
    let (x, y) = (TensorId::at(0), TensorId::at(1));
    let op = Op {
        inputs: vec![Some(x)],
        outputs: vec![Some(y)],
        ..Op::new(dialect, "", kind)
    };
    let graph = Graph {
        dialect,
        tensors: vec![tensor("x", Role::Input), tensor("y", Role::Output)],
        ops: vec![op],
        inputs: vec![x],
        outputs: vec![y],
        ..Graph::default()
    };
    Model::of(&[], graph)
}

/// Why no kernel computes the operator of this name on these elements, if that is why.
fn without(dialect: Dialect, domain: &str, kind: &str, dtype: DType) -> Option<String> {
    let mut model = copy(dialect, dtype);
    let plan = model.plan(Strategy::OffsetsBySize);
    model.program.graph.ops[0].rename(dialect, domain, kind);
    let Err(Refused::Unsupported(operators)) = model.lowered(&plan) else {
        return None;
    };
    let reason = operators.into_iter().next()?.reason;
    let said = [
        "its results are drawn at random: no two runs could be compared",
        "it needs memory that no tensor of the plan has",
        "how much it gives hangs on values of the run",
        "there is no kernel for a pool over regions",
        "there is no kernel for it",
        ON_QUANTISED,
    ];
    let reason = Some(reason).filter(|it| said.iter().any(|text| it == text))?;
    assert_told(&reason);
    Some(reason.to_string())
}

#[test]
fn every_row_has_a_kernel_or_the_reason_why_not() {
    let mut found: BTreeMap<Operator, Vec<Option<String>>> = BTreeMap::new();
    for (operator, dialect, domain, kind) in names() {
        let types = [DType::F32, DType::Bool, DType::I32, DType::I8];
        let reasons = types.map(|dtype| without(dialect, domain, kind, dtype));
        found.entry(operator).or_default().extend(reasons);
    }
    for (operator, found) in found {
        let reason = without_kernel(operator).map(|it| it().to_string());
        let any = found.iter().any(Option::is_none);
        assert_eq!(any, reason.is_none(), "{operator:?}: {found:?}");
        let other = |it: &&String| Some(*it) != reason.as_ref() && **it != ON_QUANTISED;
        let same = !found.iter().flatten().any(|it| other(&it));
        assert!(any || same, "{operator:?}: {found:?}");
    }
    assert!(without_kernel(Operator::Conv).is_none());
    assert!(
        without_kernel(Operator::Bernoulli).is_some_and(|it| it().to_string().contains("random"))
    );
}

#[test]
fn a_refusal_names_what_stands_in_the_way_and_counts_what_follows() {
    let mut builder = OnnxBuilder::new("roots", 17);
    let x = builder.input("x", DataType::FLOAT, &[2.into(), 3.into()]);
    let places = builder.op("shaped", "Reshape", &[&x, &x], vec![]);
    let moved = builder.op("moved", "Transpose", &[&places], vec![]);
    let cast = builder.op("same", "Identity", &[&moved], vec![]);
    builder.output(&cast, DataType::INT64, &[]);
    let model = Model::open(&builder.finish());
    let refused = model.lowered(&model.plan(Strategy::Naive)).unwrap_err();
    assert_told(&refused);
    let text = refused.to_string();
    // One operator's size hangs on its input; two read what it would give.
    assert!(
        text.starts_with("1 operators cannot be run: Reshape × 1"),
        "{text}"
    );
    assert!(
        text.ends_with("; 2 more operators read what these would give"),
        "{text}"
    );
}
