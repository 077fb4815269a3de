//! A program that trains something: parameters that stay, activations that come forwards and
//! go backwards, workspaces, a side stream that lets go later, a private pool.

use super::allocator::Allocator;
use super::books::Taken;
use crate::random::Random;

/// Lines of source: function, file, line.
pub const FRAMES: [(&str, &str, i64); 9] = [
    ("malloc", "??", 0),
    (
        "at::empty_cuda(at::Tensor const&)",
        "EmptyTensor.cpp:61",
        61,
    ),
    ("linear", "/torch/nn/functional.py", 2317),
    ("gelu", "/torch/nn/functional.py", 1702),
    ("forward", "/home/k/model.py", 41),
    ("_engine_run_backward", "/torch/autograd/graph.py", 825),
    ("step", "/torch/optim/adamw.py", 220),
    ("train", "/home/k/train.py", 97),
    ("<module>", "/home/k/train.py", 131),
];

/// Stacks, innermost first, by place in [`FRAMES`]; the first stands for none.
pub const STACKS: [&[usize]; 6] = [
    &[],
    &[0, 1, 2, 4, 7, 8],
    &[0, 1, 3, 4, 7, 8],
    &[0, 5, 7, 8],
    &[6, 7, 8],
    &[7, 8],
];

/// The innermost Python function of each stack.
pub const OPS: [&str; 6] = [
    "",
    "linear",
    "gelu",
    "_engine_run_backward",
    "step",
    "train",
];

const DEFAULT: (i64, i64) = (0, 0);
const GRAPH: (i64, i64) = (0, 1);
const SIDE: i64 = 0x55d0_1234_5600;

struct Program<'a> {
    allocator: &'a mut Allocator,
    random: Random,
    /// Blocks that a side stream still uses, and when it lets go.
    late: Vec<(usize, usize)>,
    turn: usize,
}

/// Runs the program on `allocator` until there are at least `events` events.
pub fn run(allocator: &mut Allocator, seed: u64, events: usize) {
    let mut program = Program {
        allocator,
        random: Random::new(seed),
        late: Vec::new(),
        turn: 0,
    };
    let layers = 3 + program.random.index(6);
    let mut kept: Vec<usize> = Vec::new();
    for _ in 0..layers {
        for _ in 0..3 {
            let size = program.size();
            kept.extend(program.allocator.alloc(size, (0, DEFAULT), 5));
        }
        let size = program.size();
        kept.extend(program.allocator.alloc(size, (0, GRAPH), 5));
    }
    while program.allocator.books.entries.len() < events {
        program.iteration(layers);
        if program.random.below(8) == 0 {
            program.allocator.empty_cache(5);
        }
        if program.random.below(6) == 0 && !kept.is_empty() {
            let old = kept.swap_remove(program.random.index(kept.len()));
            let size = program.taken(old).requested;
            program.free(old);
            kept.extend(program.allocator.alloc(size, (0, DEFAULT), 4));
        }
    }
    program.allocator.snapshot();
}

impl Program<'_> {
    fn taken(&self, book: usize) -> Taken {
        self.allocator.books.taken[book]
    }

    /// Sizes as tensors have them: from single numbers to tens of mebibytes, mostly odd.
    fn size(&mut self) -> u64 {
        match self.random.below(10) {
            0 => 4,
            1..4 => self.random.within(1, 5_000),
            4..6 => self.random.within(5_000, 1 << 20),
            6 => self.random.within(1, 9) << 20,
            7 | 8 => self.random.within(1 << 20, 9 << 20),
            _ => self.random.within(9 << 20, 48 << 20),
        }
    }

    fn iteration(&mut self, layers: usize) {
        let mut activations: Vec<usize> = Vec::new();
        self.allocator.say("forward", "START");
        let mut failed = false;
        for layer in 0..layers {
            let stack = 1 + layer % 2;
            let side = self.random.below(5) == 0;
            let stream = if side { SIDE } else { 0 };
            let size = self.size();
            match self.allocator.alloc(size, (stream, DEFAULT), stack) {
                Some(book) => activations.push(book),
                None => failed = true,
            }
            let size = self.size() / 2;
            if let Some(workspace) = self.allocator.alloc(size, (0, DEFAULT), stack) {
                self.free(workspace);
            }
            self.let_go();
        }
        self.allocator.say("forward", "END");
        // A request that no device can meet, now and then, ends the iteration.
        if self.random.below(12) == 0 {
            failed |= self.allocator.alloc(1 << 45, (0, DEFAULT), 1).is_none();
        }
        while let Some(activation) = activations.pop() {
            let size = self.taken(activation).requested;
            let gradient = match failed {
                true => None,
                false => self.allocator.alloc(size, (0, DEFAULT), 3),
            };
            // A residual connection keeps some activations for longer.
            if self.random.below(4) == 0 && !activations.is_empty() {
                let earlier = activations.swap_remove(self.random.index(activations.len()));
                self.free(earlier);
            }
            self.free(activation);
            if let Some(gradient) = gradient {
                self.free(gradient);
            }
            self.let_go();
        }
    }

    /// Gives a block back; one in four is still used by a side stream.
    fn free(&mut self, book: usize) {
        self.allocator.request_free(book, 5);
        if self.random.below(4) == 0 {
            let due = self.turn + 1 + self.random.index(9);
            self.late.push((due, book));
        } else {
            self.allocator.complete_free(book, 5);
        }
    }

    fn let_go(&mut self) {
        self.turn += 1;
        let turn = self.turn;
        let (due, late): (Vec<_>, Vec<_>) = self.late.drain(..).partition(|it| it.0 <= turn);
        self.late = late;
        for (_, book) in due {
            self.allocator.complete_free(book, 0);
        }
    }
}
