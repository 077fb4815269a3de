//! What is packed around a file: gzip, zip and tar, in each other too, known by content. What is
//! inside is handed out as files, so that whoever opens them reads them like any other.

mod belonging;
mod inflate;
mod tar;
mod zip;

pub use belonging::documents;
use serde::{Deserialize, Serialize};

use super::{Fault, LoadError, Part, Source};
use crate::{Message, message};

/// The most bytes that everything unpacked together may have: a small file can hold any number.
pub const MOST_UNPACKED: u64 = 1 << 30;

/// The most files inside.
const MOST_MEMBERS: usize = 65_536;

/// How deep one is looked for in the other: a `.tar.gz` in a `.zip` is 3 deep.
const DEPTH: u32 = 4;

/// A file that was inside, or that was not packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// What it is called, with the folders that it is in.
    pub name: String,
    /// Where its bytes are.
    pub content: Content,
}

/// Where the bytes of a member are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// It was not packed: the part at this place is it.
    Part(usize),
    /// Here.
    Unpacked(Vec<u8>),
}

/// What a file is packed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zip,
    Tar,
    /// We do not unpack it.
    Other(&'static str),
}

/// What a file that begins with `head` is packed by; `None` where it is not packed.
fn packing(head: &[u8]) -> Option<Packing> {
    let magic = [
        (b"\x1f\x8b".as_slice(), Packing::Gzip),
        (b"PK\x03\x04", Packing::Zip),
        (b"PK\x05\x06", Packing::Zip),
        (b"(\xb5\x2f\xfd", Packing::Other("zstd")),
        (b"BZh", Packing::Other("bzip2")),
        (b"\xfd7zXZ", Packing::Other("xz")),
        (b"7z\xbc\xaf\x27\x1c", Packing::Other("7-Zip")),
    ];
    let found = magic.iter().find(|(magic, _)| head.starts_with(magic));
    match found {
        Some((_, packing)) => Some(*packing),
        None => tar::sniff(head).then_some(Packing::Tar),
    }
}

/// That a file that begins with `head` is packed, where it is.
pub(super) fn packed(head: &[u8]) -> Option<LoadError> {
    let by = match packing(head)? {
        Packing::Gzip => "gzip",
        Packing::Zip => "zip",
        Packing::Tar => "tar",
        Packing::Other(by) => by,
    };
    Some(Fault::Packed.at(message!("byte 0"), message!("it is packed by {}", by)))
}

/// The files that `parts` are once nothing of them is packed, those that make one document; for
/// parts of which [`load_parts`](super::load_parts) says [`Fault::Packed`].
///
/// # Errors
/// [`Fault::Packed`] for a packing that we do not read, [`Fault::Truncated`] and
/// [`Fault::Malformed`] for a damaged one, [`Fault::Limit`] for more than `most` bytes in all,
/// [`Fault::UnknownFormat`] when nothing inside can be read, [`Fault::Apart`] when there are
/// several documents inside, but for two dumps of one kind, which come out together, the older
/// first.
pub fn unpack(parts: &[Part<'_>], most: u64) -> Result<Vec<Member>, LoadError> {
    let mut unpacking = Unpacking {
        left: most,
        members: Vec::new(),
        times: Vec::new(),
        archived: false,
    };
    for (place, part) in parts.iter().enumerate() {
        let found = unpacking.part(place, part);
        found.map_err(|error| match parts {
            [_] => error,
            _ => error.within(part.name),
        })?;
    }
    match unpacking.archived {
        true => belonging::chosen((unpacking.members, &unpacking.times), parts),
        false => Ok(unpacking.members),
    }
}

/// What is unpacked so far.
struct Unpacking {
    /// So many bytes more may be unpacked.
    left: u64,
    members: Vec<Member>,
    /// When each was changed last, later ones greater; 0 where nothing says it.
    times: Vec<u64>,
    /// Whether any of it was in a zip or tar, which holds whatever somebody put into it.
    archived: bool,
}

impl Unpacking {
    fn part(&mut self, place: usize, part: &Part<'_>) -> Result<(), LoadError> {
        let packing = packing(&start(part.source)?);
        match packing {
            None => self.add(
                Member {
                    name: part.name.to_owned(),
                    content: Content::Part(place),
                },
                0,
            ),
            Some(packing) => self.inside(packing, (part.name, 0), part.source, DEPTH),
        }
    }

    /// Takes what is inside of a packed file.
    fn inside(
        &mut self,
        packing: Packing,
        (name, time): (&str, u64),
        source: &dyn Source,
        depth: u32,
    ) -> Result<(), LoadError> {
        let Some(depth) = depth.checked_sub(1) else {
            let message = message!("it is packed more than {} times", DEPTH);
            return Err(Fault::Limit.at(Message::verbatim(name), message));
        };
        match packing {
            Packing::Gzip => {
                let bytes = inflate::gzip(source, &mut self.left)?;
                self.unpacked((within_gzip(name), time), bytes, depth)
            }
            Packing::Zip => {
                self.archived = true;
                for entry in zip::entries(source)? {
                    let bytes = entry.bytes(source, &mut self.left);
                    let bytes = bytes.map_err(|error| error.within(&entry.name))?;
                    self.unpacked((entry.name, entry.time), bytes, depth)?;
                }
                Ok(())
            }
            Packing::Tar => {
                self.archived = true;
                for entry in tar::entries(source)? {
                    let bytes = entry.bytes(source, &mut self.left)?;
                    self.unpacked((entry.name, entry.time), bytes, depth)?;
                }
                Ok(())
            }
            Packing::Other(by) => {
                let message = message!("it is packed by {}", by);
                Err(Fault::Packed.at(message!("byte 0"), message))
            }
        }
    }

    /// Takes a file that was inside, or what is inside of that.
    fn unpacked(
        &mut self,
        (name, time): (String, u64),
        bytes: Vec<u8>,
        depth: u32,
    ) -> Result<(), LoadError> {
        match packing(&bytes) {
            // Anything may lie in an archive; what else is in it may be read.
            Some(Packing::Other(_)) if self.archived => Ok(()),
            Some(packing) => {
                let found = self.inside(packing, (&name, time), &bytes, depth);
                found.map_err(|error| error.within(&name))
            }
            None => self.add(
                Member {
                    name,
                    content: Content::Unpacked(bytes),
                },
                time,
            ),
        }
    }

    fn add(&mut self, member: Member, time: u64) -> Result<(), LoadError> {
        if self.members.len() >= MOST_MEMBERS {
            let message = message!("more than {} files inside", MOST_MEMBERS);
            return Err(Fault::Limit.in_file(message));
        }
        self.members.push(member);
        self.times.push(time);
        Ok(())
    }
}

/// What a file is called that was packed into one called `name`.
fn within_gzip(name: &str) -> String {
    let stem = name.strip_suffix(".gz").or(name.strip_suffix(".gzip"));
    match (stem, name.strip_suffix(".tgz")) {
        (Some(stem), _) if !stem.is_empty() => stem.to_owned(),
        (_, Some(stem)) => format!("{stem}.tar"),
        _ => name.to_owned(),
    }
}

/// The first bytes of `source`, enough to know a packing.
fn start(source: &dyn Source) -> Result<Vec<u8>, LoadError> {
    let len = usize::try_from(source.len()).unwrap_or(usize::MAX);
    let mut start = vec![0; len.min(tar::BLOCK)];
    source.read_at(0, &mut start)?;
    Ok(start)
}

/// What is said where unpacking would go beyond the limit.
fn too_many_bytes() -> LoadError {
    let message = message!("unpacked it has more bytes than we hold: unpack it yourself");
    Fault::Limit.in_file(message)
}

/// Takes `bytes` from what is left of the limit.
fn take(left: &mut u64, bytes: u64) -> Result<(), LoadError> {
    *left = left.checked_sub(bytes).ok_or_else(too_many_bytes)?;
    Ok(())
}

/// The `len` bytes of `source` at `start`.
fn read(source: &dyn Source, start: u64, len: u64) -> Result<Vec<u8>, LoadError> {
    let end = start.checked_add(len).filter(|end| *end <= source.len());
    let len = end.and_then(|_| usize::try_from(len).ok());
    let len = len.ok_or_else(|| {
        let message = message!(
            "a file inside ends behind the end of this one, at {}",
            start
        );
        Fault::Truncated.at(message!("byte {}", start), message)
    })?;
    let mut bytes = vec![0; len];
    source.read_at(start, &mut bytes)?;
    Ok(bytes)
}
