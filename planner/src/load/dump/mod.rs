//! Plans that a toolchain dumped. Each format has one file here that knows its text or its
//! bytes and its conventions; what comes out is the same for all.

mod chrome_trace;
mod draft;
mod executorch;
mod iree;
mod json;
mod line;
mod litert;
mod megengine;
mod tflm;
mod torch;
mod vela;
mod xla;

use super::{Document, Format, LoadError, Loaded, Part, Source};
use crate::deployed::Deployed;

/// A deployed plan and what is worth saying about the file.
type Dump = Result<(Deployed, Vec<super::Warning>), LoadError>;

/// One format that stands in a single file.
struct Reader {
    format: Format,
    /// Whether a file that begins with these bytes is of the format.
    sniff: fn(&[u8]) -> bool,
    read: fn(&dyn Source) -> Dump,
}

/// In the order in which they are tried.
const READERS: &[Reader] = &[
    Reader {
        format: Format::Torch,
        sniff: torch::sniff,
        read: torch::read,
    },
    Reader {
        format: Format::Executorch,
        sniff: executorch::sniff,
        read: executorch::read,
    },
    Reader {
        format: Format::Vela,
        sniff: vela::sniff,
        read: vela::read,
    },
    Reader {
        format: Format::Tflm,
        sniff: tflm::sniff,
        read: tflm::read,
    },
    Reader {
        format: Format::Litert,
        sniff: litert::sniff,
        read: litert::read,
    },
    Reader {
        format: Format::Megengine,
        sniff: megengine::sniff,
        read: megengine::read,
    },
    Reader {
        format: Format::ChromeTrace,
        sniff: chrome_trace::sniff,
        read: chrome_trace::read,
    },
];

/// Reads the dump that `parts` are, if `head`, the first bytes of each, says that they are one.
///
/// # Errors
/// See [`LoadError`].
pub(super) fn read(parts: &[Part<'_>], heads: &[Vec<u8>]) -> Option<Result<Loaded, LoadError>> {
    let loaded = |format: Format, dump: Dump| {
        dump.map(|(deployed, warnings)| (format, Document::Deployed(deployed), warnings))
    };
    if heads.iter().all(|head| xla::sniff(head)) {
        return Some(loaded(Format::Xla, xla::read(parts)));
    }
    if heads.iter().all(|head| iree::sniff(head)) {
        return Some(iree::read(parts));
    }
    let ([part], [head]) = (parts, heads) else {
        return None;
    };
    if megengine::sniff_intervals(head) {
        let problem = megengine::read_intervals(part.source);
        return Some(problem.map(|(problem, warnings)| (Format::Megengine, problem, warnings)));
    }
    let reader = READERS.iter().find(|reader| (reader.sniff)(head))?;
    Some(loaded(reader.format, (reader.read)(part.source)))
}
