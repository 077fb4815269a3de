//! ggml's graph allocator: arbitrary graphs and the scenarios of llama.cpp's own test, placed by
//! ggml itself (`tests/data/ggml_gallocr.py`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use planner::graph::{Bindings, Graph};
use planner::load::load;
use planner::trace::{Note, Reason, Refusal, Trace};
use planner::{
    Buffer, Bytes, Io, Lifetimes, Options, Plan, Settings, Span, Strategy, passes, prepare,
};
use serde_json::Value;
use tests::judged::{judged, reasons, traced};
use tests::lifetimes::scattered;

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn index(value: &Value) -> usize {
    usize::try_from(number(value)).expect("small")
}

/// A tensor of the vectors.
struct Tensor<'a> {
    op: &'a str,
    dtype: &'a str,
    /// The slowest dimension first, as many in all tensors of a graph.
    dims: Vec<u64>,
    from: Vec<usize>,
    flags: &'a str,
    /// Chunk and offset.
    at: Option<(usize, u64)>,
    /// How many dimensions the vectors give.
    rank: usize,
    /// First and count of a partial view, in the slowest dimension given.
    rows: Option<(u64, u64)>,
}

impl<'a> Tensor<'a> {
    fn of(value: &'a Value, rank_of_all: usize) -> Self {
        let mut dims: Vec<u64> = list(&value[2]).iter().map(number).collect();
        let rank = dims.len();
        dims.resize(rank_of_all, 1);
        dims.reverse();
        let place = value[5].as_array();
        let rows = value.get(6).and_then(Value::as_array);
        Self {
            op: value[0].as_str().expect("an operator"),
            dtype: value[1].as_str().expect("a type"),
            dims,
            rank,
            from: list(&value[3]).iter().map(index).collect(),
            flags: value[4].as_str().expect("flags"),
            at: place.map(|place| (index(&place[0]), number(&place[1]))),
            rows: rows.map(|rows| (number(&rows[0]), number(&rows[1]))),
        }
    }

    /// The call that writes it, as ONNX has the operator.
    fn call(&self, before: &[Self]) -> String {
        let input = |at: usize| format!("t{}", self.from[at]);
        let first = input(0);
        let axis = |rank: usize| {
            let [one, two] = [0, 1].map(|at| &before[self.from[at]].dims);
            (0..rank)
                .rev()
                .find(|&axis| self.dims[axis] == one[axis] + two[axis])
        };
        match self.op {
            "relu" => format!("Relu({first})"),
            "tanh" => format!("Tanh({first})"),
            "sigmoid" => format!("Sigmoid({first})"),
            "sqrt" => format!("Sqrt({first})"),
            "log" => format!("Log({first})"),
            "neg" => format!("Neg({first})"),
            "abs" => format!("Abs({first})"),
            "sin" => format!("Sin({first})"),
            "soft_max" => format!("Softmax({first})"),
            "scale" => format!("Mul({first}, 0.5)"),
            "add" => format!("Add({first}, {})", input(1)),
            "sub" => format!("Sub({first}, {})", input(1)),
            "mul" => format!("Mul({first}, {})", input(1)),
            "div" => format!("Div({first}, {})", input(1)),
            "rms_norm" => format!("RMSNormalization({first}, unit)"),
            "norm" => format!("LayerNormalization({first}, unit)"),
            "mul_mat" => {
                let batch = if self.dims.len() == 3 { "z" } else { "" };
                let product = format!("{batch}mk,{batch}nk->{batch}mn");
                format!("Einsum({}, {first}) equation=\"{product}\"", input(1))
            }
            "cast" => format!(
                "Cast({first}) to={}",
                if self.dtype == "f16" { 10 } else { 1 }
            ),
            "concat" => {
                let axis = axis(self.dims.len()).expect("one that is longer");
                format!("Concat({first}, {}) axis={axis}", input(1))
            }
            "mean" => format!("ReduceMean({first}, [-1])"),
            "pad" => {
                let old = &before[self.from[0]].dims;
                let more = self.dims.iter().zip(old).map(|(new, old)| new - old);
                let none = old.iter().map(|_| 0);
                format!("Pad({first}, {:?})", none.chain(more).collect::<Vec<u64>>())
            }
            "reshape" => format!("Reshape({first}, {:?})", self.dims),
            "transpose" => {
                let rank = self.dims.len();
                let mut perm: Vec<usize> = (0..rank).collect();
                perm.swap(rank - 1, rank - 2);
                format!("Transpose({first}) perm={perm:?}")
            }
            "view" => {
                let source = &before[self.from[0]];
                let axis = source.dims.len() - source.rank;
                let (row, rows) = self.rows.expect("rows");
                format!("Slice({first}, [{row}], [{}], [{axis}])", row + rows)
            }
            other => panic!("no call for {other}"),
        }
    }
}

/// The graph as text.
fn text(tensors: &[Tensor<'_>]) -> String {
    let mut text = "graph g onnx 23\nconst unit: f32[1]\n".to_owned();
    let mut outputs = Vec::new();
    for (index, tensor) in tensors.iter().enumerate() {
        let name = format!("t{index}");
        let (dtype, dims) = (tensor.dtype, &tensor.dims);
        match (tensor.op, tensor.flags.contains('x')) {
            ("leaf", true) => writeln!(text, "state {name}: {dtype}{dims:?}"),
            ("leaf", false) => writeln!(text, "input {name}: {dtype}{dims:?}"),
            _ => writeln!(text, "{name} = {}", tensor.call(tensors)),
        }
        .expect("a string");
        if tensor.flags.contains('o') {
            outputs.push(name);
        }
    }
    writeln!(text, "output {}", outputs.join(", ")).expect("a string");
    text
}

/// Where our strategy puts each tensor that ggml placed, beside where ggml did.
fn compare(case: &Value) -> Vec<(String, Option<u64>, u64)> {
    let tensors = list(&case["tensors"]);
    let rank = tensors.iter().map(|it| list(&it[2]).len()).max();
    let rank = rank.unwrap_or(2).max(2);
    let tensors: Vec<Tensor<'_>> = tensors.iter().map(|it| Tensor::of(it, rank)).collect();
    let alignment = Bytes(number(&case["alignment"]));
    let settings = Settings {
        alignment,
        io: Io::Ggml,
        passes: passes::parse("views=ggml,in_place=ggml").expect("passes"),
        ..Settings::default()
    };
    let text = text(&tensors);
    let name = &case["name"];
    let (_, document, warnings) =
        load(&text.clone().into_bytes()).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    assert!(warnings.is_empty(), "{name}: {warnings:?}\n{text}");
    let subject = prepare(&document, &Bindings::new(), &settings).expect("sizes");
    let options = Options {
        largest_allocation: case["max"].as_u64().map(Bytes),
        ..Options::aligned(alignment)
    };
    let plan = judged(Strategy::GgmlGallocr, &subject.lifetimes, &options);
    let sizes: Vec<u64> = list(&case["sizes"]).iter().map(number).collect();
    let program = subject.program.as_ref().expect("a program");
    let ours = addresses(&program.graph, program, &subject.lifetimes, &plan);
    let whole = ("all".to_owned(), Some(plan.arena.0), sizes.iter().sum());
    let placed = (0..)
        .zip(&tensors)
        .filter_map(|(index, tensor): (usize, _)| {
            let (chunk, offset) = tensor.at?;
            let theirs = sizes[..chunk].iter().sum::<u64>() + offset;
            let name = format!("t{index}");
            let ours = ours.get(&name).copied();
            Some((name, ours, theirs))
        });
    placed.chain([whole]).collect()
}

/// The address of each tensor in the arena.
fn addresses(
    graph: &Graph,
    program: &planner::Program,
    lifetimes: &Lifetimes,
    plan: &Plan,
) -> BTreeMap<String, u64> {
    let of_storage: BTreeMap<_, _> = lifetimes
        .buffers
        .iter()
        .zip(&plan.offsets)
        .filter_map(|(buffer, offset)| Some((buffer.storage?, offset.0)))
        .collect();
    let tensors = graph.tensors.iter().zip(&program.storages.views);
    let address = |(tensor, view): (&planner::graph::Tensor, &planner::storage::View)| {
        let base = of_storage.get(&view.base)?;
        Some((tensor.name.clone(), base + view.offset.0))
    };
    tensors.filter_map(address).collect()
}

#[test]
fn every_tensor_lies_where_ggml_itself_puts_it() {
    let text = include_str!("../data/ggml_gallocr.json");
    let vectors: Value = serde_json::from_str(text).expect("JSON");
    let graphs = list(&vectors["graphs"]);
    let arbitrary = graphs.iter().filter(|it| {
        it["name"]
            .as_str()
            .is_some_and(|it| it.starts_with("arbitrary"))
    });
    assert_eq!(arbitrary.count(), 500);
    let mut elsewhere = Vec::new();
    for case in graphs {
        let wrong = compare(case).into_iter().find(|it| it.1 != Some(it.2));
        elsewhere.extend(wrong.map(|it| (case["name"].to_string(), it)));
    }
    assert!(elsewhere.is_empty(), "{}: {elsewhere:?}", elsewhere.len());
}

/// By hand: 64 bytes with holes of 16 at 0 and 32 between others, then a request for 16.
#[test]
fn the_highest_of_equal_holes_wins_and_the_film_says_so() {
    let lifetimes = Lifetimes::of([
        Buffer::new("low", 16, Span::new(0, 1)),
        Buffer::new("kept", 16, Span::new(0, 3)),
        Buffer::new("high", 16, Span::new(0, 1)),
        Buffer::new("top", 16, Span::new(0, 3)),
        Buffer::new("new", 16, Span::new(1, 3)),
    ]);
    let options = Options::aligned(Bytes(1));
    let (plan, trace) = traced(Strategy::GgmlGallocr, &lifetimes, &options);
    let offsets: Vec<u64> = plan.offsets.iter().map(|it| it.0).collect();
    assert_eq!(offsets, [0, 16, 32, 48, 32]);
    let lower = Reason::FreeRange {
        from: planner::Offset(0),
        size: Some(Bytes(16)),
        why: Refusal::LowerTie,
    };
    assert!(reasons(&trace, 4).contains(&lower));
}

/// The chunks of a plan, from what the film says of them: first byte and bytes.
fn chunks(trace: &Trace, buffers: usize) -> Vec<(u64, u64)> {
    let notes = (0..buffers).flat_map(|buffer| reasons(trace, buffer));
    let opened = notes.filter_map(|reason| match reason {
        Reason::Note(Note::Opened { from, size, .. }) => Some((from.0, size.0)),
        _ => None,
    });
    let mut chunks: Vec<(u64, u64)> = opened.collect();
    chunks.sort_unstable();
    chunks
}

/// Chunks lie end to end, every buffer in one of them, and only a larger buffer, or the sixteenth
/// chunk, is above the limit.
#[test]
fn no_buffer_reaches_from_one_chunk_into_the_next() {
    for seed in 0..50 {
        let lifetimes = scattered(seed, 40, 30, 100);
        let most = 20 + 10 * seed;
        let options = Options {
            largest_allocation: Some(Bytes(most)),
            ..Options::aligned(Bytes(8))
        };
        let (plan, trace) = traced(Strategy::GgmlGallocr, &lifetimes, &options);
        let chunks = chunks(&trace, lifetimes.buffers.len());
        let mut end = 0;
        for (index, &(from, size)) in chunks.iter().enumerate() {
            assert_eq!(from, end);
            assert!(index == 15 || size <= most.max(104), "{seed}: {size}");
            end = from + size;
        }
        assert_eq!(end, plan.arena.0.next_multiple_of(8));
        for (buffer, offset) in lifetimes.buffers.iter().zip(&plan.offsets) {
            let inside = |&&(from, size): &&(u64, u64)| {
                from <= offset.0 && offset.0 + buffer.size.0 <= from + size
            };
            assert_eq!(chunks.iter().filter(inside).count(), 1, "{seed}");
        }
    }
}

/// A limit that is never met changes nothing.
#[test]
fn a_limit_above_everything_gives_the_plan_without_one() {
    for seed in 0..50 {
        let lifetimes = scattered(seed, 40, 30, 100);
        let free = Options::aligned(Bytes(8));
        let wide = Options {
            largest_allocation: Some(Bytes(u64::MAX)),
            ..free.clone()
        };
        let plans = [free, wide].map(|it| judged(Strategy::GgmlGallocr, &lifetimes, &it));
        assert_eq!(plans[0], plans[1]);
    }
}
