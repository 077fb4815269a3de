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
pub(crate) mod graph_text;
mod layers_json;
mod log_json;
mod onnx;
mod packed;
mod pasted;
mod plan_json;
mod program_json;
mod protobuf;
mod source;
mod text;
mod tflite;

use serde::{Deserialize, Serialize};

use crate::deployed::Deployed;
use crate::graph::Graph;
use crate::liveness::{LIMIT, Lifetimes, TooLarge};
use crate::plan::Plan;
use crate::program::Program;
use crate::training::dtr::Log;
use crate::units::{Bytes, Offset, Span};

pub use beside::Joined;
pub use container::{Content as MemberContent, MOST_UNPACKED, Member, documents, unpack};
pub use csv::{Columns, Meaning, Table};
pub use excerpt::Excerpt;
pub use fault::{Fault, LoadError};
pub use figures::{Figure, Figures, figures};
pub use graph_text::{defined, parse as graph_text};
pub use packed::unpacked;
pub use source::{Source, SourceError};
pub use text::read as plain_text;
pub(crate) use tflite::schema as tflite_schema;
pub use tflite::{
    Outline as TfliteOutline, outline as tflite_outline, subgraphs as tflite_subgraphs,
};

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
    pub place: String,
    /// What was found and what was done about it.
    pub message: String,
}

/// Bytes at the start of a file that decide what it is.
const HEAD: u64 = 64 * 1024;

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
    match recognised(parts)? {
        Recognised::Read(loaded) => Ok(*loaded),
        Recognised::Dump(kind) => dump::read(kind, parts),
        Recognised::Program(part) => {
            let (document, warnings) = program_json::read(part.source)?;
            Ok((Format::ProgramJson, document, warnings))
        }
        Recognised::Layers(part) => {
            let (document, warnings) = layers_json::read(part.source)?;
            Ok((Format::LayersJson, document, warnings))
        }
        Recognised::Log(part) => {
            let (document, warnings) = log_json::read(part.source)?;
            Ok((Format::LogJson, document, warnings))
        }
        Recognised::Text(part) => {
            let (graph, warnings) = graph_text::read(part.source)?;
            Ok((Format::GraphText, Document::Model(graph), warnings))
        }
    }
}

/// Reads of the recording in `parts`, of which there is one, only the events in `range`, counted
/// from 0 in the trace of each device.
///
/// # Errors
/// See [`LoadError`]; [`Fault::Unsupported`] for what is no recording, [`Fault::Range`] where the
/// range has too many of its events, or none.
pub fn load_range(parts: &[Part<'_>], range: Span) -> Result<Loaded, LoadError> {
    match recognised(parts)? {
        Recognised::Dump(kind) => dump::read_range(kind, parts, range),
        _ => Err(dump::no_recording()),
    }
}

/// Reads the table in `parts`, of which there is one, with columns that mean what `columns` say.
///
/// # Errors
/// See [`LoadError`]; its place begins with the part's name where there are several.
pub fn load_table(parts: &[Part<'_>], columns: &Columns) -> Result<Loaded, LoadError> {
    let [part] = parts else {
        return Err(apart(parts));
    };
    head(part.source)?;
    let (document, warnings) = csv::read(part.source, columns)?;
    Ok((Format::Csv, document, warnings))
}

/// The table in `parts`, for whoever is to say what its columns mean after [`Fault::Columns`];
/// `None` where it has too few of them.
#[must_use]
pub fn table(parts: &[Part<'_>]) -> Option<Table> {
    let [part] = parts else { return None };
    let table = csv::table(part.source).ok()?;
    (table.names.len() >= csv::LEAST).then_some(table)
}

/// Reads what people open most: models, problems and our own plans; `None` for a dump, a
/// program JSON, layers, a log or a text graph. Code that calls nothing else here does not carry the readers of those.
///
/// # Errors
/// See [`LoadError`]; its place begins with the part's name where there are several.
pub fn load_but_dumps(parts: &[Part<'_>]) -> Result<Option<Loaded>, LoadError> {
    match recognised(parts)? {
        Recognised::Read(loaded) => Ok(Some(*loaded)),
        Recognised::Dump(_)
        | Recognised::Program(_)
        | Recognised::Layers(_)
        | Recognised::Log(_)
        | Recognised::Text(_) => Ok(None),
    }
}

/// Reads an ONNX model; `None` for anything else. Code that calls nothing else here carries no
/// other reader.
///
/// # Errors
/// See [`LoadError`].
pub fn load_onnx(parts: &[Part<'_>]) -> Result<Option<Loaded>, LoadError> {
    let [part] = parts else {
        return beside::read(parts);
    };
    let head = &head(part.source)?;
    if is_other(head) || !onnx::sniff(head, part.source.len()) {
        return Ok(None);
    }
    let (graph, warnings) = onnx::read(part.source)?;
    Ok(Some((Format::Onnx, Document::Model(graph), warnings)))
}

/// Whether a file that begins with `head` is something else than an ONNX model.
fn is_other(head: &Vec<u8>) -> bool {
    tflite::sniff(head)
        || program_json::sniff(head)
        || graph_text::sniff(head)
        || dump::kind(std::slice::from_ref(head)).is_some()
        || layers_json::sniff(head)
        || log_json::sniff(head)
        || plan_json::sniff(head)
        || csv::sniff(head)
}

/// Whether a file of `len` bytes that begins with `head` may be of a format that we read.
fn known(head: &Vec<u8>, len: u64) -> bool {
    is_other(head) || onnx::sniff(head, len) || csv::is_table(head)
}

/// What files turned out to be.
enum Recognised<'s> {
    /// The document, read.
    Read(Box<Loaded>),
    /// A dump, to be read yet.
    Dump(dump::Kind),
    /// A program JSON, to be read yet.
    Program(Part<'s>),
    /// Layers, to be read yet.
    Layers(Part<'s>),
    /// A log, to be read yet.
    Log(Part<'s>),
    /// A text graph, to be read yet.
    Text(Part<'s>),
}

/// Reads all but dumps, programs, layers, logs and text graphs, of which only the kind is found.
fn recognised<'s>(parts: &[Part<'s>]) -> Result<Recognised<'s>, LoadError> {
    if let [_, _, ..] = parts
        && let Some(loaded) = beside::read(parts)?
    {
        return Ok(Recognised::Read(Box::new(loaded)));
    }
    let mut heads = Vec::new();
    for part in parts {
        let head = head(part.source).map_err(|error| match parts {
            [_] => error,
            _ => error.within(part.name),
        });
        heads.push(head?);
    }
    let (source, head) = match (parts, heads.as_slice()) {
        // A model may carry its plan along.
        ([part], [head]) if tflite::sniff(head) => (part.source, head),
        ([part], [head]) if program_json::sniff(head) => return Ok(Recognised::Program(*part)),
        ([part], [head]) if log_json::sniff(head) => return Ok(Recognised::Log(*part)),
        ([part], [head]) if graph_text::sniff(head) => return Ok(Recognised::Text(*part)),
        _ => match (dump::kind(&heads), parts, heads.as_slice()) {
            (Some(dump::Kind::Figures), [part], [head]) => {
                let kind = dump::further_down(part.source, head)?;
                return Ok(Recognised::Dump(kind.unwrap_or(dump::Kind::Figures)));
            }
            (Some(kind), ..) => return Ok(Recognised::Dump(kind)),
            (None, [part], [head]) if layers_json::sniff(head) => {
                return Ok(Recognised::Layers(*part));
            }
            (None, [part], [head]) => {
                let further = match known(head, part.source.len()) {
                    true => None,
                    false => dump::further_down(part.source, head)?,
                };
                match further {
                    Some(kind) => return Ok(Recognised::Dump(kind)),
                    None => (part.source, head),
                }
            }
            (None, ..) if dump::are_several(&heads) => return Err(several_dumps(parts)),
            (None, ..) => return Err(dump::not_together(&heads, apart(parts))),
        },
    };
    single(source, head).map(|loaded| Recognised::Read(Box::new(loaded)))
}

fn single(source: &dyn Source, head: &[u8]) -> Result<Loaded, LoadError> {
    let model = |format, read: Result<(Graph, Vec<Warning>), LoadError>| {
        read.map(|(graph, warnings)| (format, Document::Model(graph), warnings))
    };
    if tflite::sniff(head) {
        model(Format::Tflite, tflite::read(source))
    } else if plan_json::sniff(head) {
        let (document, warnings) = plan_json::read(source)?;
        Ok((Format::PlanJson, document, warnings))
    } else if csv::sniff(head) {
        let (document, warnings) = csv::read(source, &Columns::default())?;
        Ok((Format::Csv, document, warnings))
    } else if onnx::sniff(head, source.len()) {
        model(Format::Onnx, onnx::read(source))
    } else if csv::is_table(head) {
        let (document, warnings) = csv::read(source, &Columns::default())?;
        Ok((Format::Csv, document, warnings))
    } else {
        Err(unknown(head))
    }
}

fn apart(parts: &[Part<'_>]) -> LoadError {
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    LoadError {
        kind: Fault::Apart,
        place: names.join(", "),
        message: "these files are no parts of one dump, and no model with its data".into(),
    }
}

fn several_dumps(parts: &[Part<'_>]) -> LoadError {
    LoadError {
        kind: Fault::Dumps,
        message: "several dumps, each of them a document".into(),
        ..apart(parts)
    }
}

/// The bytes of `source` that decide what it is.
fn head(source: &dyn Source) -> Result<Vec<u8>, LoadError> {
    let mut head = vec![0; usize::try_from(source.len().min(HEAD)).unwrap_or_default()];
    source.read_at(0, &mut head)?;
    if head.is_empty() {
        return Err(LoadError {
            kind: Fault::Empty,
            place: "file".into(),
            message: "it has no bytes".into(),
        });
    }
    // Before anything else: the files in a tar archive begin as those do that we read.
    unreadable(&head).map_or(Ok(head), Err)
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
    let arena = arena.ok_or_else(|| LoadError {
        kind: Fault::Unsupported,
        place: "file".into(),
        message: "it holds no offsets".into(),
    })?;
    Ok((arena.lifetimes, arena.plan))
}

/// What is wrong with a file whose content only has another form.
fn unreadable(head: &[u8]) -> Option<LoadError> {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Some(LoadError {
            kind: Fault::Unsupported,
            place: "byte 0".into(),
            message: "the text is UTF-16: save it as UTF-8".into(),
        });
    }
    container::packed(head)
}

/// The beginning of the first line of a text; `None` for what is no text.
fn first_line(head: &[u8]) -> Option<String> {
    // The last letter may be cut off.
    let valid = head.utf8_chunks().next()?.valid();
    let odd = |it: char| it.is_control() && !it.is_whitespace();
    let text = valid.trim_start();
    if valid.len() + 4 <= head.len() || text.is_empty() || text.contains(odd) {
        return None;
    }
    // It is quoted, so it has no quotes of its own.
    let plain = |it: char| if it == '"' { '\'' } else { it };
    Some(text.lines().next()?.chars().take(60).map(plain).collect())
}

fn unknown(head: &[u8]) -> LoadError {
    if dump::is_timeline_page(head) {
        return LoadError {
            kind: Fault::Unsupported,
            place: "file".into(),
            message: "this page of export_memory_timeline holds a picture and no events: export \
                      the same profile with a name that ends with .raw.json.gz"
                .into(),
        };
    }
    if let Some(line) = first_line(head) {
        return LoadError {
            kind: Fault::UnknownFormat,
            place: format!("line {}", 1),
            message: format!("it is text, none of the formats we read; its first line is {line:?}"),
        };
    }
    let first = head.iter().take(4).map(|byte| format!(" {byte:02x}"));
    let first: String = first.collect();
    LoadError {
        kind: Fault::UnknownFormat,
        place: "byte 0".into(),
        message: format!("it begins with{first}, which is none of the formats we read"),
    }
}

/// The end of the block furthest up when `lifetimes` lie at `offsets`: the arena that an
/// imported plan needs at least.
fn reach(lifetimes: &Lifetimes, offsets: &[Offset]) -> Result<Bytes, TooLarge> {
    let mut reach = Bytes::ZERO;
    for (buffer, offset) in lifetimes.buffers.iter().zip(offsets) {
        let end = offset.end(buffer.size).filter(|end| end.0 < LIMIT.0);
        let end = end.ok_or_else(|| TooLarge {
            tensor: buffer.name.clone(),
        })?;
        reach = reach.max(Bytes(end.0));
    }
    Ok(reach)
}
