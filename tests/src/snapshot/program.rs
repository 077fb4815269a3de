//! A program that trains something: parameters that stay, activations that come forwards and
//! go backwards, workspaces, a side stream that lets go later, a private pool.

use super::Run;
use super::allocator::Allocator;
use super::books::Taken;
use crate::random::Random;

/// Lines of source as a snapshot with stacks "all" has them: function, file, line. The first ones
/// are of what runs below Python.
pub const FRAMES: [(&str, &str, i64); 31] = [
    (
        "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(signed char, unsigned long, CUstream_st*)",
        "??",
        0,
    ),
    (
        "at::detail::empty_cuda(c10::ArrayRef<long>, c10::ScalarType)",
        "/pytorch/aten/src/ATen/cuda/EmptyTensor.cpp",
        61,
    ),
    (
        "at::_ops::empty_memory_format::redispatch(c10::DispatchKeySet, c10::ArrayRef<c10::SymInt>)",
        "??",
        0,
    ),
    (
        "at::native::addmm_out_cuda_impl(at::Tensor&)",
        "/pytorch/aten/src/ATen/native/cuda/Blas.cpp",
        388,
    ),
    (
        "at::_ops::addmm::call(at::Tensor const&, at::Tensor const&)",
        "??",
        0,
    ),
    (
        "at::_ops::linear::call(at::Tensor const&, at::Tensor const&)",
        "??",
        0,
    ),
    (
        "torch::autograd::VariableType::(anonymous namespace)::linear(c10::DispatchKeySet)",
        "VariableTypeEverything.cpp",
        7000,
    ),
    (
        "at::_ops::gelu::call(at::Tensor const&, c10::basic_string_view<char>)",
        "??",
        0,
    ),
    (
        "_PyEval_EvalFrameDefault",
        "/usr/local/src/python/Python/ceval.c",
        4182,
    ),
    (
        "torch::autograd::generated::AddmmBackward0::apply(std::vector<at::Tensor>&&)",
        "??",
        0,
    ),
    (
        "torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&)",
        "??",
        0,
    ),
    (
        "torch::autograd::python::PythonEngine::thread_init(int)",
        "??",
        0,
    ),
    ("clone3", "??", 0),
    (
        "at::_ops::_foreach_addcdiv_ScalarList::call(c10::ArrayRef<at::Tensor>)",
        "??",
        0,
    ),
    (
        "at::_ops::empty_memory_format::call(c10::ArrayRef<c10::SymInt>)",
        "??",
        0,
    ),
    ("__libc_start_main", "??", 0),
    ("linear", "/torch/nn/functional.py", 2317),
    ("gelu", "/torch/nn/functional.py", 1702),
    (
        "forward",
        "/usr/lib/python3.12/site-packages/torch/nn/modules/linear.py",
        125,
    ),
    (
        "_call_impl",
        "/usr/lib/python3.12/site-packages/torch/nn/modules/module.py",
        1747,
    ),
    ("step", "/torch/optim/adamw.py", 220),
    ("profile_hook_step", "/torch/optim/optimizer.py", 487),
    ("forward", "/home/k/model.py", 41),
    ("activate", "/home/k/layers.py", 7),
    ("Block.forward", "/home/k/layers.py", 52),
    ("nested", "/home/k/layers.py", 80),
    ("forward", "/home/k/model.py", 44),
    ("build", "/home/k/model.py", 12),
    ("train", "/home/k/train.py", 97),
    ("<module>", "/home/k/train.py", 131),
    ("optimize", "/home/k/train.py", 103),
];

/// A function of the program that calls itself, so that the stack is 100 frames deep.
const NESTED: [usize; 100] = {
    let mut stack = [25; 100];
    let (inner, outer) = ([0, 1, 2, 7, 8, 17, 8, 23], [24, 26, 28, 29, 15]);
    let mut at = 0;
    while at < inner.len() {
        stack[at] = inner[at];
        at += 1;
    }
    let mut at = 0;
    while at < outer.len() {
        stack[stack.len() - outer.len() + at] = outer[at];
        at += 1;
    }
    stack
};

/// Stacks, innermost first, by place in [`FRAMES`]; the first stands for none.
pub const STACKS: [&[usize]; 7] = [
    &[],
    &[0, 1, 2, 3, 4, 5, 6, 8, 16, 8, 18, 19, 8, 22, 28, 29, 15],
    &[0, 1, 2, 7, 8, 17, 8, 22, 28, 29, 15],
    // A gradient: the engine's threads run no Python.
    &[0, 1, 2, 3, 4, 9, 10, 11, 12],
    &[0, 1, 2, 13, 8, 20, 21, 30, 28, 29, 15],
    &[0, 1, 14, 8, 27, 28, 29, 15],
    &NESTED,
];

/// The stack that leaks, which asks for activations, too.
pub const LEAKING: usize = 2;

/// What a reader is to find in a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The innermost line of the program.
    pub caller: &'static str,
    /// The innermost module of the program.
    pub module: &'static str,
    /// The operator that Python called, or the node of the backward pass.
    pub operator: &'static str,
    /// The phase; empty where the stack does not tell.
    pub phase: &'static str,
}

impl Said {
    /// What its blocks are grouped as, by who allocated them: the engine of autograd runs on a
    /// thread without Python.
    #[must_use]
    pub fn allocated_in(&self) -> &'static str {
        match (self.caller, self.phase) {
            ("", "backward") => "autograd",
            (caller, _) => caller,
        }
    }
}

/// What is to be found in each stack, by hand.
pub const SAID: [Said; STACKS.len()] = [
    said("", "", "", ""),
    said(
        "forward (model.py:41)",
        "forward (model.py:41)",
        "linear",
        "forward",
    ),
    said(
        "forward (model.py:41)",
        "forward (model.py:41)",
        "gelu",
        "forward",
    ),
    said("", "", "AddmmBackward0", "backward"),
    said(
        "optimize (train.py:103)",
        "",
        "_foreach_addcdiv_ScalarList",
        "optimizer",
    ),
    said("build (model.py:12)", "", "empty_memory_format", ""),
    said(
        "activate (layers.py:7)",
        "Block.forward (layers.py:52)",
        "gelu",
        "forward",
    ),
];

const fn said(
    caller: &'static str,
    module: &'static str,
    operator: &'static str,
    phase: &'static str,
) -> Said {
    Said {
        caller,
        module,
        operator,
        phase,
    }
}

const DEFAULT: (i64, i64) = (0, 0);
const GRAPH: (i64, i64) = (0, 1);
const SIDE: i64 = 0x55d0_1234_5600;

struct Program<'a> {
    allocator: &'a mut Allocator,
    random: Random,
    /// Blocks that a side stream still uses, and when it lets go.
    late: Vec<(usize, usize)>,
    turn: usize,
    leak: Option<u64>,
}

/// Runs the program on `allocator` until there are at least `events` events, or as `run` says.
pub fn run(allocator: &mut Allocator, seed: u64, events: usize, run: Run) {
    let mut program = Program {
        allocator,
        random: Random::new(seed),
        late: Vec::new(),
        turn: 0,
        leak: run.leak,
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
    let mut iterations = 0;
    while match run.iterations {
        Some(all) => iterations < all,
        None => program.allocator.books.entries.len() < events,
    } {
        iterations += 1;
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
            let stack = [1, 2, 6][layer % 3];
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
        if let Some(bytes) = self.leak {
            self.allocator.alloc(bytes, (0, DEFAULT), LEAKING);
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
