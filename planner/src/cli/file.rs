//! A file on disk, of which only the parts that are needed are read; what is piped in; and what
//! is packed around either.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use planner::load::{
    Fault, LoadError, MOST_UNPACKED, Member, MemberContent, Part, Source, SourceError, unpack,
};

/// What stands for standard input.
pub(super) const PIPED: &str = "-";

/// The most bytes that are read from standard input, which is held as a whole.
const MOST_PIPED: u64 = 4 << 30;

/// An opened file.
pub(super) enum FileSource {
    /// On disk, with its length.
    File(RefCell<File>, u64),
    /// In memory.
    Held(Vec<u8>),
}

impl FileSource {
    /// Opens the file at `path`, or reads standard input.
    ///
    /// # Errors
    /// When it cannot be opened, or is no plain file; for standard input that is longer than
    /// 4 GiB.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if path == Path::new(PIPED) {
            return piped().map(Self::Held);
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::other("this is a folder"));
        }
        if !metadata.is_file() {
            // A pipe such as the shell makes of `<(command)` cannot be read twice.
            return held(file).map(Self::Held);
        }
        Ok(Self::File(RefCell::new(file), metadata.len()))
    }
}

/// All of standard input.
fn piped() -> io::Result<Vec<u8>> {
    held(io::stdin().lock())
}

fn held(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST_PIPED + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_PIPED {
        let message = format!("more than {MOST_PIPED} bytes: save it as a file");
        return Err(io::Error::other(message));
    }
    Ok(bytes)
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        match self {
            Self::File(_, len) => *len,
            Self::Held(bytes) => bytes.len() as u64,
        }
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        let (file, whole) = match self {
            Self::File(file, len) => (file, *len),
            Self::Held(bytes) => return bytes.read_at(start, target),
        };
        let len = target.len() as u64;
        if start.checked_add(len).is_none_or(|end| end > whole) {
            return Err(SourceError::Beyond { start, len });
        }
        let mut file = file.borrow_mut();
        let read = file.seek(SeekFrom::Start(start));
        let read = read.and_then(|_| file.read_exact(target));
        read.map_err(|error| SourceError::Io(error.to_string()))
    }
}

/// Reads `parts` by `load`, and where they are packed what is inside.
pub(super) fn loaded<T>(
    parts: &[Part<'_>],
    load: impl Fn(&[Part<'_>]) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    match load(parts) {
        Err(error) if error.kind == Fault::Packed => {}
        found => return found,
    }
    let members = unpack(parts, MOST_UNPACKED)?;
    let inside = members.iter().filter_map(|member| part(member, parts));
    load(&inside.collect::<Vec<_>>())
}

fn part<'s>(member: &'s Member, parts: &[Part<'s>]) -> Option<Part<'s>> {
    match &member.content {
        MemberContent::Part(place) => parts.get(*place).copied(),
        MemberContent::Unpacked(bytes) => Some(Part {
            name: &member.name,
            source: bytes,
        }),
    }
}
