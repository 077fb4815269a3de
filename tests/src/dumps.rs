//! One small network as the planners of several toolchains lay it out, in the words of each one's
//! own dump. The plans are what those planners make of it; only the texts are written here.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use planner::{Bytes, Lifetimes, Options, Silent, Span, Strategy, plan};

use crate::executorch::{FLOAT, Instruction, Method, Program, Tensor, Value, floats};
use crate::lifetimes::named;

/// A layer: its tensor's name, the operator, the bytes, and which layers it reads. A layer that
/// reads none reads the input; neither that nor what the last one writes lies in the arena.
struct Layer {
    name: &'static str,
    op: &'static str,
    bytes: u64,
    reads: &'static [usize],
}

const fn layer(name: &'static str, op: &'static str, kib: u64, reads: &'static [usize]) -> Layer {
    let bytes = kib << 10;
    Layer {
        name,
        op,
        bytes,
        reads,
    }
}

/// A gated block with a skip connection. At step 5 `skip`, `wide`, `gate` and `scaled` are live,
/// 24 KiB, and a plan of 24 KiB exists; but whoever places the largest first, or in order of
/// use, ends above it.
const LAYERS: [Layer; 9] = [
    layer("stem", "conv2d", 4, &[]),
    layer("squeezed", "conv2d", 3, &[0]),
    layer("skip", "conv2d", 6, &[1]),
    layer("wide", "conv2d", 12, &[1]),
    layer("gate", "sigmoid", 3, &[3]),
    layer("scaled", "mul", 3, &[3, 4]),
    layer("merged", "add", 8, &[2, 5]),
    layer("head", "conv2d", 12, &[6]),
    layer("scores", "linear", 0, &[5, 7]),
];

/// A tensor in the arena: first and last step, both included, and its place.
struct Row {
    layer: &'static Layer,
    first: u64,
    last: u64,
    offset: u64,
}

impl Row {
    fn end(&self) -> u64 {
        self.offset + self.layer.bytes
    }
}

/// When the tensors of the network are live.
#[must_use]
pub fn gated_block() -> Lifetimes {
    let layers = LAYERS.iter().enumerate().filter(|(_, it)| it.bytes > 0);
    let rows = layers.map(|(step, layer)| {
        let readers = (0..)
            .zip(&LAYERS)
            .filter(|(_, it)| it.reads.contains(&step));
        let last = readers.map(|(reader, _)| reader).max();
        let last: u64 = last.unwrap_or(step as u64);
        (layer.name, layer.bytes, step as u64, last + 1)
    });
    named(&rows.collect::<Vec<_>>())
}

/// Where `strategy` puts them.
fn rows(strategy: Strategy) -> Vec<Row> {
    let lifetimes = gated_block();
    // Every size is a multiple of what any of these toolchains aligns to.
    let made = plan(
        strategy,
        &lifetimes,
        &Options::aligned(Bytes(64)),
        &mut Silent,
    );
    let offsets = made.map(|made| made.offsets).unwrap_or_default();
    let buffers = lifetimes.buffers.iter().zip(offsets).zip(&LAYERS);
    let row = |((buffer, offset), layer): ((&planner::Buffer, planner::Offset), _)| {
        let Span { start, end } = buffer.span;
        Row {
            layer,
            first: start.0,
            last: end.0 - 1,
            offset: offset.0,
        }
    };
    buffers.map(row).collect()
}

fn arena(rows: &[Row]) -> u64 {
    rows.iter().map(Row::end).max().unwrap_or(0)
}

fn live(rows: &[Row], step: u64) -> impl Iterator<Item = &Row> {
    rows.iter()
        .filter(move |row| row.first <= step && step <= row.last)
}

/// What `GreedyMemoryPlanner::PrintMemoryPlan` prints: a line for each buffer, then for each step
/// a line of 80 signs.
#[must_use]
pub fn tflm_log() -> String {
    const WIDTH: u64 = 80;
    let rows = rows(Strategy::TflmGreedy);
    let mut text = String::new();
    for (id, row) in rows.iter().enumerate() {
        let (size, offset) = (row.layer.bytes, row.offset);
        let (first, last) = (row.first, row.last);
        let _ = writeln!(
            text,
            "{id} (id={id}): size={size}, offset={offset}, first_used={first} last_used={last}"
        );
    }
    let height = arena(&rows).max(WIDTH);
    for step in 0..LAYERS.len() as u64 {
        let sign = |at: u64| {
            let mut here = rows.iter().enumerate().filter(|(_, row)| {
                let column = |address: u64| address * WIDTH / height;
                let steps = row.first..=row.last;
                steps.contains(&step) && (column(row.offset)..column(row.end())).contains(&at)
            });
            here.next()
                .map_or_else(|| ".".to_owned(), |(id, _)| id.to_string())
        };
        let line: String = (0..WIDTH).map(sign).collect();
        let bytes: u64 = live(&rows, step).map(|row| row.layer.bytes).sum();
        let _ = writeln!(text, "{step:2}: {line} ({}k)", bytes.div_ceil(1024));
    }
    text
}

/// What ONNX Runtime's `MemoryInfo::GenerateMemoryProfile` writes: a Chrome trace in which a
/// tensor begins at its offset, lasts as long as it has bytes, and is listed at every step at
/// which something begins or ends.
#[must_use]
pub fn onnxruntime_trace() -> String {
    let rows = rows(Strategy::OnnxruntimePattern);
    let title = "CPU (static activations)";
    let mut events = vec![
        format!(r#"{{"ph":"M","name":"process_name","pid":7,"args":{{"name":"{title}"}}}}"#),
        r#"{"ph":"M","name":"process_sort_index","pid":7,"args":{"sort_index":"7"}}"#.to_owned(),
    ];
    let steps: BTreeSet<u64> = rows.iter().flat_map(|row| [row.first, row.last]).collect();
    for step in steps {
        for row in live(&rows, step) {
            let (name, size, at) = (row.layer.name, row.layer.bytes, row.offset);
            events.push(format!(
                r#"{{"ph":"X","pid":7,"tid":{step},"ts":{at},"dur":{size},"name":"{name}","cname":"good","args":{{"name":"{name}","offset":{at},"size":{size}}}}}"#
            ));
        }
        let used: u64 = live(&rows, step).map(|row| row.layer.bytes).sum();
        let total = live(&rows, step).map(Row::end).max().unwrap_or(0);
        let free = total - used;
        events.push(format!(
            r#"{{"ph":"X","pid":7,"tid":{step},"ts":-24,"dur":24,"name":"Summary","cname":"black","args":{{"total_bytes":{total},"used_bytes":{used},"free_bytes":{free}}}}}"#
        ));
    }
    format!("[\n  {}\n]\n", events.join(",\n  "))
}

/// What MegEngine's `StaticMemRecorder::dump_to_json` writes.
#[must_use]
pub fn megengine_info() -> String {
    let rows = rows(Strategy::MegenginePushdown);
    let chunks = rows.iter().enumerate().map(|(id, row)| {
        let (begin, end) = (row.first, row.last + 1);
        let (low, high) = (row.offset, row.end());
        format!(
            r#""{id}": {{"id": "{id}", "time_begin": "{begin}", "time_end": "{end}", "logic_addr_begin": "{low}", "logic_addr_end": "{high}", "overwrite_dest_id": "-1", "type": "static_mem"}}"#
        )
    });
    let operators = LAYERS.iter().enumerate();
    let operators = operators.map(|(id, layer)| {
        let name = format!("{}:{}", layer.op, layer.name);
        format!(r#""{id}": {{"id": "{id}", "name": "{name}"}}"#)
    });
    let [chunks, operators] = [chunks.collect::<Vec<_>>(), operators.collect()];
    let [chunks, operators] = [chunks, operators].map(|it| it.join(", "));
    format!("{{\"chunk\": {{{chunks}}}, \"opr\": {{{operators}}}}}\n")
}

/// What XLA writes into `*-buffer-assignment.txt`, as builds did that put the live ranges into
/// the same file. Ranges are closed.
#[must_use]
pub fn xla_text() -> String {
    let rows = rows(Strategy::XlaBest);
    let shape = |bytes: u64| format!("f32[{}]", bytes / 4);
    let value = |number: usize, name: &str, bytes: u64, offset: u64| {
        let shape = shape(bytes);
        format!(" value: <{number} {name} @0> (size={bytes},offset={offset}): {shape}{{0}}\n")
    };
    let (input, output) = (4096, 40);
    let mut text = String::from("BufferAssignment:\n");
    let place = "at ShapeIndex {}";
    let _ = writeln!(
        text,
        "allocation 0: size {input}, parameter 0, shape |f32[1024]| {place}:"
    );
    text += &value(0, "picture", input, 0);
    let _ = writeln!(
        text,
        "allocation 1: size {output}, output shape is |f32[10]|, maybe-live-out:"
    );
    text += &value(LAYERS.len(), "scores", output, 0);
    let temporary = arena(&rows);
    let _ = writeln!(text, "allocation 2: size {temporary}, preallocated-temp:");
    for (number, row) in (1..).zip(&rows) {
        text += &value(number, row.layer.name, row.layer.bytes, row.offset);
    }
    let total = input + output + temporary;
    let _ = writeln!(
        text,
        "\nTotal bytes used: {total} ({:.1}KiB)\n",
        total as f64 / 1024.0
    );
    let steps = LAYERS.len();
    let _ = writeln!(
        text,
        "HloLiveRange (max {}):\n  InstructionSequence:",
        steps + 1
    );
    text += "    0:picture\n";
    for (at, layer) in (1..).zip(&LAYERS) {
        let _ = writeln!(text, "    {at}:{}", layer.name);
    }
    let _ = writeln!(text, "  BufferLiveRange:\n    picture{{}}:0-{}", steps + 1);
    for row in &rows {
        let _ = writeln!(
            text,
            "    {}{{}}:{}-{}",
            row.layer.name,
            row.first + 1,
            row.last + 1
        );
    }
    let _ = writeln!(text, "    scores{{}}:{steps}-{}", steps + 1);
    text
}

/// An `ExecuTorch` program: every tensor with its place in memory 1, and the calls.
#[must_use]
pub fn executorch_program() -> Vec<u8> {
    let rows = rows(Strategy::ExecutorchGreedy);
    let outside = |dims: Vec<i32>, name| {
        Value::Tensor(Tensor {
            scalar: FLOAT,
            dims,
            name,
            ..Tensor::default()
        })
    };
    let mut values: Vec<Value> = Vec::new();
    for row in &rows {
        let count = i32::try_from(row.layer.bytes / 4).unwrap_or(i32::MAX);
        let mut value = floats(count, row.offset);
        if let Value::Tensor(tensor) = &mut value {
            tensor.name = row.layer.name;
        }
        values.push(value);
    }
    let number = |at: usize| i32::try_from(at).unwrap_or(i32::MAX);
    let (output, input) = (number(values.len()), number(values.len() + 1));
    values.push(outside(vec![1, 10], "scores"));
    values.push(outside(vec![1, 1024], "picture"));
    let operators = [
        "aten::convolution.out",
        "aten::sigmoid.out",
        "aten::mul.out",
    ];
    let operators = operators
        .into_iter()
        .chain(["aten::add.out", "aten::linear.out"]);
    let operators: Vec<&str> = operators.collect();
    let instructions = LAYERS.iter().enumerate().map(|(at, layer)| {
        let operator = match layer.op {
            "conv2d" => 0,
            "sigmoid" => 1,
            "mul" => 2,
            "add" => 3,
            _ => 4,
        };
        let mut arguments: Vec<i32> = layer.reads.iter().map(|&it| number(it)).collect();
        if arguments.is_empty() {
            arguments.push(input);
        }
        // What is written comes last, and once more as what the operator returns.
        arguments.extend([number(at); 2]);
        Instruction::Kernel(operator, arguments)
    });
    Program::of(&[Method {
        name: "forward",
        instructions: instructions.collect(),
        values,
        inputs: vec![input],
        outputs: vec![output],
        operators,
        memories: vec![0, i64::try_from(arena(&rows)).unwrap_or(i64::MAX)],
        ..Method::default()
    }])
}
