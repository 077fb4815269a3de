//! Operators of which only the run finds how much they give: planned for the most, run with what
//! they give.

use executor::lower::Refused;
use executor::measure::report::{Count, Verdict};
use executor::measure::{Failure, Inputs, Machine, Question, execute};
use planner::graph::Bindings;
use planner::load::load;
use planner::passes::{self, Given};
use planner::{Settings, Strategy};
use tests::chinese::assert_told;
use tests::confirmations::{machines, question, report, summed};
use tests::runs::{Model, floats, words};

/// Squares, so that roots are whole.
const TABLE: [f32; 8] = [1.0, 100.0, 4.0, 400.0, 9.0, 900.0, 16.0, 1600.0];

fn model(text: &str, bound: &[(&str, u64)], chosen: &str) -> Model {
    let bytes = text.as_bytes().to_vec();
    let (_, document, _) = load(&bytes).expect("a graph");
    let bindings: Bindings = bound.iter().map(|&(name, n)| (name.into(), n)).collect();
    let settings = Settings {
        passes: passes::parse(chosen).expect("passes"),
        ..Settings::default()
    };
    let known = (&bindings, &Given::new());
    Model::given(&bytes, &document, known, settings).expect("it fits")
}

fn given(inputs: &[Vec<u32>]) -> Inputs {
    Inputs::Given(inputs.iter().cloned().map(Some).collect())
}

/// The outputs of a run on a machine.
fn run(machine: &Machine, model: &Model, inputs: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, Failure> {
    let plan = model.plan(Strategy::OffsetsBySize);
    let question = Question {
        inputs: given(inputs),
        ..question(model, &plan)
    };
    let found = pollster::block_on(execute(machine, &question, 1))?;
    Ok(found.outputs.into_iter().map(|it| it.1).collect())
}

/// A tensor of 3 × 4 elements in which those in these columns of the first row are not zero.
fn hits(columns: &[usize]) -> Vec<u32> {
    let mut x = [0.0; 12];
    columns.iter().for_each(|&column| x[column] = -0.5);
    words(&x)
}

/// Two of twelve are not zero, in columns 1 and 3: roots 2 + 4, and 20 + 40.
#[test]
fn what_follows_a_count_has_its_size() {
    for chosen in ["", "fusion,views,concat,in_place=aggressive,order"] {
        let model = model(&summed(2), &[], chosen);
        for machine in machines() {
            let y = run(&machine, &model, &[hits(&[1, 3]), words(&TABLE)]).expect("it runs");
            assert_eq!(floats(&y[0]), [6.0, 60.0], "{chosen}");
            // Of nothing the sum is 0.
            let y = run(&machine, &model, &[hits(&[]), words(&TABLE)]).expect("it runs");
            assert_eq!(floats(&y[0]), [0.0, 0.0], "{chosen}");
        }
    }
}

#[test]
fn a_plan_for_the_most_is_confirmed_with_what_was_counted() {
    let model = model(&summed(2), &[("places", 5)], "");
    let plan = model.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let question = Question {
            inputs: given(&[hits(&[0, 2, 3]), words(&TABLE)]),
            ..question(&model, &plan)
        };
        let found = report(&machine, &question).expect("it runs");
        assert_eq!(found.verdict, Verdict::Confirmed, "{found:#?}");
        let count = Count {
            tensor: "places".into(),
            kind: "NonZero".into(),
            most: 5,
            found: 3,
        };
        assert_eq!(found.counts, [count]);
        // 2 × 5 places of 8 bytes and more: what was promised is what was planned for the most.
        assert_eq!(found.promised, plan.arena);
    }
}

#[test]
fn more_than_was_set_is_refused() {
    let model = model(&summed(2), &[("at_most", 2)], "");
    let inputs = [hits(&[0, 1, 3]), words(&TABLE)];
    let why = run(&Machine::Twins, &model, &inputs).expect_err("three are more than two");
    let text = why.to_string();
    assert_eq!(
        text,
        "NonZero gave 3 in \"places\", and at most 2 was set: set at least 3"
    );
    assert_told(&text);
    assert!(matches!(
        why,
        Failure::Refused(Refused::Exceeded {
            found: 3,
            most: 2,
            ..
        })
    ));
}

/// The two largest of four, and of the rows they come from those that differ.
#[test]
fn counts_follow_counts() {
    let text = "\
graph twice onnx 17
input x: f32[4]
input k: i64[1]
largest, places = TopK(x, k)
halves = Floor(largest)
once = Unique(halves) sorted=0
y = Neg(once)
output y, places
";
    let model = model(text, &[], "");
    assert_eq!(model.program.graph.counts.len(), 2);
    for machine in machines() {
        let k = vec![3, 0];
        let found = run(&machine, &model, &[words(&[2.25, 7.0, 7.5, -1.0]), k]).expect("it runs");
        // 7.5, 7.0 and 2.25 in places 2, 1 and 0; rounded down 7, 7, 2.
        assert_eq!(floats(&found[0]), [-7.0, -2.0]);
        assert_eq!(found[1], [2, 0, 1, 0, 0, 0]);
    }
}

/// Two boxes of three lie nearly on each other; the one of the lower score goes.
#[test]
fn boxes_that_are_left_are_gathered() {
    let text = "\
graph boxes onnx 17
input boxes: f32[1,3,4]
input scores: f32[1,1,3]
const most: i64[] = 3
const overlap: f32[] = 0.5
const column: i64[1] = [2]
const flat: i64[2] = [-1,4]
const one: i64[1] = [-1]
kept = NonMaxSuppression(boxes, scores, most, overlap)
which = Gather(kept, column) axis=1
list = Reshape(which, one)
all = Reshape(boxes, flat)
y = Gather(all, list) axis=0
output y
";
    let model = model(text, &[], "");
    let boxes = [
        [0.0, 0.0, 1.0, 1.0],
        [0.0, 0.1, 1.0, 1.1],
        [0.0, 10.0, 1.0, 11.0],
    ];
    let inputs = [words(&boxes.concat()), words(&[0.9, 0.75, 0.95])];
    for machine in machines() {
        let y = run(&machine, &model, &inputs).expect("it runs");
        // Intersection 0.9 of a union of 1.1 is more than a half.
        assert_eq!(floats(&y[0]), [boxes[2], boxes[0]].concat());
    }
}
