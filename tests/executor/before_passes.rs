//! The last stage of a model is run beside the model as it was before its passes.

use executor::measure::Machine;
use planner::{Bytes, Settings, Strategy, passes};
use tests::confirmations::{branching, machines, question, report};
use tests::onnx_builder::{DataType, OnnxBuilder, ints};
use tests::runs::Model;

const LAST: &str = "fusion,views,concat,in_place=aggressive,order";

fn staged(bytes: &[u8], names: &str) -> Model {
    let settings = Settings {
        passes: passes::parse(names).expect("passes"),
        ..Settings::default()
    };
    Model::open_with(bytes, settings)
}

#[test]
fn the_last_stage_gives_the_outputs_of_the_first() {
    let (plain, last) = (staged(&branching(), ""), staged(&branching(), LAST));
    assert!(last.lifetimes.buffers.len() < plain.lifetimes.buffers.len());
    let plan = plain.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let one = report(&machine, &question(&plain, &plan)).expect("a run");
        assert_eq!(one.before_passes, None, "no pass has rewritten it");
        let plan = last.plan(Strategy::OffsetsBySize);
        let report = report(&machine, &question(&last, &plan)).expect("a run");
        let before = report.before_passes.expect("it was run").expect("a plan");
        // That is the model without passes, by the same strategy.
        assert_eq!(before.arena, one.promised);
        assert!(before.arena > report.promised);
        match machine {
            Machine::Twins => assert_eq!(before.differing, 0),
            Machine::Gpu(_) => assert!(before.deviation.max_rel < 1e-5, "{before:?}"),
        }
    }
}

/// A view that begins one row too late reads other elements.
#[test]
fn a_wrong_view_is_told_from_the_first_stage() {
    let mut b = OnnxBuilder::new("slice", 17);
    let dims = [4.into(), 4.into()];
    let x = b.input("x", DataType::FLOAT, &dims);
    let base = b.op("base", "Exp", &[&x], vec![]);
    let [from, to] = [("from", 0), ("to", 2)].map(|(name, at)| b.ints(name, &[1], &[at]));
    let view = b.op("view", "Slice", &[&base, &from, &to], vec![]);
    let sum = b.op("sum", "ReduceMean", &[&base], vec![ints("axes", &[0])]);
    let y = b.op("y", "Add", &[&view, &sum], vec![]);
    b.output(&y, DataType::FLOAT, &[2.into(), 4.into()]);
    let mut model = staged(&b.finish(), "views");
    let plan = model.plan(Strategy::OffsetsBySize);
    let differing = |model: &Model| {
        let report = report(&Machine::Twins, &question(model, &plan)).expect("a run");
        let before = report.before_passes.expect("it was run").expect("a plan");
        (before.differing, before.deviation.max_abs > 0.0)
    };
    assert_eq!(differing(&model), (0, false));
    let tensors = model.program.graph.tensors.iter();
    let index = tensors
        .zip(0_usize..)
        .find(|(it, _)| it.name == "view")
        .map(|(_, index)| index);
    let view = &mut model.program.storages.views[index.expect("a tensor")];
    view.offset = Bytes(16);
    assert_eq!(differing(&model), (8, true));
}
