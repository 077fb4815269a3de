//! Operators of which only the run finds how much they give: planned for the most, run with what
//! they give.

use executor::counting::{self, Read};
use executor::lower::Refused;
use executor::verify::report::{Count, Verdict};
use executor::verify::values::values;
use executor::verify::{Failure, Inputs, Machine, Question, execute};
use planner::graph::{Attribute, Bindings, DType, Dialect, Elements, Op, Value};
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

/// What depends on data and has no element is there, of its type and with no words: it is not
/// known before the run.
#[test]
fn nothing_is_shown_as_nothing() {
    let text = "\
graph nothing onnx 17
input x: f32[3,4]
const all: i64[1] = [12]
const two: f32[1] = [2]
places = NonZero(x)
row = Reshape(x, all)
hit = Cast(row) to=9
kept = Compress(row, hit)
doubled = Mul(kept, two)
output places
output doubled
";
    let model = model(text, &[], "");
    let plan = model.plan(Strategy::OffsetsBySize);
    let question = Question {
        inputs: given(&[hits(&[])]),
        ..question(&model, &plan)
    };
    for machine in machines() {
        let outputs = &model.program.graph.outputs;
        let mut silent = |_| {};
        let found = values(&machine, &question, outputs, &mut silent);
        let found = pollster::block_on(found).expect("it runs");
        let found = found.iter().map(|it| {
            (
                &*it.operand.name,
                it.operand.dtype,
                &*it.operand.dims,
                it.words.len(),
            )
        });
        let found: Vec<_> = found.collect();
        assert_eq!(
            found,
            [
                ("places", DType::I64, &[2, 0][..], 0),
                ("doubled", DType::F32, &[0][..], 0)
            ]
        );
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
    let why = run(&Machine::Cpu, &model, &inputs).expect_err("three are more than two");
    let text = why.to_string();
    assert_eq!(
        text,
        "NonZero gave 3 in \"places\", and at most 2 was set: set at least 3"
    );
    assert_told(&why);
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

/// In the order of the file: elements 1 and 11 of 3 × 4 are in row 0, column 1 and in row 2,
/// column 3.
#[test]
fn places_of_tflite_are_rows() {
    let text = "\
graph places tflite
input x: f32[3,4]
places: i64[?,2] = WHERE(x)
picked = GATHER_ND(x, places)
y = ABS(picked)
output y, places
";
    let model = model(text, &[], "");
    let mut x = [0.0; 12];
    (x[1], x[11]) = (-2.0, 3.0);
    for machine in machines() {
        let found = run(&machine, &model, &[words(&x)]).expect("it runs");
        assert_eq!(floats(&found[0]), [2.0, 3.0]);
        assert_eq!(found[1], [0, 0, 1, 0, 2, 0, 3, 0]);
        let none = run(&machine, &model, &[words(&[0.0; 12])]).expect("it runs");
        assert_eq!(none, [Vec::<u32>::new(), Vec::new()]);
    }
}

/// 7 is first, then 2 and 9; the fourth and the fifth element are 2 and 7 again.
#[test]
fn elements_are_once_in_the_order_in_which_they_are_found() {
    let text = "\
graph once tflite
input x: f32[5]
once, which: i32[5] = UNIQUE(x)
y = NEG(once)
output y, which
";
    let model = model(text, &[], "");
    for machine in machines() {
        let x = words(&[7.0, 2.0, 9.0, 2.0, 7.0]);
        let found = run(&machine, &model, &[x]).expect("it runs");
        assert_eq!(floats(&found[0]), [-7.0, -2.0, -9.0]);
        assert_eq!(found[1], [0, 1, 2, 1, 0]);
    }
}

/// LiteRT's kernel asks for numbers that count up from 0: rows 0 and 1 are segment 0, the others one
/// each of their own.
#[test]
fn rows_of_a_segment_are_summed() {
    let text = "\
graph segments tflite
input x: f32[4,2]
input segment: i32[4]
sums: f32[?,2] = SEGMENT_SUM(x, segment)
y = NEG(sums)
output y
";
    let model = model(text, &[], "");
    let x = words(&[1.0, 2.0, 10.0, 20.0, 100.0, 200.0, 0.5, 0.25]);
    for machine in machines() {
        let found = run(&machine, &model, &[x.clone(), vec![0, 0, 1, 2]]).expect("it runs");
        let expected = [-11.0, -22.0, -100.0, -200.0, -0.5, -0.25];
        assert_eq!(floats(&found[0]), expected);
        let why = run(&machine, &model, &[x.clone(), vec![0, 0, 2, 2]]).expect_err("a gap");
        assert_told(&why);
        assert!(why.to_string().contains("do not count up from 0"), "{why}");
    }
}

#[test]
fn the_largest_of_tflite_are_as_many_as_are_asked_for() {
    let text = "\
graph largest tflite
input x: f32[4]
input k: i32[]
largest, places: i32[?] = TOPK_V2(x, k)
y = NEG(largest)
output y, places
";
    let model = model(text, &[], "");
    for machine in machines() {
        let x = words(&[2.0, 7.0, 9.0, -1.0]);
        let found = run(&machine, &model, &[x, vec![2]]).expect("it runs");
        assert_eq!(floats(&found[0]), [-9.0, -7.0]);
        assert_eq!(found[1], [2, 1]);
    }
}

/// Four boxes of height 1: the second covers 0.9 of a union of 1.1 of the first, 9/11; the third
/// lies apart; the score of the last is too low.
const BOXES: [f32; 16] = [
    0.0, 0.0, 1.0, 1.0, //
    0.0, 0.1, 1.0, 1.1, //
    0.0, 10.0, 1.0, 11.0, //
    0.0, 20.0, 1.0, 21.0,
];
const SCORES: [f32; 4] = [0.9, 0.75, 0.95, 0.1];

/// A file or a run may ask for any length: 2^31 - 1 places are 16 GiB, and nothing of them is made.
#[test]
fn a_list_of_boxes_has_a_longest_length() {
    let op = Op {
        ..Op::new(Dialect::Tflite, "", "NON_MAX_SUPPRESSION_V4")
    };
    let inputs = [
        read(&[1, 4], vec![0.0, 0.0, 1.0, 1.0]),
        read(&[1], vec![1.0]),
        Some((DType::I32, Value::ints(vec![i64::from(i32::MAX)]))),
        read(&[], vec![0.5]),
        read(&[], vec![0.0]),
    ];
    let why = counting::count(&op, &inputs).expect_err("too long");
    assert_eq!(
        why,
        "it asks for 2147483647 boxes, and at most 16777216 are listed"
    );
    assert_told(&Refused::Uncounted { op: op.name, why });
}

fn selecting(k: &str, rest: &str) -> String {
    format!(
        "graph boxes tflite\ninput boxes: f32[4,4]\ninput scores: f32[4]\n{k}\n\
         const low: f32[] = 0.2\n{rest}\n"
    )
}

/// The one that is selected first is the third, then the first, which hides the second from an
/// overlap of a half on; behind them are zeros.
#[test]
fn selected_boxes_fill_a_list_of_fixed_length() {
    let text = selecting(
        "const k: i32[] = 3\nconst half: f32[] = 0.5",
        "n: i32[3], m: i32[] = NON_MAX_SUPPRESSION_V4(boxes, scores, k, half, low)\n\
         all = GATHER(scores, n)\ny = NEG(all)\noutput y, n, m",
    );
    let model = model(&text, &[], "");
    let plan = model.plan(Strategy::OffsetsBySize);
    for machine in machines() {
        let inputs = [words(&BOXES), words(&SCORES)];
        let found = run(&machine, &model, &inputs).expect("it runs");
        assert_eq!(floats(&found[0]), [-0.95, -0.9, -0.9]);
        assert_eq!(found[1..], [vec![2, 0, 0], vec![2]]);
        let question = Question {
            inputs: given(&inputs),
            ..question(&model, &plan)
        };
        let report = report(&machine, &question).expect("it runs");
        assert_eq!(report.verdict, Verdict::Confirmed, "{report:#?}");
        assert_eq!((report.counts[0].most, report.counts[0].found), (3, 2));
    }
}

/// Nothing is hidden below an overlap of 1: the second is lowered to 0.75·e^(−(9/11)²/2/0.5) and
/// stays above 0.2. The list is as long as the run asks for.
#[test]
fn scores_are_lowered_by_what_boxes_overlap() {
    let text = selecting(
        "input k: i32[]\nconst one: f32[] = 1.0\nconst half: f32[] = 0.5",
        "n: i32[?], s, m: i32[] = NON_MAX_SUPPRESSION_V5(boxes, scores, k, one, low, half)\n\
         y = NEG(s)\noutput y, n, m",
    );
    let model = model(&text, &[("n", 9)], "");
    let lowered = 0.75 * (-(9.0_f64 / 11.0).powi(2)).exp();
    for machine in machines() {
        for k in [2, 5] {
            let inputs = [words(&BOXES), words(&SCORES), vec![k]];
            let found = run(&machine, &model, &inputs).expect("it runs");
            let (all, most) = ([0.95, 0.9, lowered, 0.0, 0.0], k as usize);
            let apart = floats(&found[0]).into_iter().zip(&all[..most]);
            assert!(
                apart
                    .map(|(y, x)| (f64::from(y) + x).abs())
                    .all(|apart| apart < 1e-6)
            );
            assert_eq!(found[1], [2, 0, 1, 0, 0][..most]);
            assert_eq!(found[2], [k.min(3)]);
        }
    }
}

fn read(dims: &[u64], elements: Vec<f64>) -> Option<Read> {
    let (dims, elements) = (dims.to_vec(), Elements::Floats(elements));
    Some((DType::F32, Value { dims, elements }))
}

/// Columns (1, 2), (1, 2) and (0, 5): sorted, the last is first.
#[test]
fn slices_of_an_axis_are_once() {
    let op = Op {
        attributes: vec![("axis".into(), Attribute::Int(1))],
        ..Op::new(Dialect::Onnx { opset: 17 }, "", "Unique")
    };
    let x = read(&[2, 3], vec![1.0, 1.0, 0.0, 2.0, 2.0, 5.0]);
    let found = counting::count(&op, &[x]).expect("columns");
    let Elements::Floats(once) = &found.outputs[0].elements else {
        panic!("{found:?}")
    };
    assert_eq!((found.count, &**once), (2, &[0.0, 1.0, 5.0, 2.0][..]));
    let rest: Vec<_> = found.outputs[1..].iter().map(Value::as_ints).collect();
    let expected: [&[i64]; 3] = [&[2, 0], &[1, 1, 0], &[1, 2]];
    assert_eq!(rest, expected.map(Some));
}

/// Of 24,000 boxes that all lie apart each is compared with all before it: 24,000 · 23,999 / 2 =
/// 287,988,000 pairs, more than 2^28.
#[test]
fn comparing_boxes_has_a_limit() {
    let op = Op {
        name: "select".into(),
        ..Op::new(Dialect::Onnx { opset: 17 }, "", "NonMaxSuppression")
    };
    let boxes = (0..24_000).flat_map(|at| [0.0, f64::from(2 * at), 1.0, f64::from(2 * at + 1)]);
    let inputs = [
        read(&[1, 24_000, 4], boxes.collect()),
        read(&[1, 1, 24_000], vec![1.0; 24_000]),
        Some((DType::I64, Value::ints(vec![24_000]))),
    ];
    let why = counting::count(&op, &inputs).expect_err("too many pairs");
    let refused = Refused::Uncounted { op: op.name, why };
    assert_eq!(
        refused.message(),
        "what select gives cannot be counted: it compares more than 268435456 pairs of boxes: \
         ask for fewer boxes, or for higher scores"
    );
    assert_told(&refused);
}
