//! Plans that a toolchain dumped. Each format has one file here that knows its text or its
//! bytes and its conventions; what comes out is the same for all.

mod chrome_trace;
mod draft;
mod executorch;
mod iree;
mod json;
pub(super) mod line;
mod litert;
mod megengine;
mod ort_profile;
mod pprof;
mod tflm;
mod torch;
mod tvm;
mod vela;
mod xla;

use super::{Document, Fault, Format, LoadError, Loaded, Part, Source, figures, plan_json};
use crate::deployed::Deployed;
use crate::units::Span;
pub(super) use torch::is_timeline_page;

/// A deployed plan and what is worth saying about the file.
type Dump = Result<(Deployed, Vec<super::Warning>), LoadError>;

/// Which dump files turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ChromeTrace,
    Executorch,
    /// Figures without lifetimes, of which nothing can be planned.
    Figures,
    Iree,
    Litert,
    Megengine,
    /// MegEngine's intervals, which bring no plan.
    MegengineIntervals,
    /// ONNX Runtime's profile, which brings no plan.
    OrtProfile,
    /// What each stack holds at one instant.
    Pprof,
    Tflm,
    Torch,
    /// The timeline of PyTorch's profiler, which brings no plan.
    TorchTimeline,
    Tvm,
    Vela,
    Xla,
    /// XProf's profile, which holds modules of XLA.
    Xplane,
    /// XLA's message that a program does not fit.
    XlaOom,
}

/// Whether a file that begins with these bytes is of a kind.
type Sniff = fn(&[u8]) -> bool;

/// The kinds that stand in a single file, in the order in which they are tried.
const SINGLE: &[(Kind, Sniff)] = &[
    (Kind::MegengineIntervals, megengine::sniff_intervals),
    (Kind::Torch, torch::sniff),
    (Kind::TorchTimeline, torch::sniff_timeline),
    (Kind::Executorch, executorch::sniff),
    (Kind::Vela, vela::sniff),
    (Kind::Tflm, tflm::sniff),
    (Kind::Litert, litert::sniff),
    (Kind::Megengine, megengine::sniff),
    (Kind::Tvm, tvm::sniff),
    (Kind::OrtProfile, ort_profile::sniff),
    (Kind::Pprof, pprof::sniff),
    (Kind::Xplane, xla::xplane::sniff),
    (Kind::ChromeTrace, chrome_trace::sniff),
    (Kind::XlaOom, xla::oom::sniff),
    (Kind::Figures, figures::sniff),
];

/// Which dump files are that begin with `heads`; `None` if they are none.
pub(super) fn kind(heads: &[Vec<u8>]) -> Option<Kind> {
    // It may quote what XLA said, which is a message elsewhere.
    if heads.iter().any(|head| plan_json::is_plan(head)) {
        return None;
    }
    if heads.iter().all(|head| xla::sniff(head)) {
        return Some(Kind::Xla);
    }
    if heads.iter().all(|head| iree::sniff(head)) {
        return Some(Kind::Iree);
    }
    if vela::sniff_with_model(heads) {
        return Some(Kind::Vela);
    }
    if ort_profile::sniff_with_model(heads) {
        return Some(Kind::OrtProfile);
    }
    let [head] = heads else {
        return None;
    };
    let (kind, _) = SINGLE.iter().find(|(_, sniff)| sniff(head))?;
    Some(*kind)
}

/// What stands further down in a text that begins with `head`, as behind the log of a long run.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn further_down(source: &dyn Source, head: &[u8]) -> Result<Option<Kind>, LoadError> {
    let Some(text) = figures::whole(source, head)? else {
        return Ok(None);
    };
    if xla::oom::is_in(&text) {
        return Ok(Some(Kind::XlaOom));
    }
    Ok(figures::further_down(&text).then_some(Kind::Figures))
}

/// Why files that begin with `heads` are not opened together: `apart`, unless some of them are
/// messages.
pub(super) fn not_together(heads: &[Vec<u8>], apart: LoadError) -> LoadError {
    let is_message = |head: &&Vec<u8>| kind(std::slice::from_ref(*head)) == Some(Kind::Figures);
    let messages = heads.iter().filter(is_message).count();
    if messages == 0 || messages == heads.len() {
        return apart;
    }
    LoadError {
        message: "a message says how much memory there is, and not what lives when: open the \
                  other file without it"
            .into(),
        ..apart
    }
}

/// Whether files that begin with `heads`, two or more, are dumps of one kind that bring a plan each.
pub(super) fn are_several(heads: &[Vec<u8>]) -> bool {
    let [one, others @ ..] = heads else {
        return false;
    };
    let found = |head| kind(std::slice::from_ref(head));
    let plan = |kind: &Kind| {
        !matches!(
            kind,
            Kind::Figures | Kind::MegengineIntervals | Kind::OrtProfile | Kind::TorchTimeline
        )
    };
    let Some(kind) = found(one).filter(|kind| plan(kind) && !others.is_empty()) else {
        return false;
    };
    others.iter().all(|it| found(it) == Some(kind))
}

/// Which of these texts of IREE make a program each, see [`iree::programs`].
pub(super) fn iree_programs(sources: &[&dyn Source]) -> Vec<Vec<usize>> {
    iree::programs(sources)
}

/// Whether a part of an XLA dump that begins with `head` says where buffers lie.
pub(super) fn says_where(head: &[u8]) -> bool {
    xla::says_where(head)
}

/// Reads the dump of that kind that `parts` are.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn read(kind: Kind, parts: &[Part<'_>]) -> Result<Loaded, LoadError> {
    let loaded = |format: Format, dump: Dump| {
        dump.map(|(deployed, warnings)| (format, Document::Deployed(deployed), warnings))
    };
    let source = match parts {
        [part] => Ok(part.source),
        _ => Err(super::apart(parts)),
    };
    match kind {
        Kind::Xla => loaded(Format::Xla, xla::read(parts)),
        Kind::Xplane => loaded(Format::Xla, xla::xplane::read(source?)),
        Kind::XlaOom => loaded(Format::XlaOom, xla::oom::read(source?)),
        Kind::Iree => iree::read(parts),
        Kind::ChromeTrace => loaded(Format::ChromeTrace, chrome_trace::read(source?)),
        Kind::Executorch => loaded(Format::Executorch, executorch::read(source?)),
        Kind::Figures => Err(figures::refusal(parts)),
        Kind::Litert => loaded(Format::Litert, litert::read(source?)),
        Kind::Megengine => loaded(Format::Megengine, megengine::read(source?)),
        Kind::MegengineIntervals => {
            let (problem, warnings) = megengine::read_intervals(source?)?;
            Ok((Format::Megengine, problem, warnings))
        }
        Kind::OrtProfile if parts.len() > 1 => ort_profile::read_with_model(parts),
        Kind::OrtProfile => {
            let (problem, warnings) = ort_profile::read(source?)?;
            Ok((Format::OrtProfile, problem, warnings))
        }
        Kind::Pprof => loaded(Format::Pprof, pprof::read(source?)),
        Kind::Tvm => loaded(Format::Tvm, tvm::read(source?)),
        Kind::Tflm => loaded(Format::Tflm, tflm::read(source?)),
        Kind::TorchTimeline => loaded(Format::TorchTimeline, torch::read_timeline(source?)),
        Kind::Torch => loaded(Format::Torch, torch::read(source?, None)),
        Kind::Vela => loaded(Format::Vela, vela::read(parts)),
    }
}

/// Reads the events in `range` of the recording of that kind that `parts` are.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn read_range(kind: Kind, parts: &[Part<'_>], range: Span) -> Result<Loaded, LoadError> {
    match (kind, parts) {
        (Kind::Torch, [part]) => {
            let (deployed, warnings) = torch::read(part.source, Some(range))?;
            Ok((Format::Torch, Document::Deployed(deployed), warnings))
        }
        _ => Err(no_recording()),
    }
}

/// A range was chosen of what has none.
pub(super) fn no_recording() -> LoadError {
    LoadError {
        kind: Fault::Unsupported,
        place: "file".into(),
        message: "it has no events of which a range could be read: only a memory snapshot of \
                  PyTorch has"
            .into(),
    }
}
