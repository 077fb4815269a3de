//! What format files are of. How they begin tells it, but for some texts and tables.

use super::dump::{
    chrome_trace, executorch, iree, litert, llama_cpp, megengine, ort_profile, pprof, requests,
    tflm, torch, tvm, vela, xla,
};
use super::{
    Fault, Files, Format, LoadError, Part, Source, container, csv, figures, gguf, graph_text,
    layers_json, log_json, onnx, plan_json, program_json, safetensors, tflite, transformer,
};
use crate::{Message, message};

/// Bytes at the start of a file that decide what it is.
const HEAD: u64 = 64 * 1024;

/// Whether a file that begins with these bytes is of a format.
type Sniff = fn(&[u8]) -> bool;

/// What single files begin with, in the order in which it is tried; `None` for figures of memory, of
/// which nothing is planned.
const FORMATS: &[(Option<Format>, Sniff)] = &[
    // A model may carry its plan along.
    (Some(Format::Gguf), gguf::sniff),
    (Some(Format::Safetensors), safetensors::sniff),
    (Some(Format::Safetensors), safetensors::sniff_index),
    (Some(Format::Tflite), tflite::sniff),
    (Some(Format::ProgramJson), program_json::sniff),
    (Some(Format::Transformer), transformer::sniff),
    (Some(Format::LogJson), log_json::sniff),
    (Some(Format::GraphText), graph_text::sniff),
    // It may quote what XLA said, which is a message elsewhere.
    (Some(Format::PlanJson), plan_json::is_plan),
    (Some(Format::Xla), xla::sniff),
    (Some(Format::Iree), iree::sniff),
    (Some(Format::Megengine), megengine::sniff_intervals),
    (Some(Format::Torch), torch::sniff),
    (Some(Format::TorchTimeline), torch::sniff_timeline),
    (Some(Format::Executorch), executorch::sniff),
    (Some(Format::Vela), vela::sniff),
    (Some(Format::Tflm), tflm::sniff),
    (Some(Format::Litert), litert::sniff),
    (Some(Format::Requests), requests::sniff),
    (Some(Format::Megengine), megengine::sniff),
    (Some(Format::Tvm), tvm::sniff),
    (Some(Format::OrtProfile), ort_profile::sniff),
    (Some(Format::Pprof), pprof::sniff),
    (Some(Format::Xla), xla::xplane::sniff),
    (Some(Format::ChromeTrace), chrome_trace::sniff),
    (Some(Format::XlaOom), xla::oom::sniff),
    (Some(Format::LlamaCpp), llama_cpp::sniff),
    (None, figures::sniff),
    (Some(Format::LayersJson), layers_json::sniff),
    (Some(Format::PlanJson), plan_json::sniff),
    (Some(Format::Csv), csv::sniff),
    (Some(Format::Onnx), onnx::sniff),
];

/// The format of a file that begins with `head`; `None` where that does not tell it.
pub(super) fn format(head: &[u8]) -> Option<Format> {
    FORMATS.iter().find(|(_, sniff)| sniff(head))?.0
}

/// The same of files that begin with `heads`, together.
pub(super) fn format_of(heads: &[Vec<u8>]) -> Option<Format> {
    let all = |sniff: Sniff| heads.iter().all(|head| sniff(head));
    match heads {
        [head] => format(head),
        _ if heads.iter().any(|head| plan_json::is_plan(head)) => None,
        _ if all(xla::sniff) => Some(Format::Xla),
        _ if all(iree::sniff) => Some(Format::Iree),
        _ if safetensors::are_parts(heads) => Some(Format::Safetensors),
        _ if vela::sniff_with_model(heads) => Some(Format::Vela),
        _ if ort_profile::sniff_with_model(heads) => Some(Format::OrtProfile),
        _ => None,
    }
}

/// The format of `files` that the beginning of one does not tell: of several together, of a table in
/// which lifetimes may be, or of what stands further down in a text, as behind the log of a long
/// run. `None` for figures of memory.
///
/// # Errors
/// See [`LoadError`]; [`Fault::UnknownFormat`] for what we do not read.
pub(super) fn further(files: &Files<'_>) -> Result<Option<Format>, LoadError> {
    let [part] = files.parts else {
        return several(files).map(Some);
    };
    let head = &head(part.source)?;
    let are_figures = figures::sniff(head);
    if !are_figures && csv::is_table(head) {
        return Ok(Some(Format::Csv));
    }
    let text = figures::whole(part.source, head)?.unwrap_or_default();
    if xla::oom::is_in(&text) {
        return Ok(Some(Format::XlaOom));
    }
    if llama_cpp::is_in(&text) {
        return Ok(Some(Format::LlamaCpp));
    }
    match are_figures || figures::further_down(&text) {
        true => Ok(None),
        false => Err(unknown(head)),
    }
}

/// Whether files that begin with `heads`, two or more, are dumps of one kind that bring a plan each.
pub(super) fn are_several(heads: &[Vec<u8>]) -> bool {
    let planned = |head: &Vec<u8>| {
        use Format as F;
        let format = format(head)?;
        let is_planned = match format {
            F::Onnx | F::Tflite | F::Csv | F::PlanJson | F::ProgramJson => false,
            F::GraphText | F::LayersJson | F::LogJson | F::Transformer | F::Gguf => false,
            F::Safetensors => false,
            F::TorchTimeline | F::OrtProfile => false,
            _ => !megengine::sniff_intervals(head),
        };
        // XProf's profile holds modules of XLA and is none.
        is_planned.then_some((format, xla::sniff(head)))
    };
    let mut found = heads.iter().map(planned);
    let first = found.next().flatten();
    heads.len() > 1 && first.is_some() && found.all(|it| it == first)
}

/// The format of several files.
///
/// # Errors
/// Why they are not opened together.
fn several(files: &Files<'_>) -> Result<Format, LoadError> {
    let (parts, apart) = (files.parts, apart(files.parts));
    if !files.columns.0.is_empty() {
        return Err(apart);
    }
    let mut heads = Vec::new();
    for part in parts {
        heads.push(head(part.source).map_err(|error| error.within(part.name))?);
    }
    let is_message = |head: &&Vec<u8>| format(head).is_none() && figures::sniff(head);
    let messages = heads.iter().filter(is_message).count();
    if let Some(format) = format_of(&heads) {
        Ok(format)
    } else if are_several(&heads) {
        Err(LoadError {
            kind: Fault::Dumps,
            message: message!("several dumps, each of them a document"),
            ..apart
        })
    } else if messages == 0 || messages == heads.len() {
        Err(apart)
    } else {
        Err(LoadError {
            message: message!(
                "a message says how much memory there is, and not what lives when: open the \
                 other file without it"
            ),
            ..apart
        })
    }
}

pub(super) fn apart(parts: &[Part<'_>]) -> LoadError {
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    Fault::Apart.at(
        Message::verbatim(names.join(", ")),
        message!("these files are no parts of one dump, and no model with its data"),
    )
}

/// The bytes of `source` that decide what it is.
pub(super) fn head(source: &dyn Source) -> Result<Vec<u8>, LoadError> {
    let mut head = vec![0; usize::try_from(source.len().min(HEAD)).unwrap_or_default()];
    source.read_at(0, &mut head)?;
    if head.is_empty() {
        return Err(Fault::Empty.in_file(message!("it has no bytes")));
    }
    // Before anything else: the files in a tar archive begin as those do that we read.
    unreadable(&head).map_or(Ok(head), Err)
}

/// What is wrong with a file whose content only has another form.
fn unreadable(head: &[u8]) -> Option<LoadError> {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Some(Fault::Unsupported.at(
            message!("byte 0"),
            message!("the text is UTF-16: save it as UTF-8"),
        ));
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
    if torch::is_timeline_page(head) {
        return Fault::Unsupported.in_file(message!(
            "this page of export_memory_timeline holds a picture and no events: export \
             the same profile with a name that ends with .raw.json.gz"
        ));
    }
    if let Some(line) = first_line(head) {
        return Fault::UnknownFormat.at(
            message!("line {}", 1),
            message!(
                "it is text, none of the formats we read; its first line is {}",
                format_args!("{line:?}")
            ),
        );
    }
    let first = head.iter().take(4).map(|byte| format!(" {byte:02x}"));
    let first: String = first.collect();
    Fault::UnknownFormat.at(
        message!("byte 0"),
        message!(
            "it begins with{}, which is none of the formats we read",
            first
        ),
    )
}
