//! Arbitrary programs through every rule: the peak is that of the lifetimes, the exact rule
//! finds what trying all orders finds, and nothing that an order must keep is broken.

use planner::graph::{DType, Dialect, Graph, Op, OpId, Role, TensorId};
use planner::passes::order::{Limits, Rule, order};
use planner::schedule::Schedule;
use planner::{Bytes, InPlaceAlias, Io, Program, Settings, lifetimes, profile, schedule};
use tests::random::Random;

use super::order::{exact_bytes, ordered, tensor};

/// A graph in which each operator writes a tensor or two and reads some of those before.
fn graph(random: &mut Random, ops: usize, reads: u64) -> Graph {
    let mut graph = Graph {
        dialect: Dialect::Onnx { opset: 17 },
        ..Graph::default()
    };
    for index in 0..ops {
        let mut op = Op {
            name: format!("f{index}"),
            ..Op::new(Dialect::Onnx { opset: 17 }, "", "Sum")
        };
        for _ in 0..random.below(reads + 1).min(graph.tensors.len() as u64) {
            // Near ones more often, so that there are long chains and short branches.
            let back = random.index(graph.tensors.len()).min(random.index(6));
            op.inputs
                .push(Some(TensorId::at(graph.tensors.len() - 1 - back)));
        }
        for _ in 0..1 + random.below(5) / 4 {
            let id = graph.tensors.len();
            graph
                .tensors
                .push(tensor(format!("t{id}"), random.within(0, 40)));
            op.outputs.push(Some(TensorId::at(id)));
        }
        graph.ops.push(op);
    }
    graph
}

/// All orders of a graph whose tensors have storages of their own, one operator after the
/// other, those given up that get as high as the best. What is written counts from its step,
/// what is read for the last time to its step. Operators are bits of a word.
struct Every {
    /// For each tensor its bytes, the operator that writes it, and those that read it.
    tensors: Vec<(u64, u32, u32)>,
    /// For each operator those that write what it reads.
    before: Vec<u32>,
    best: u64,
}

impl Every {
    fn least(graph: &Graph) -> u64 {
        let bits = |holds: &dyn Fn(&Op) -> bool| -> u32 {
            let ops = graph.ops.iter().enumerate().filter(|(_, op)| holds(op));
            ops.map(|(index, _)| 1 << index).sum()
        };
        let tensor = |id: TensorId| {
            let writer = bits(&|op| op.written().any(|it| it == id));
            let readers = bits(&|op| op.read().any(|it| it == id));
            (graph.tensor(id).bytes().expect("sized").0, writer, readers)
        };
        let tensors = (0..graph.tensors.len()).map(|index| tensor(TensorId::at(index)));
        let tensors: Vec<(u64, u32, u32)> = tensors.collect();
        let writers = |op: &Op| op.read().fold(0, |all, id| all | tensors[id.index()].1);
        let before = graph.ops.iter().map(writers).collect();
        let mut every = Self {
            tensors,
            before,
            best: u64::MAX,
        };
        every.go_on(0, 0);
        every.best
    }

    fn go_on(&mut self, ran: u32, peak: u64) {
        if ran.count_ones() as usize == self.before.len() {
            self.best = self.best.min(peak);
            return;
        }
        for index in 0..self.before.len() {
            let step = 1 << index;
            if ran & step != 0 || self.before[index] & !ran != 0 {
                continue;
            }
            let mut live = 0;
            for (bytes, writer, readers) in &self.tensors {
                // Written by now, and read at this step or later, or written at it.
                if writer & (ran | step) != 0 && (readers & !ran != 0 || writer & step != 0) {
                    live += bytes;
                }
            }
            if peak.max(live) < self.best {
                self.go_on(ran | step, peak.max(live));
            }
        }
    }
}

#[test]
fn the_exact_rule_finds_what_trying_all_orders_finds() {
    let mut random = Random::new(12);
    let (mut lower, mut searched) = (0, 0);
    for round in 0..1_000 {
        let ops = 2 + random.index(7) + random.index(5);
        let reads = if ops > 9 { 3 } else { 2 };
        let program = Program::new(graph(&mut random, ops, reads));
        let least = Every::least(&program.graph);
        let found = ordered(&program, Rule::Exact);
        assert_eq!(found.peak.0, least, "round {round}: {:?}", program.graph);
        assert_eq!(found.bound, found.peak, "round {round}");
        assert!(found.proof.is_some());
        lower += u32::from(found.peak < found.before);
        for rule in Rule::ALL {
            let other = ordered(&program, rule);
            assert!(other.bound.0 <= least, "round {round} {rule:?}");
            assert!(other.peak.0 >= least, "round {round} {rule:?}");
            searched += u32::from(rule == Rule::Search && other.peak.0 == least);
            assert_eq!(other.proof.is_some(), other.bound == other.peak);
        }
    }
    let counts = (lower, searched);
    assert!(lower > 200 && searched > 980, "{counts:?}");
}

/// Roles, views, writes over what is read, aliases that a plan may use: whatever leaves the
/// order of the file possible.
fn arbitrary_program(random: &mut Random, ops: usize) -> Program {
    let mut graph = graph(random, ops, 2);
    // What has no bytes is there as soon as anything is written to the storage that it views.
    for tensor in &mut graph.tensors {
        tensor.dims = tensor.bytes().map(|bytes| vec![bytes.0.max(1)]);
    }
    let inputs = random.index(3);
    for _ in 0..inputs {
        let id = TensorId::at(graph.tensors.len());
        let mut input = tensor(format!("x{}", id.0), random.within(1, 30));
        input.role = Role::Input;
        graph.tensors.push(input);
        graph.inputs.push(id);
        for _ in 0..random.index(3) {
            let reader = random.index(ops);
            graph.ops[reader].inputs.push(Some(id));
        }
    }
    for index in 0..graph.tensors.len() - inputs {
        if random.below(6) == 0 {
            graph.tensors[index].role = Role::Output;
            graph.outputs.push(TensorId::at(index));
        }
    }
    for op in &mut graph.ops {
        let kind = ["Sum", "Relu", "Reshape", "Bernoulli", "Sum"][random.index(5)];
        op.rename(Dialect::Onnx { opset: 17 }, "", kind);
    }
    let mut program = Program::new(graph);
    for _ in 0..random.index(2 * ops) {
        let tensors = program.graph.tensors.len();
        let (one, other) = (random.index(tensors), random.index(tensors));
        let offset = Bytes(random.below(2) * random.below(20));
        let mut storages = program.storages.clone();
        let pair = (TensorId::at(one), TensorId::at(other));
        let joined = storages.alias(&program.graph, pair, offset, &[]);
        if joined.is_ok() && is_possible(&program, &storages) {
            program.storages = storages;
        }
    }
    for index in 0..ops {
        let op = &program.graph.ops[index];
        let pair = op.read().next().zip(op.written().next());
        let last = |input: TensorId| {
            let mut later = program.graph.ops[index + 1..].iter().flat_map(Op::read);
            let base = |id| program.storages.view(id).map(|view| view.base);
            later.all(|id| base(id) != base(input))
        };
        if let Some((input, output)) = pair.filter(|(input, _)| last(*input)) {
            program.in_place.push(InPlaceAlias {
                op: OpId::at(index),
                input,
                output,
            });
        }
    }
    program
}

fn is_possible(program: &Program, storages: &planner::storage::Storages) -> bool {
    schedule::check(&program.graph, storages, &program.schedule).is_ok()
}

fn arbitrary_settings(random: &mut Random) -> Settings {
    Settings {
        alignment: Bytes([1, 8][random.index(2)]),
        io: [Io::Beside, Io::WholeRun, Io::Litert, Io::Tflm][random.index(4)],
        ..Settings::default()
    }
}

/// The largest value of the profile with the operators in this order.
fn peak(program: &Program, settings: &Settings, schedule: &Schedule) -> Bytes {
    let program = Program {
        schedule: schedule.clone(),
        ..program.clone()
    };
    let lifetimes = lifetimes(&program, settings).expect("small");
    let highest = profile(&lifetimes).highest();
    highest.map_or(Bytes::ZERO, |(_, bytes)| bytes)
}

/// For each pair of operators, the first of which stands first in the file, whether they must
/// keep that order: they touch the same bytes and one writes them, or the second reads what the
/// first writes, or may write over what the first reads, or both draw random numbers.
fn must_keep(program: &Program, one: usize, other: usize) -> bool {
    let (graph, storages) = (&program.graph, &program.storages);
    let (one, later) = (&graph.ops[one], &graph.ops[other]);
    let base = |id: TensorId| storages.views[id.index()].base;
    let renames = |op: &Op, id: TensorId| {
        op.kind == "Reshape" && op.read().any(|read| storages.within(graph, id, read))
    };
    let meet = |a: TensorId, b: TensorId| {
        let window = |id| storages.window(graph, id).expect("sized");
        let ((low, high), (from, to)) = (window(a), window(b));
        base(a) == base(b) && low.max(from) < high.min(to)
    };
    let touched = |op: &Op| -> Vec<(TensorId, bool)> {
        let written = op.written().map(|id| (id, !renames(op, id)));
        let read = op.read().map(|id| (id, false));
        written.chain(read).collect()
    };
    let bytes = touched(one).into_iter().any(|(a, writes)| {
        let mut second = touched(later).into_iter();
        second.any(|(b, writes_too)| (writes || writes_too) && meet(a, b))
    });
    let data = one.written().any(|id| later.read().any(|read| read == id));
    let over = program.in_place.iter().any(|alias| {
        let mut uses = one.written().chain(one.read());
        alias.op.index() == other && uses.any(|id| base(id) == base(alias.input))
    });
    bytes || data || over || one.kind == "Bernoulli" && later.kind == "Bernoulli"
}

/// Every order of the operators that keeps what it must.
fn orders(program: &Program) -> Vec<Vec<usize>> {
    let ops = program.graph.ops.len();
    let mut partial: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..ops {
        let mut longer = Vec::new();
        for order in partial {
            for op in (0..ops).filter(|op| !order.contains(op)) {
                let waits = |&one: &usize| !order.contains(&one) && must_keep(program, one, op);
                if !(0..op).any(|one| waits(&one)) {
                    longer.push([order.clone(), vec![op]].concat());
                }
            }
        }
        partial = longer;
    }
    partial
}

#[test]
fn programs_with_views_and_aliases_come_to_the_least_of_all_orders() {
    let mut random = Random::new(77);
    let (mut tried, mut shared, mut over, mut lower) = (0, 0, 0, 0);
    for round in 0..600 {
        let ops = 2 + random.index(6);
        let program = arbitrary_program(&mut random, ops);
        let settings = arbitrary_settings(&mut random);
        let of_order = |order: &Vec<usize>| {
            let schedule = order.iter().map(|&op| OpId::at(op)).collect();
            schedule::check(&program.graph, &program.storages, &schedule).expect("possible");
            peak(&program, &settings, &schedule)
        };
        let all = orders(&program);
        tried += all.len();
        let least = all.iter().map(of_order).min();
        let limits = Limits::default();
        let found = order(&program, &settings, Rule::Exact, &limits, &mut |_, _| true);
        assert_eq!(
            Some(found.peak),
            least,
            "round {round}: {settings:?} {program:?}"
        );
        assert!(found.proof.is_some(), "round {round}");
        let views = program.storages.views.iter();
        let mut bases: Vec<usize> = views.map(|view| view.base.index()).collect();
        bases.sort_unstable();
        bases.dedup();
        shared += program.storages.views.len() - bases.len();
        over += program.in_place.len();
        lower += u32::from(found.peak < found.before);
    }
    let counts = (tried, shared, over, lower);
    assert!(
        tried > 10_000 && shared > 100 && over > 100 && lower > 50,
        "{counts:?}"
    );
}

#[test]
fn the_peak_is_that_of_the_lifetimes_and_never_above_the_files() {
    let mut random = Random::new(3);
    for round in 0..400 {
        let ops = 1 + random.index(40);
        let program = arbitrary_program(&mut random, ops);
        let settings = arbitrary_settings(&mut random);
        let limits = Limits {
            states: 300,
            tries: 200,
            window: (random.below(3) == 0).then(|| random.below(8)),
            control: vec![(OpId::at(random.index(ops)), OpId::at(random.index(ops)))],
        };
        let made = |rule| order(&program, &settings, rule, &limits, &mut |_, _| true);
        let before = peak(&program, &settings, &program.schedule);
        let mut bounds = Vec::new();
        for rule in Rule::ALL {
            let found = made(rule);
            let why = format!("round {round} {rule:?}: {settings:?} {limits:?} {program:?}");
            assert_eq!(found.before, before, "{why}");
            assert_eq!(
                found.peak,
                peak(&program, &settings, &found.schedule),
                "{why}"
            );
            assert!(found.bound <= found.peak && found.peak <= before, "{why}");
            schedule::check(&program.graph, &program.storages, &found.schedule).expect(&why);
            assert_eq!(found, made(rule), "{why}");
            let steps = found.schedule.steps.iter();
            let order: Vec<usize> = steps
                .filter_map(|step| Some(step.action.op()?.index()))
                .collect();
            keeps_limits(&order, &limits);
            keeps_pairs(&program, &order);
            bounds.push((found.bound, found.peak));
        }
        // What no order can be below holds for all of them.
        let highest = bounds.iter().map(|(bound, _)| *bound).max();
        let lowest = bounds.iter().map(|(_, peak)| *peak).min();
        assert!(highest <= lowest, "round {round}: {bounds:?}");
    }
}

fn keeps_limits(order: &[usize], limits: &Limits) {
    for (place, op) in order.iter().enumerate() {
        let moved = place.abs_diff(*op) as u64;
        assert!(limits.window.is_none_or(|window| moved <= window));
    }
    for (one, other) in &limits.control {
        let place = |op: &OpId| order.iter().position(|it| *it == op.index());
        assert!(one >= other || place(one) < place(other));
    }
}

fn keeps_pairs(program: &Program, order: &[usize]) {
    for (place, op) in order.iter().enumerate() {
        for later in &order[place + 1..] {
            assert!(
                later > op || !must_keep(program, *later, *op),
                "{later} {op}"
            );
        }
    }
}

/// Sizes are rounded up as the settings say, which another order does not change.
#[test]
fn sizes_are_rounded_up() {
    let mut graph = graph(&mut Random::new(1), 3, 1);
    for tensor in &mut graph.tensors {
        (tensor.dtype, tensor.dims) = (DType::F32, Some(vec![3]));
    }
    let program = Program::new(graph);
    let of = |alignment| {
        let settings = Settings {
            alignment: Bytes(alignment),
            ..exact_bytes()
        };
        let limits = Limits::default();
        order(&program, &settings, Rule::File, &limits, &mut |_, _| true).peak
    };
    assert_eq!(of(64).0 * 12, of(1).0 * 64);
}
