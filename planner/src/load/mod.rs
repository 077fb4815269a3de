//! Bytes → document: sniffs the content, calls one reader, returns what it found and what
//! it left out. Nothing outside `load` names an ONNX or FlatBuffers type.

mod onnx;
mod source;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::liveness::Lifetimes;
use crate::plan::Plan;

pub use source::{Source, SourceError};

/// Bytes at the start of a file that decide its format.
const HEAD: u64 = 4096;

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Document {
    /// A model, to be sized and planned.
    Model(Graph),
    /// Lifetimes without a model, to be planned.
    Problem(Lifetimes),
    /// Lifetimes that come with a plan.
    Deployed(Lifetimes, Plan),
}

/// The formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// ONNX protobuf.
    Onnx,
    /// TFLite flatbuffer.
    Tflite,
    /// MiniMalloc CSV.
    Csv,
    /// Arenascope's own plan JSON.
    PlanJson,
}

/// Something worth saying about a file that could be read all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Where: a tensor, an operator, a line; in the file's own names.
    pub place: String,
    /// What was found and what was done about it.
    pub message: String,
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadError {
    /// What kind of fault; the page says what to do about each.
    pub kind: Fault,
    /// Where: a byte position, a line, a tensor or an operator.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

/// The kinds of fault of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No bytes at all.
    Empty,
    /// None of the known formats.
    UnknownFormat,
    /// It ends too early.
    Truncated,
    /// It contradicts its own format.
    Malformed,
    /// Something refers to a thing that is not there.
    Dangling,
    /// Two things have the same name, or one is written twice.
    Duplicate,
    /// An operator depends on its own result.
    Cycle,
    /// More than one of our stated limits allows.
    Limit,
    /// A known format in a version or variant that we do not read.
    Unsupported,
    /// The file could not be read from disk.
    Io,
}

impl Fault {
    /// What the person can do about it, in one sentence.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Empty => "choose a file that is not empty",
            Self::UnknownFormat => {
                "open an ONNX or TFLite model, a MiniMalloc CSV or an Arenascope plan JSON"
            }
            Self::Truncated => "the file is cut off: download or export it again",
            Self::Malformed => "export the file again, or check it with its own tool",
            Self::Dangling | Self::Duplicate | Self::Cycle => {
                "the graph is inconsistent: check the model with its own tool and export it again"
            }
            Self::Limit => "split or simplify the model until it is within the limit",
            Self::Unsupported => "convert the file to a supported version",
            Self::Io => "check that the file is still there and can be read",
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            place,
            message,
        } = self;
        write!(f, "{place}: {message} ({})", kind.remedy())
    }
}

impl std::error::Error for LoadError {}

/// Reads the document in `source`, whatever its format.
///
/// # Errors
/// See [`LoadError`].
pub fn load(source: &dyn Source) -> Result<(Format, Document, Vec<Warning>), LoadError> {
    let head_len = usize::try_from(source.len().min(HEAD)).unwrap_or(0);
    let mut head = vec![0; head_len];
    source.read_at(0, &mut head).map_err(|error| LoadError {
        kind: Fault::Io,
        place: "byte 0".into(),
        message: error.to_string(),
    })?;
    if head.is_empty() {
        return Err(LoadError {
            kind: Fault::Empty,
            place: "file".into(),
            message: "the file has no bytes".into(),
        });
    }
    if onnx::sniff(&head, source.len()) {
        let (graph, warnings) = onnx::read(source)?;
        return Ok((Format::Onnx, Document::Model(graph), warnings));
    }
    Err(LoadError {
        kind: Fault::UnknownFormat,
        place: "byte 0".into(),
        message: "no known format starts like this".into(),
    })
}
