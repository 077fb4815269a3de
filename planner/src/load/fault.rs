//! Why a file could not be read, and what the person can do about it.

use serde::{Deserialize, Serialize};

use super::{Excerpt, SourceError};
use crate::liveness::TooLarge;
use crate::{Message, impl_message, message};

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadError {
    /// What kind of fault; the page says what to do about each.
    pub kind: Fault,
    /// Where: a byte position, a line, a tensor or an operator.
    pub place: Message,
    /// What is wrong there.
    pub message: Message,
}

/// The kinds of fault of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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
    /// Several files were opened that do not belong together.
    Apart,
    /// Two dumps of one kind were opened, each a document of its own: they can be compared.
    Dumps,
    /// A file that belongs to this one is missing.
    Partner,
    /// It is packed, and nothing is read before it is unpacked.
    Packed,
    /// It brings no plan of its own, where one is wanted.
    Planless,
    /// It is a table, and which of its columns mean what is not known.
    Columns,
    /// It has more events than can be held at once, or none in the range that was chosen.
    Range(Excerpt),
    /// Figures of memory without lifetimes: nothing can be planned.
    Figures,
    /// A text graph says what cannot be, at a line and a column.
    Text,
}

impl Fault {
    /// The error that this is wrong, at a place.
    #[must_use]
    pub const fn at(self, place: Message, message: Message) -> LoadError {
        LoadError {
            kind: self,
            place,
            message,
        }
    }

    /// The error that this is wrong with the file as a whole.
    #[must_use]
    pub fn in_file(self, message: Message) -> LoadError {
        self.at(message!("file"), message)
    }

    /// What the person can do about it, in one sentence.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Empty => "choose a file that is not empty",
            Self::UnknownFormat => {
                "open an ONNX or TFLite model; \
                 a MiniMalloc CSV, an Arenascope plan JSON, program JSON or text graph; \
                 a PyTorch memory snapshot; \
                 an XLA dump (buffer assignment and live ranges together, or .hlo.pb); \
                 an ExecuTorch program; \
                 a log of Vela or TFLite Micro; \
                 IREE stream IR; \
                 LiteRT addresses; \
                 MegEngine's static memory; \
                 TVM's graph JSON; \
                 or a Chrome trace of ExecuTorch or ONNX Runtime, or its profile"
            }
            Self::Truncated => "the file is cut off: download or export it again",
            Self::Malformed => "export the file again, or check it with its own tool",
            Self::Dangling | Self::Duplicate | Self::Cycle => {
                "the graph is inconsistent: check the model with its own tool and export it again"
            }
            Self::Limit => "split or simplify the model until it is within the limit",
            Self::Unsupported => "convert the file to a supported version",
            Self::Io => "check that the file is still there and can be read",
            Self::Dumps => {
                "compare them with `arenascope diff --before A --after B`, or open one of them"
            }
            Self::Apart => {
                "open together only the files of one dump: of one XLA module \
                 `*-buffer-assignment.txt` and `*-live-range.txt`, whose names begin alike; \
                 of one IREE program the IR before and after the slice layout; \
                 any other file is opened alone"
            }
            Self::Partner => "open both files together",
            Self::Packed => {
                "unpack it and open what is inside, with the other files of the same dump \
                 if it has several"
            }
            Self::Planless => {
                "give what a toolchain wrote of a deployed plan, or a plan that Arenascope \
                 exported; a model is opened alone and planned first"
            }
            Self::Columns => {
                "say which column means what, as in --columns lower=first,end=last,size=bytes; \
                 \"end\" is the last step, \"upper\" the one after it"
            }
            Self::Range(_) => {
                "choose a range of events, as in --range 1000000..2000000; the last one is left out"
            }
            Self::Figures => "record it as the text says, and open that file",
            Self::Text => "change the text at this place",
        }
    }
}

impl LoadError {
    /// The same in the part called `name` of several.
    #[must_use]
    pub fn within(self, name: &str) -> Self {
        let place = match self.place == "file" {
            // The whole file.
            true => Message::verbatim(name),
            false => message!("{}, {}", name, self.place),
        };
        Self { place, ..self }
    }
}

impl LoadError {
    /// All of it, and what the person can do.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("{}: {} ({})", self.place, self.message, self.kind.remedy())
    }
}

impl_message!(LoadError);

impl std::error::Error for LoadError {}

impl From<SourceError> for LoadError {
    fn from(error: SourceError) -> Self {
        let (kind, start) = match &error {
            SourceError::Beyond { start, .. } => (Fault::Truncated, *start),
            SourceError::Io(_) => (Fault::Io, 0),
        };
        Self {
            kind,
            place: message!("byte {}", start),
            message: error.message(),
        }
    }
}

impl From<TooLarge> for LoadError {
    fn from(error: TooLarge) -> Self {
        Self {
            kind: Fault::Limit,
            message: error.message(),
            place: Message::verbatim(error.tensor),
        }
    }
}
