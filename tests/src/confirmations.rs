//! Confirming small models: questions, machines, and graphs with many tensors live at once.

use executor::lower::Lowered;
use executor::lower::families::Families;
use executor::supply::{Supply, folded};
use executor::verify::report::{Audit, Report};
use executor::verify::{Failure, Inputs, Machine, Question, audited, confirm};
use planner::Plan;
use planner::load::Source;

use crate::onnx_builder::{Axis, DataType, OnnxBuilder};
use crate::random::Random;
use crate::runs::{Model, gpu};

/// Six operators with a branch over tensors of 3 × 100 floats, 1200 B: a plan of 64-byte
/// lines has padding after each.
#[must_use]
pub fn branching() -> Vec<u8> {
    let mut builder = OnnxBuilder::new("branching", 17);
    let shape = [Axis::Fixed(3), Axis::Fixed(100)];
    let x = builder.input("x", DataType::FLOAT, &shape);
    let w = builder.weight("w", &[100]);
    let a = builder.op("a", "Mul", &[&x, &w], vec![]);
    let b = builder.op("b", "Relu", &[&a], vec![]);
    let c = builder.op("c", "Sigmoid", &[&b], vec![]);
    let d = builder.op("d", "Add", &[&c, &a], vec![]);
    let e = builder.op("e", "Tanh", &[&d], vec![]);
    let y = builder.op("y", "Mul", &[&e, &b], vec![]);
    builder.output(&y, DataType::FLOAT, &shape);
    builder.finish()
}

/// A graph of `ops` element-wise operators over tensors of one to a few hundred floats, each
/// reading tensors of the last few.
#[must_use]
pub fn random_graph(seed: u64, ops: usize) -> Vec<u8> {
    const UNARY: [&str; 5] = ["Relu", "Sigmoid", "Tanh", "Neg", "Abs"];
    const BINARY: [&str; 3] = ["Add", "Mul", "Sub"];
    let mut random = Random::new(seed);
    let mut builder = OnnxBuilder::new("random", 17);
    let columns = i64::try_from(random.within(1, 90)).unwrap_or(1);
    let rows = [1, i64::try_from(random.within(2, 7)).unwrap_or(2)];
    let mut tensors = Vec::new();
    for (name, rows) in ["x0", "x1"].into_iter().zip(rows) {
        let shape = [Axis::Fixed(rows), Axis::Fixed(columns)];
        let input = builder.input(name, DataType::FLOAT, &shape);
        tensors.push((input, rows));
    }
    for index in 0..ops {
        let near = |random: &mut Random| {
            let back = random.within(1, 6).min(tensors.len() as u64);
            tensors[tensors.len() - usize::try_from(back).unwrap_or(1)].clone()
        };
        let name = format!("t{index}");
        let (a, b) = (near(&mut random), near(&mut random));
        let written = if random.below(2) == 0 {
            let kind = UNARY[random.index(UNARY.len())];
            (builder.op(&name, kind, &[&a.0], vec![]), a.1)
        } else {
            let kind = BINARY[random.index(BINARY.len())];
            (builder.op(&name, kind, &[&a.0, &b.0], vec![]), a.1.max(b.1))
        };
        tensors.push(written);
    }
    for (name, rows) in tensors.iter().skip(2 + ops.saturating_sub(2)) {
        let shape = [Axis::Fixed(*rows), Axis::Fixed(columns)];
        builder.output(name, DataType::FLOAT, &shape);
    }
    builder.finish()
}

/// A graph as text: the places of the elements of x, 3 × 4, that are not zero, one row of a table
/// of so many columns for each of them, and the sum of their roots.
#[must_use]
pub fn summed(columns: usize) -> String {
    format!(
        "\
graph summed onnx 17
input x: f32[3,4]
input table: f32[4,{columns}]
const column: i64[] = 1
const rows: i64[1] = [0]
places = NonZero(x)
columns = Gather(places, column) axis=0
picked = Gather(table, columns) axis=0
moved = Sqrt(picked)
y = ReduceSum(moved, rows) keepdims=0
output y
"
    )
}

/// Both machines, or the CPU alone where there is no GPU.
#[must_use]
pub fn machines() -> Vec<Machine> {
    let mut machines = vec![Machine::Cpu];
    machines.extend(gpu().map(Machine::Gpu));
    machines
}

/// Everything that can be asked about a plan.
#[must_use]
pub fn question<'a>(model: &'a Model, plan: &'a Plan) -> Question<'a> {
    Question {
        program: &model.program,
        values: &model.values,
        bindings: &model.bindings,
        lifetimes: &model.lifetimes,
        plan,
        file: Some(&model.bytes),
        inputs: Inputs::Seeded(7),
        families: Families::of(&model.program.graph),
        clock: &|| 0.0,
        pause: None,
        corrupted: false,
        naive: true,
        reference: true,
        until: None,
    }
}

/// The report of a question.
///
/// # Errors
/// See [`Failure`].
pub fn report(machine: &Machine, question: &Question<'_>) -> Result<Report, Failure> {
    pollster::block_on(confirm(machine, question, &mut |_| {}))
}

/// The audit of a recording that a test has edited.
///
/// # Panics
/// When it cannot be run.
#[must_use]
pub fn audit(model: &Model, machine: &Machine, lowered: &Lowered, inputs: &[Vec<u32>]) -> Audit {
    let file: &dyn Source = &model.bytes;
    let folded = folded(lowered, Some(file)).expect("weights are at hand");
    let supply = Supply {
        file: Some(file),
        inputs,
        folded: &folded,
    };
    let audit = pollster::block_on(audited(machine, &lowered.recording, &supply));
    audit.expect("a run that ends")
}
