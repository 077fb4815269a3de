//! Readers in lists that a caller chooses from: a program carries those of the lists that it names.

use super::dump::{
    Dump, chrome_trace, executorch, iree, litert, llama_cpp, megengine, ort_profile, pprof,
    requests, tflm, torch, tvm, vela, xla,
};
use super::recognition::{apart, format, further, head};
use super::{
    Columns, Document, Fault, Format, Graph, LoadError, Loaded, Part, Source, Span, Warning,
    beside, csv, figures, gguf, graph_text, layers_json, log_json, onnx, plan_json, program_json,
    safetensors, tflite, transformer,
};
use crate::message;

/// Files that are read together, and how.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// Each of them.
    pub parts: &'a [Part<'a>],
    /// What the columns of a table mean, where that is said: there is one file then.
    pub columns: &'a Columns,
    /// Which events of a recording are read, counted from 0 in the trace of each device; all
    /// where it is not said.
    pub range: Option<Span>,
}

/// A format and what reads it.
type Reader = (Format, Read);

/// What was read, and what is worth saying about it.
type Warned<Of> = Result<(Of, Vec<Warning>), LoadError>;

/// What reads one file or several, by what it makes of them.
#[derive(Clone, Copy, Debug)]
enum Read {
    Model(fn(&dyn Source) -> Warned<Graph>),
    Document(fn(&dyn Source) -> Warned<Document>),
    Table(fn(&dyn Source, &Columns) -> Warned<Document>),
    Dump(fn(&dyn Source) -> Dump),
    Recording(fn(&dyn Source, Option<Span>) -> Dump),
    Dumps(fn(&[Part<'_>]) -> Dump),
    Parts(fn(&[Part<'_>]) -> Result<Loaded, LoadError>),
}

/// Lists of readers, one row for each format that they read.
#[derive(Clone, Copy, Debug)]
pub struct Readers {
    rows: &'static [&'static [Reader]],
    /// Finds the format of what no beginning of one file tells; `None` leaves it to other lists.
    others: fn(&Files<'_>) -> Result<Option<Format>, LoadError>,
}

const ONNX: &[Reader] = &[(Format::Onnx, Read::Model(onnx::read))];

/// Beside ONNX.
const USUAL: &[Reader] = &[
    (Format::Tflite, Read::Model(tflite::read)),
    (Format::PlanJson, Read::Document(plan_json::read)),
    (Format::Csv, Read::Table(csv::read)),
];

/// Our own formats, problems of training, and dumps.
const RARE: &[Reader] = &[
    (Format::ProgramJson, Read::Document(program_json::read)),
    (Format::Transformer, Read::Document(transformer::read)),
    (Format::Gguf, Read::Document(gguf::read)),
    (Format::Safetensors, Read::Parts(safetensors::read)),
    (Format::LayersJson, Read::Document(layers_json::read)),
    (Format::LogJson, Read::Document(log_json::read)),
    (Format::GraphText, Read::Model(graph_text::read)),
    (Format::ChromeTrace, Read::Dump(chrome_trace::read)),
    (Format::Executorch, Read::Dump(executorch::read)),
    (Format::Iree, Read::Parts(iree::read)),
    (Format::Litert, Read::Dump(litert::read)),
    (Format::LlamaCpp, Read::Dump(llama_cpp::read)),
    (Format::Megengine, Read::Document(megengine::read)),
    (Format::OrtProfile, Read::Parts(ort_profile::read)),
    (Format::Pprof, Read::Dump(pprof::read)),
    (Format::Requests, Read::Dump(requests::read)),
    (Format::Tflm, Read::Dump(tflm::read)),
    (Format::Torch, Read::Recording(torch::read)),
    (Format::TorchTimeline, Read::Dump(torch::read_timeline)),
    (Format::Tvm, Read::Dump(tvm::read)),
    (Format::Vela, Read::Dumps(vela::read)),
    (Format::Xla, Read::Dumps(xla::read)),
    (Format::XlaOom, Read::Dump(xla::oom::read)),
];

impl Readers {
    /// Models of ONNX.
    pub const ONNX: Self = Self {
        rows: &[ONNX],
        others: |_| Ok(None),
    };

    /// What people open most: models, problems and our own plans.
    pub const USUAL: Self = Self {
        rows: &[ONNX, USUAL],
        others: further,
    };

    /// Every format.
    pub const ALL: Self = Self {
        rows: &[ONNX, USUAL, RARE],
        others: |files| match further(files)? {
            None => Err(figures::refusal(files.parts)),
            found => Ok(found),
        },
    };

    /// Reads the document that `files` make together; `None` where that is for readers of other
    /// lists.
    ///
    /// # Errors
    /// See [`LoadError`]; its place begins with the part's name where there are several.
    pub fn load(&self, files: &Files<'_>) -> Result<Option<Loaded>, LoadError> {
        let Files {
            parts,
            columns,
            range,
        } = *files;
        let is_table = !columns.0.is_empty();
        let unranged = |format| match range.is_some() && format != Format::Torch {
            true => Err(no_recording()),
            false => Ok(format),
        };
        if !is_table
            && parts.len() > 1
            && let Some((graph, warnings)) = beside::model(parts, None)?
        {
            let format = unranged(Format::Onnx)?;
            return Ok(Some((format, Document::Model(graph), warnings)));
        }
        let format = match parts {
            [_] if is_table => Some(Format::Csv),
            [part] => format(&head(part.source)?),
            _ => None,
        };
        let format = match format {
            None => (self.others)(files)?,
            found => found,
        };
        let mut rows = self.rows.iter().copied().flatten();
        let Some((format, read)) = rows.find(|row| Some(row.0) == format) else {
            return Ok(None);
        };
        let format = unranged(*format)?;
        let loaded = match (read, parts) {
            (Read::Parts(read), _) => read(parts)?,
            (Read::Dumps(read), _) => loaded(format, read(parts)?, Document::Deployed),
            (Read::Model(read), [part]) => loaded(format, read(part.source)?, Document::Model),
            (Read::Document(read), [part]) => loaded(format, read(part.source)?, |it| it),
            (Read::Table(read), [part]) => loaded(format, read(part.source, columns)?, |it| it),
            (Read::Dump(read), [part]) => loaded(format, read(part.source)?, Document::Deployed),
            (Read::Recording(read), [part]) => {
                loaded(format, read(part.source, range)?, Document::Deployed)
            }
            // Only formats of several files are found for several: this is never reached.
            _ => return Err(apart(parts)),
        };
        Ok(Some(loaded))
    }
}

impl<'a> Files<'a> {
    /// All that `parts` say.
    #[must_use]
    pub fn new(parts: &'a [Part<'a>]) -> Self {
        static AS_NAMED: Columns = Columns(Vec::new());
        Self {
            parts,
            columns: &AS_NAMED,
            range: None,
        }
    }
}

fn loaded<Of>(
    format: Format,
    (found, warnings): (Of, Vec<Warning>),
    document: fn(Of) -> Document,
) -> Loaded {
    (format, document(found), warnings)
}

/// A range was chosen of what has none.
fn no_recording() -> LoadError {
    Fault::Unsupported.in_file(message!(
        "it has no events of which a range could be read: only a memory snapshot of \
         PyTorch has"
    ))
}
