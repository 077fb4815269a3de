//! What a frame of a stack is: a line of the program, of a library, or of the runtime below.
//!
//! A stack of PyTorch holds, from the inside out, the allocator and the dispatcher in C++, the
//! functions of PyTorch in Python, and the program that calls them; with
//! `record_memory_history(stacks="all")` the interpreter's own frames stand between these.

use crate::deployed::Frame;

/// Whose line a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Of the program itself: the user's own files.
    Program,
    /// Of a Python library, PyTorch's own functions among them.
    Library,
    /// Of what runs below Python: unwinding, interpreter, dispatcher, `c10`, `at::`,
    /// `torch::autograd`.
    Runtime,
}

/// Directories of PyTorch's Python sources, for a build that is not installed.
const TORCH: [&str; 20] = [
    "_dynamo",
    "_functorch",
    "_higher_order_ops",
    "_inductor",
    "_prims",
    "_refs",
    "amp",
    "ao",
    "autograd",
    "cuda",
    "distributed",
    "export",
    "fx",
    "jit",
    "nn",
    "optim",
    "profiler",
    "sparse",
    "testing",
    "utils",
];

/// Parts of paths that say where libraries are installed, or that code was generated.
const INSTALLED: [&str; 6] = [
    "fx_generated_",
    "site-packages/",
    "dist-packages/",
    "/lib/python3",
    "/lib64/python3",
    "torchinductor_",
];

/// Whose line `frame` is.
#[must_use]
pub fn owner(frame: &Frame) -> Owner {
    let file = frame.file.replace('\\', "/");
    if !is_python(&file) {
        return Owner::Runtime;
    }
    let installed = INSTALLED.iter().any(|part| file.contains(part));
    let generated = ["<frozen", "<eval_with_key>"]
        .iter()
        .any(|start| file.starts_with(start));
    match installed || generated || is_torch(&file) {
        true => Owner::Library,
        false => Owner::Program,
    }
}

/// Sources, and what has no file: `<stdin>`, cells of notebooks.
fn is_python(file: &str) -> bool {
    file.ends_with(".py") || file.starts_with('<') || file.contains("ipykernel_")
}

/// Whether a file is one of PyTorch's, wherever it was built.
fn is_torch(file: &str) -> bool {
    let parts: Vec<&str> = file.split('/').collect();
    parts.windows(2).any(|pair| match pair {
        ["torch", inner] => TORCH.contains(inner) || inner.ends_with(".py"),
        _ => false,
    })
}

/// File and line, as far as they are known: `train.py:97`, without the directories.
#[must_use]
pub fn place(frame: &Frame) -> String {
    let file = frame.file.rsplit(['/', '\\']).next().unwrap_or_default();
    match frame.line {
        0 => file.to_owned(),
        line => format!("{file}:{line}"),
    }
}

/// Function, file and line: `train (train.py:97)`.
#[must_use]
pub fn called(frame: &Frame) -> String {
    match (frame.function.as_str(), place(frame)) {
        ("", place) => place,
        (function, _) if matches!(frame.file.as_str(), "" | "??") => function.to_owned(),
        (function, place) => format!("{function} ({place})"),
    }
}
