//! Bytes → document: sniffs the content, calls one reader, returns what it found and what
//! it left out. Nothing outside `load` names an ONNX or FlatBuffers type.

mod beside;
mod constraints;
mod container;
mod csv;
mod dump;
mod excerpt;
mod fault;
mod figures;
mod flatbuffer;
mod gguf;
pub(crate) mod graph_text;
mod layers_json;
mod log_json;
mod onnx;
mod packed;
mod pasted;
mod plan_json;
mod program_json;
mod protobuf;
mod readers;
mod recognition;
mod safetensors;
mod source;
mod text;
mod tflite;
mod transformer;

use serde::{Deserialize, Serialize};

use crate::deployed::Deployed;
use crate::graph::Graph;
use crate::kv_cache::Workload;
use crate::liveness::{LIMIT, Lifetimes};
use crate::plan::Plan;
use crate::program::Program;
use crate::training::dtr::Log;
use crate::units::{Bytes, Offset, Span};
use crate::{Message, message};

pub use beside::Joined;
pub use container::{Content as MemberContent, MOST_UNPACKED, Member, documents, unpack};
pub use csv::{Columns, Meaning, Table};
pub use excerpt::Excerpt;
pub use fault::{Fault, LoadError};
pub use figures::{Figure, Figures, figures};
pub use graph_text::{defined, parse as graph_text};
pub use packed::unpacked;
pub use readers::{Files, Readers};
use recognition::{apart, head};
pub use source::{Source, SourceError};
pub use text::read as plain_text;
pub(crate) use tflite::schema as tflite_schema;
pub use tflite::{
    Outline as TfliteOutline, outline as tflite_outline, subgraphs as tflite_subgraphs,
};
pub use transformer::{Described, described};

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one document at a time; wasm32 does not find it large"
)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Document {
    /// A model, to be sized and planned.
    Model(Graph),
    /// A graph with a schedule and storages of its own, which no pass changes.
    Program(Program),
    /// Lifetimes without a model, to be planned.
    Problem(Lifetimes),
    /// What a program asked of an eager runtime, to be played.
    Log(Log),
    /// Lifetimes that come with a plan, in one arena or several.
    Deployed(Deployed),
}

impl Document {
    /// The graph, where there is one.
    #[must_use]
    pub fn graph(&self) -> Option<&Graph> {
        match self {
            Self::Model(graph) => Some(graph),
            Self::Program(program) => Some(&program.graph),
            Self::Problem(_) | Self::Log(_) | Self::Deployed(_) => None,
        }
    }

    /// The plans that a toolchain deployed, where there are any.
    #[must_use]
    pub fn deployed(&self) -> Option<&Deployed> {
        match self {
            Self::Deployed(deployed) => Some(deployed),
            Self::Model(_) | Self::Program(_) | Self::Problem(_) | Self::Log(_) => None,
        }
    }
}

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Format {
    /// ONNX protobuf.
    Onnx,
    /// TFLite flatbuffer.
    Tflite,
    /// MiniMalloc CSV.
    Csv,
    /// Arenascope's own plan JSON.
    PlanJson,
    /// Arenascope's own program JSON.
    ProgramJson,
    /// Arenascope's own text graph.
    GraphText,
    /// Description of a transformer: Hugging Face's `config.json`, or our own.
    Transformer,
    /// GGUF, a file of llama.cpp.
    Gguf,
    /// Safetensors, of which the headers alone are read.
    Safetensors,
    /// What llama.cpp says of its memory.
    LlamaCpp,
    /// Requests to a language model, whose key-value cache is played.
    Requests,
    /// Layers of a training problem.
    LayersJson,
    /// Log of an eager runtime.
    LogJson,
    /// PyTorch memory snapshot.
    Torch,
    /// Memory timeline of PyTorch's profiler.
    TorchTimeline,
    /// XLA buffer assignment with its live ranges.
    Xla,
    /// XLA's text of what did not fit.
    XlaOom,
    /// ExecuTorch program.
    Executorch,
    /// Log of Vela's allocation.
    Vela,
    /// IREE stream IR.
    Iree,
    /// Log of TFLite Micro's planner.
    Tflm,
    /// Tensor addresses of a LiteRT interpreter.
    Litert,
    /// MegEngine's static memory.
    Megengine,
    /// Chrome trace with offsets for times.
    ChromeTrace,
    /// TVM's graph JSON.
    Tvm,
    /// ONNX Runtime's profile.
    OrtProfile,
    /// JAX's device memory profile.
    Pprof,
}

/// Something worth saying about a file that could be read all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Where: a tensor, an operator, a line; in the file's own names.
    pub place: Message,
    /// What was found and what was done about it.
    pub message: Message,
}

impl Warning {
    /// What was found in the file as a whole.
    pub(crate) fn of_file(message: Message) -> Self {
        Self::new(message!("file"), message)
    }

    /// What was found at a place.
    pub(crate) fn new(place: Message, message: Message) -> Self {
        Self { place, message }
    }
}

/// A file of several that were opened together.
#[derive(Clone, Copy)]
pub struct Part<'s> {
    /// What the person calls it.
    pub name: &'s str,
    /// Its bytes.
    pub source: &'s dyn Source,
}

/// What a file turned out to be, its document, and what is worth saying about it.
pub type Loaded = (Format, Document, Vec<Warning>);

/// Reads a table of requests to a language model, which [`load`] plays besides.
///
/// # Errors
/// See [`LoadError`], with the line; [`Fault::UnknownFormat`] where it is no such table.
pub fn requests(source: &dyn Source) -> Result<(Workload, Vec<Warning>), LoadError> {
    match dump::requests::sniff(&head(source)?) {
        true => dump::requests::requests(source),
        false => Err(Fault::UnknownFormat
            .in_file(message!("its first line is not id,arrival,prompt,output"))),
    }
}

/// Reads the document in `source`, whatever its format. Only content counts, never a name.
///
/// # Errors
/// See [`LoadError`].
pub fn load(source: &dyn Source) -> Result<Loaded, LoadError> {
    load_parts(&[Part {
        name: "file",
        source,
    }])
}

/// Reads the document that `parts` make together, such as the two texts of an XLA dump.
///
/// # Errors
/// See [`LoadError`]; its place begins with the part's name where there are several.
pub fn load_parts(parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    load_files(&Files::new(parts))
}

/// Reads the document that `files` make together, as they say.
///
/// # Errors
/// See [`load_parts`]; where a range is said, [`Fault::Unsupported`] for what is no recording, and
/// [`Fault::Range`] where the range has too many events, or none.
pub fn load_files(files: &Files<'_>) -> Result<Loaded, LoadError> {
    let read = Readers::ALL.load(files)?;
    Ok(read.expect("every format has its row"))
}

/// The table in `parts`, for whoever is to say what its columns mean after [`Fault::Columns`];
/// `None` where it has too few of them.
#[must_use]
pub fn table(parts: &[Part<'_>]) -> Option<Table> {
    let [part] = parts else { return None };
    let table = csv::table(part.source).ok()?;
    (table.names.len() >= csv::LEAST).then_some(table)
}

/// Reads a plan alone, a plan JSON or a CSV with offsets: for a plan that is to be laid over a
/// model which is open already.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] when the file holds no plan.
pub fn load_plan(source: &dyn Source) -> Result<(Lifetimes, Plan), LoadError> {
    let head = head(source)?;
    let (document, _) = if plan_json::sniff(&head) {
        plan_json::read(source)?
    } else {
        csv::read(source, &Columns::default())?
    };
    let arena = match document {
        Document::Deployed(deployed) => deployed.arenas.into_iter().next(),
        _ => None,
    };
    let arena = arena.ok_or_else(|| Fault::Unsupported.in_file(message!("it holds no offsets")))?;
    Ok((arena.lifetimes, arena.plan))
}

/// The end of the block furthest up when `lifetimes` lie at `offsets`: the arena that an
/// imported plan needs at least.
fn reach(lifetimes: &Lifetimes, offsets: &[Offset]) -> Result<Bytes, LoadError> {
    let mut reach = Bytes::ZERO;
    for (buffer, offset) in lifetimes.buffers.iter().zip(offsets) {
        let end = offset.end(buffer.size).filter(|end| end.0 < LIMIT.0);
        let end = end.ok_or_else(|| {
            let message = message!(
                "its offset {} is beyond what can be planned, 2^62 bytes",
                offset.0
            );
            Fault::Limit.at(Message::verbatim(&*buffer.name), message)
        })?;
        reach = reach.max(Bytes(end.0));
    }
    Ok(reach)
}
