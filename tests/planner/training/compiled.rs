//! What is saved of a model when it is compiled: the joint graph that is traced here, against what
//! PyTorch saves of the same network.

use planner::graph::Bindings;
use planner::load::load;
use planner::training::backward::Step;
use planner::training::cost::needs;
use planner::training::joint::Class;
use planner::training::joint::partition::{Partitioner, Solver};
use planner::training::judge::judge;
use planner::training::policies::NoWalk;
use planner::training::policies::min_cut::partitions;
use planner::training::{Move, Policy, Problem, Recipe, Rule, stage};
use planner::{Settings, prepare};

/// The training step of a graph in text as torch.compile traces it.
fn compiled(text: &str) -> Step {
    let (_, document, _) = load(&text.to_owned().into_bytes()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let recipe = Recipe {
        rule: Rule::Compile,
        ..Recipe::default()
    };
    stage::step(subject.graph().expect("a model"), 1, recipe).expect("a step")
}

/// The bytes of what is saved, parameters aside.
fn saved(step: &Step) -> Vec<u64> {
    step.saved.iter().map(|it| it.bytes.0).collect()
}

#[test]
fn of_a_root_mean_square_normalisation_x_and_a_number_for_each_row_are_saved() {
    let step = compiled(
        "graph norm onnx 23\ninput x: f32[4, 512, 2560]\nconst w: f32[2560]\n\
         s = Mul(x, x)\nm = ReduceMean(s, [-1])\ne = Add(m, 0.00001)\nq = Sqrt(e)\n\
         r = Reciprocal(q)\nn = Mul(x, r)\ny = Mul(n, w)\noutput y\n",
    );
    assert_eq!(
        saved(&step),
        [4 * 512 * 2560 * 4, 4 * 512 * 4],
        "{:?}",
        step.saved
    );
}

/// A block of CS336's model `xl`: see the handout of spring 2026, assignment 2.
fn block() -> String {
    let mut text = "graph block onnx 23\ninput ids: i64[4, 2048]\ninput cos: f32[2048, 80]\n\
        input sin: f32[2048, 80]\nconst table: f32[1000, 2560]\nconst mask: bool[2048, 2048]\n\
        const n1: f32[2560]\nconst n2: f32[2560]\nconst q: f32[2560, 2560]\n\
        const k: f32[2560, 2560]\nconst v: f32[2560, 2560]\nconst o: f32[2560, 2560]\n\
        const up: f32[2560, 10240]\nconst gate: f32[2560, 10240]\nconst down: f32[10240, 2560]\n\
        x = Gather(table, ids)\n"
        .to_owned();
    let norm = |name: &str, x: &str, w: &str| {
        format!(
            "{name}s = Mul({x}, {x})\n{name}m = ReduceMean({name}s, [-1])\n\
             {name}e = Add({name}m, 0.00001)\n{name}q = Sqrt({name}e)\n\
             {name}r = Reciprocal({name}q)\n{name}n = Mul({x}, {name}r)\n\
             {name} = Mul({name}n, {w})\n"
        )
    };
    text += &norm("h", "x", "n1");
    for name in ["q", "k", "v"] {
        text += &format!(
            "{name}p = MatMul(h, {name})\n{name}v = Reshape({name}p, [4, 2048, 16, 160])\n\
             {name}t = Transpose({name}v) perm=[0, 2, 1, 3]\n"
        );
    }
    for name in ["q", "k"] {
        text += &format!(
            "{name}a = Slice({name}t, [0], [160], [3], [2])\n\
             {name}b = Slice({name}t, [1], [160], [3], [2])\n\
             {name}1 = Mul({name}a, cos)\n{name}2 = Mul({name}b, sin)\n{name}3 = Sub({name}1, {name}2)\n\
             {name}4 = Mul({name}a, sin)\n{name}5 = Mul({name}b, cos)\n{name}6 = Add({name}4, {name}5)\n\
             {name}7 = Unsqueeze({name}3, [4])\n{name}8 = Unsqueeze({name}6, [4])\n\
             {name}9 = Concat({name}7, {name}8) axis=4\n\
             {name}r = Reshape({name}9, [4, 16, 2048, 160])\n"
        );
    }
    text += "kk = Transpose(kr) perm=[0, 1, 3, 2]\nraw = MatMul(qr, kk)\nscores = Div(raw, 12.649)\n\
        masked = Where(mask, scores, -1000000.0)\ntop, at = TopK(masked, [1])\n\
        moved = Sub(masked, top)\nexp = Exp(moved)\nsum = ReduceSum(exp, [-1])\nprobs = Div(exp, sum)\n\
        mixed = MatMul(probs, vt)\nback = Transpose(mixed) perm=[0, 2, 1, 3]\n\
        joined = Reshape(back, [4, 2048, 2560])\nout = MatMul(joined, o)\nx2 = Add(x, out)\n";
    text += &norm("g", "x2", "n2");
    text + "gated = MatMul(g, gate)\nsig = Sigmoid(gated)\nsilu = Mul(gated, sig)\nupped = MatMul(g, up)\n\
        both = Mul(silu, upped)\ndowned = MatMul(both, down)\ny = Add(x2, downed)\noutput y\n"
}

/// The handout says 3651.31 MiB, parameters aside. PyTorch 2.15 keeps, of the same block with
/// softmax written out and the mask computed: both tables of positions, x, a number for each row
/// twice, the normalised x, scores, their largest with its place and the sum of their
/// exponentials, the probabilities, what attention mixed, its projection, the other normalised x, gate,
/// up and both together, and q, k and v. Here x comes from a table, which has to know the places.
#[test]
fn a_compiled_block_saves_what_the_handout_says() {
    let step = compiled(&block());
    let [rows, positions, hidden, inner] = [4 * 2048, 2048 * 80, 4 * 2048 * 2560, 4 * 2048 * 10240];
    let (scores, queries) = (4 * 16 * 2048 * 2048, 4 * 16 * 2048);
    let numbers = [
        positions,
        positions,
        hidden,
        rows,
        hidden,
        scores,
        queries,
        2 * queries,
        queries,
        scores,
        hidden,
        hidden,
        rows,
        hidden,
        inner,
        inner,
        inner,
        hidden,
        hidden,
        hidden,
    ];
    let mut expected: Vec<u64> = numbers.into_iter().map(|it| 4 * it).collect();
    let hundredths = (expected.iter().sum::<u64>() * 100) >> 20;
    assert_eq!(hundredths, 365_131);
    expected.push(8 * rows);
    expected.sort_unstable();
    let mut saved = saved(&step);
    saved.sort_unstable();
    assert_eq!(saved, expected, "{:?}", step.saved);
}

/// The networks of `tests/data/compiled.py` as graphs in text.
const NETWORKS: [(&str, &str); 6] = [
    (
        "mlp",
        "graph mlp onnx 23\ninput x: f32[2, 32, 64]\nconst w1: f32[64, 256]\nconst b1: f32[256]\n\
         const w2: f32[256, 64]\nconst b2: f32[64]\nconst s: f32[64]\nconst t: f32[64]\n\
         h = LayerNormalization(x, s, t)\nu = MatMul(h, w1)\nv = Add(u, b1)\ng = Gelu(v)\n\
         d = MatMul(g, w2)\ne = Add(d, b2)\ny = Add(x, e)\noutput y\n",
    ),
    (
        "residual",
        "graph residual onnx 17\ninput i: f32[2, 3, 16, 16]\nconst w0: f32[8, 3, 3, 3]\n\
         const w1: f32[8, 8, 3, 3]\nconst w2: f32[8, 8, 3, 3]\nconst s1: f32[8]\nconst t1: f32[8]\n\
         const m1: f32[8]\nconst v1: f32[8]\nconst s2: f32[8]\nconst t2: f32[8]\nconst m2: f32[8]\n\
         const v2: f32[8]\nconst w3: f32[10, 8]\nconst b3: f32[10]\n\
         x = Conv(i, w0) pads=[1, 1, 1, 1]\na = Conv(x, w1) pads=[1, 1, 1, 1]\n\
         b = BatchNormalization(a, s1, t1, m1, v1)\nc = Relu(b)\n\
         d = Conv(c, w2) pads=[1, 1, 1, 1]\ne = BatchNormalization(d, s2, t2, m2, v2)\n\
         f = Add(x, e)\ng = Relu(f)\nh = MaxPool(g) kernel_shape=[2, 2] strides=[2, 2]\n\
         j = GlobalAveragePool(h)\nk = Flatten(j)\ny = Gemm(k, w3, b3) transB=1\noutput y\n",
    ),
    (
        "attention",
        "graph attention onnx 23\ninput x: f32[2, 32, 64]\nconst q: f32[64, 64]\nconst k: f32[64, 64]\n\
         const v: f32[64, 64]\nconst o: f32[64, 64]\n\
         qp = MatMul(x, q)\nqv = Reshape(qp, [2, 32, 4, 16])\nqt = Transpose(qv) perm=[0, 2, 1, 3]\n\
         kp = MatMul(x, k)\nkv = Reshape(kp, [2, 32, 4, 16])\nkt = Transpose(kv) perm=[0, 2, 1, 3]\n\
         vp = MatMul(x, v)\nvv = Reshape(vp, [2, 32, 4, 16])\nvt = Transpose(vv) perm=[0, 2, 1, 3]\n\
         kk = Transpose(kt) perm=[0, 1, 3, 2]\nraw = MatMul(qt, kk)\nscores = Mul(raw, 0.25)\n\
         probs = Softmax(scores)\nkept = Dropout(probs, 0.1, true)\nmixed = MatMul(kept, vt)\n\
         back = Transpose(mixed) perm=[0, 2, 1, 3]\njoined = Reshape(back, [2, 32, 64])\n\
         y = MatMul(joined, o)\noutput y\n",
    ),
    (
        "swiglu",
        "graph swiglu onnx 24\ninput x: f32[2, 32, 64]\nconst s: f32[64]\nconst gate: f32[64, 128]\n\
         const up: f32[64, 128]\nconst down: f32[128, 100]\nh = RMSNormalization(x, s)\n\
         g = MatMul(h, gate)\na = Swish(g)\nu = MatMul(h, up)\nb = Mul(a, u)\nd = MatMul(b, down)\n\
         y = LogSoftmax(d)\noutput y\n",
    ),
    (
        "squeezed",
        "graph squeezed onnx 17\ninput x: f32[2, 8, 16, 16]\nconst w: f32[16, 8, 3, 3]\n\
         const reduce: f32[4, 16, 1, 1]\nconst expand: f32[16, 4, 1, 1]\nconst w2: f32[8, 16, 1, 1]\n\
         a = Conv(x, w) pads=[1, 1, 1, 1]\nb = HardSwish(a)\nm = GlobalAveragePool(b)\n\
         r = Conv(m, reduce)\ns = Relu(r)\ne = Conv(s, expand)\nf = HardSigmoid(e) alpha=0.1666\n\
         g = Mul(b, f)\ny = Conv(g, w2)\noutput y\n",
    ),
    (
        "skipped",
        "graph skipped onnx 21\ninput x: f32[2, 8, 16, 16]\nconst w: f32[16, 8, 3, 3]\nconst s: f32[16]\n\
         const t: f32[16]\nconst w2: f32[4, 24, 1, 1]\na = Conv(x, w) pads=[1, 1, 1, 1]\n\
         n = GroupNormalization(a, s, t) num_groups=4\nq = Sigmoid(n)\nb = Mul(n, q)\n\
         c = Concat(b, x) axis=1\nd = Conv(c, w2)\ny = Sigmoid(d)\noutput y\n",
    ),
];

/// What PyTorch saves of them, by `tests/data/compiled.py`.
const SAVED: &str = include_str!("../../data/compiled.txt");

#[test]
fn networks_in_text_save_what_pytorch_saves_of_the_same() {
    let mut wrong = Vec::new();
    for line in SAVED.lines() {
        let (head, sizes) = line
            .split_once(": ")
            .expect("a network, a budget and sizes");
        let (name, budget) = head.split_once(' ').expect("a network and a budget");
        let (_, text) = NETWORKS.iter().find(|it| it.0 == name).expect("a network");
        let step = compiled(text);
        let graph = &step.problem.joint.as_ref().expect("a joint graph").graph;
        let partitioner = Partitioner::new(graph).expect("a cut");
        let budget: f64 = budget.parse().expect("a budget");
        let saved = partitioner.saved(budget, Solver::Dp).expect("a cut");
        let own = saved.iter().map(|node| &graph.nodes[*node]);
        let own: Vec<_> = own.filter(|it| it.class != Class::Parameter).collect();
        let mut found: Vec<u64> = own.iter().map(|it| it.bytes.0).collect();
        found.sort_unstable();
        let words: Vec<String> = found.iter().map(u64::to_string).collect();
        if words.join(" ") != sizes {
            let names: Vec<&str> = own.iter().map(|it| it.name.as_str()).collect();
            wrong.push(format!(
                "{head}: {} {names:?}, not {sizes}",
                words.join(" ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of 66:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn named(name: &str) -> &'static str {
    let found = NETWORKS.iter().find(|it| it.0 == name);
    found.expect("a network").1
}

/// Whatever is kept, the schedule can happen and computes the whole step. What is costly runs once
/// where the usual cut is kept; where inputs alone are kept, more is computed again.
#[test]
fn every_partition_is_a_schedule() {
    let mut texts: Vec<String> = NETWORKS.iter().map(|it| it.1.to_owned()).collect();
    texts.push(block());
    for text in texts {
        let problem = compiled(&text).problem;
        let joint = problem.joint.as_ref().expect("a joint graph");
        let partitioner = Partitioner::new(&joint.graph).expect("a cut");
        let mut costs = Vec::new();
        for twentieth in 0..=20 {
            let saved = partitioner
                .saved(f64::from(twentieth) / 20.0, Solver::Dp)
                .expect("a cut");
            let walk = joint.walk(&problem, &saved);
            assert_eq!(
                judge(&problem, &walk, None),
                Ok(()),
                "{twentieth} of {}",
                problem.name
            );
            costs.push(needs(&problem, &walk).cost);
        }
        let all = joint.walk(
            &problem,
            &partitioner.saved(1.0, Solver::Dp).expect("a cut"),
        );
        for (node, own) in joint.graph.nodes.iter().enumerate() {
            let at = joint.node_of[node].filter(|_| own.class == Class::ComputeIntensive);
            if let Some(at) = at {
                let runs = all.iter().filter(|it| **it == Move::Compute(at)).count();
                assert_eq!(runs, 1, "{} of {}", own.name, problem.name);
            }
        }
        let base = problem.base_cost();
        assert!(costs.iter().all(|cost| *cost >= base));
        assert!(costs[0] > costs[20], "{costs:?}");
    }
}

/// The policy has the cheapest of 21 partitions that fits, as the table of them says.
#[test]
fn the_policy_takes_the_cheapest_partition_that_fits() {
    let problem = compiled(named("swiglu")).problem;
    let all = partitions(&problem).expect("a joint graph");
    assert_eq!(all.len(), 21);
    // What is kept grows with the budget, by the partitioner's own count.
    assert!(
        all.windows(2).all(|pair| pair[0].kept <= pair[1].kept),
        "{all:?}"
    );
    for budget in all.iter().map(|it| it.needs.peak) {
        let found = Policy::MinCut.run(&problem, Some(budget), &mut |_, _| true);
        let fits = all.iter().filter(|it| it.needs.peak <= budget);
        let least = fits.map(|it| (it.needs.cost, it.needs.peak)).min();
        assert_eq!(
            least,
            found.walk.map(|_| (found.needs.cost, found.needs.peak))
        );
    }
    let checkmate = Problem {
        joint: None,
        ..problem
    };
    let found = Policy::MinCut.run(&checkmate, None, &mut |_, _| true);
    assert_eq!(found.why, Some(NoWalk::NoJointGraph));
}

/// The operator as PyTorch's autograd saves it, in its parts, and compiled: six slots of the handout,
/// of which two hold x, two the reciprocal root (here and in its own gradient, as the root), one the
/// product and one the weight; and three.
#[test]
fn six_residuals_stand_beside_three() {
    let text = "graph norm onnx 23\ninput x0: f32[4, 512, 2560]\nconst v: f32[2560]\n\
                const w: f32[2560]\nx = Mul(x0, v)\ny = RMSNormalization(x, w)\noutput y\n";
    let step = |rule, decomposed| {
        let recipe = Recipe {
            rule,
            decomposed,
            ..Recipe::default()
        };
        let (_, document, _) = load(&text.to_owned().into_bytes()).expect("a graph");
        let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
        stage::step(subject.graph().expect("a model"), 1, recipe).expect("a step")
    };
    let (x, rows) = (4 * 512 * 2560 * 4, 4 * 512 * 4);
    let eager = step(Rule::Autograd, true);
    let own = eager
        .saved
        .iter()
        .filter(|it| !it.input && !it.by.is_empty());
    let slots: Vec<(u64, usize)> = own.map(|it| (it.bytes.0, it.by.len())).collect();
    assert_eq!(
        slots,
        [(x, 2), (rows, 1), (rows, 2), (x, 1)],
        "{:?}",
        eager.saved
    );
    let compiled = step(Rule::Compile, true);
    // x is x0 · v, which is computed again from x0.
    assert_eq!(saved(&compiled), [x, rows], "{:?}", compiled.saved);
    assert_eq!(saved(&step(Rule::Compile, false)), [x, rows]);
}
