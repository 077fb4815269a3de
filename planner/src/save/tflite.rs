//! A TFLite file with a plan for TFLite Micro, everything else kept as it was.
//!
//! References in a FlatBuffers file lead forward only, and nothing but the root refers to the
//! root. So a new root, with new lists of buffers and metadata, goes before the old body, and
//! the body follows as it is: moved by a multiple of its largest alignment, every reference
//! inside it holds. The old root, list of buffers and list of metadata stay there, unused.

use serde::{Deserialize, Serialize};

use crate::load::TfliteOutline;
use crate::load::tflite_schema::{buffer, metadata, model};
use crate::sorting::Sorting as _;
use crate::units::{Offset, narrow};

/// Why the size of a table and the places of its fields fit into 16 bits.
const SMALL: &str = "the schema's root has eight fields";

/// Bytes of the file's own start: where the root is, and the identifier.
const START: u64 = 8;
/// The body moves by a multiple of this many bytes; the schema asks for 16.
const SHIFT: usize = 64;
/// The name of the metadata.
const NAME: &[u8] = b"OfflineMemoryAllocation";
/// The most bytes of a FlatBuffers file.
const MAX_LEN: u64 = 1 << 31;

/// A file in two pieces, the second of which is a part of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extended {
    /// The new start of the file.
    pub head: Vec<u8>,
    /// The byte of the original with which the rest of the file begins; it goes to the end.
    pub rest: u64,
}

/// The file that `outline` is of, with one offset for each of its tensors, or `None` where
/// the runtime is to place it. `None` when it would have 2 GiB or more, or an offset 2^31.
#[must_use]
pub fn tflite(outline: &TfliteOutline, offsets: &[Option<Offset>]) -> Option<Extended> {
    let mut head = Head::default();
    head.bytes.extend([0; 4]);
    head.bytes.extend(b"TFL3");
    let (root, buffers_at, metadata_at) = head.root(outline);
    head.metadata(outline, metadata_at)?;
    head.buffers(outline, offsets, buffers_at)?;
    // The body begins with what followed the old file's start, so that it stays aligned.
    while head.bytes.len() % SHIFT != 8 {
        head.bytes.push(0);
    }
    let shift = head.bytes.len() as u64 - START;
    if outline.len.checked_add(shift)? >= MAX_LEN {
        return None;
    }
    head.refs.push((0, Target::New(root)));
    for (at, target) in std::mem::take(&mut head.refs) {
        let target = match target {
            Target::New(at) => at as u64,
            Target::Old(at) => at.checked_add(shift)?,
        };
        let distance = u32::try_from(target.checked_sub(at as u64)?).ok()?;
        let place = head.bytes.get_mut(at..at + 4)?;
        place.copy_from_slice(&distance.to_le_bytes());
    }
    Some(Extended {
        head: head.bytes,
        rest: START,
    })
}

/// What a reference leads to.
#[derive(Clone, Copy)]
enum Target {
    /// A byte of the new start.
    New(usize),
    /// A byte of the original.
    Old(u64),
}

/// The new start in the making.
#[derive(Default)]
struct Head {
    bytes: Vec<u8>,
    /// Where references stand, and what each leads to.
    refs: Vec<(usize, Target)>,
}

impl Head {
    fn align(&mut self, to: usize) {
        while !self.bytes.len().is_multiple_of(to) {
            self.bytes.push(0);
        }
    }

    fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// A reference that is filled in at the end; returns where it stands.
    fn reference(&mut self, target: Target) -> usize {
        let at = self.bytes.len();
        self.refs.push((at, target));
        self.word(0);
        at
    }

    /// A table of 32-bit fields, of which those with these numbers are there, after its
    /// vtable; returns where it starts. Its fields have to follow, in this order.
    fn table(&mut self, fields: &[u16]) -> usize {
        self.align(4);
        let vtable = self.bytes.len();
        let ids = fields.iter().max().map_or(0, |last| last + 1);
        let sizes = [
            4 + 2 * ids,
            4 + 4 * u16::try_from(fields.len()).expect(SMALL),
        ];
        self.bytes.extend(sizes.map(u16::to_le_bytes).concat());
        for id in 0..ids {
            let place = fields.iter().position(|field| *field == id);
            let place = place.map_or(0, |place| u16::try_from(4 + 4 * place).expect(SMALL));
            self.bytes.extend(place.to_le_bytes());
        }
        self.align(4);
        let start = self.bytes.len();
        // From the table back to its vtable: a few bytes.
        self.word(narrow(start - vtable));
        start
    }

    /// The root; where it starts, and where its references to buffers and metadata stand.
    fn root(&mut self, outline: &TfliteOutline) -> (usize, usize, usize) {
        let mut fields: Vec<u16> = outline.references.iter().map(|(id, _)| *id).collect();
        fields.extend([model::VERSION, model::BUFFERS, model::METADATA]);
        fields.order();
        let root = self.table(&fields);
        let (mut buffers, mut metadata) = (0, 0);
        for id in fields {
            let old = outline.references.iter().find(|(field, _)| *field == id);
            match (id, old) {
                (model::BUFFERS, _) => buffers = self.reference(Target::New(0)),
                (model::METADATA, _) => metadata = self.reference(Target::New(0)),
                (_, Some((_, at))) => {
                    self.reference(Target::Old(*at));
                }
                (_, None) => self.word(outline.version),
            }
        }
        (root, buffers, metadata)
    }

    /// The list of metadata, to which the reference at `from` leads: the old ones, then ours.
    fn metadata(&mut self, outline: &TfliteOutline, from: usize) -> Option<()> {
        self.align(4);
        self.lead(from, self.bytes.len());
        self.word(u32::try_from(outline.metadata.len() + 1).ok()?);
        for &old in &outline.metadata {
            self.reference(Target::Old(old));
        }
        let entry = self.reference(Target::New(0));
        let table = self.table(&[metadata::NAME, metadata::BUFFER]);
        self.lead(entry, table);
        let name = self.reference(Target::New(0));
        // The buffer after the old ones, of which the first is empty whatever the file.
        self.word(u32::try_from(outline.buffers.len().max(1)).ok()?);
        self.lead(name, self.bytes.len());
        self.word(u32::try_from(NAME.len()).ok()?);
        self.bytes.extend(NAME);
        self.bytes.push(0);
        Some(())
    }

    /// The list of buffers, to which the reference at `from` leads: the old ones, then ours.
    fn buffers(
        &mut self,
        outline: &TfliteOutline,
        offsets: &[Option<Offset>],
        from: usize,
    ) -> Option<()> {
        self.align(4);
        self.lead(from, self.bytes.len());
        let none = outline.buffers.is_empty();
        let count = outline.buffers.len() + usize::from(none) + 1;
        self.word(u32::try_from(count).ok()?);
        for &old in &outline.buffers {
            self.reference(Target::Old(old));
        }
        let empty = none.then(|| self.reference(Target::New(0)));
        let entry = self.reference(Target::New(0));
        if let Some(empty) = empty {
            let table = self.table(&[]);
            self.lead(empty, table);
        }
        let table = self.table(&[buffer::DATA]);
        self.lead(entry, table);
        let data = self.reference(Target::New(0));
        // The elements begin after their number, at a multiple of 16.
        while self.bytes.len() % 16 != 12 {
            self.bytes.push(0);
        }
        self.lead(data, self.bytes.len());
        let words = offsets.len().checked_add(3)?.checked_mul(4)?;
        self.word(u32::try_from(words).ok()?);
        let subgraphs = u32::try_from(outline.tensors.len()).ok()?;
        for word in [0, subgraphs, u32::try_from(offsets.len()).ok()?] {
            self.word(word);
        }
        for offset in offsets {
            let word = offset.map_or(Some(-1), |it| i32::try_from(it.0).ok())?;
            self.bytes.extend(word.to_le_bytes());
        }
        Some(())
    }

    /// Makes the reference at `from` lead to `to`.
    fn lead(&mut self, from: usize, to: usize) {
        if let Some(reference) = self.refs.iter_mut().rev().find(|(at, _)| *at == from) {
            reference.1 = Target::New(to);
        }
    }
}
