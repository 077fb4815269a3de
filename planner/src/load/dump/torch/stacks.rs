//! Stacks of frames, each once however many events refer to it.

use std::collections::BTreeMap;

use super::fields::Kind;
use super::heap::{Heap, Value};
use crate::deployed::{Frame, Gathered};

#[derive(Debug)]
pub(super) struct Stacks {
    kind: Kind<3>,
    pub(super) gathered: Gathered,
    /// By list of the pickle.
    known_lists: BTreeMap<u32, u32>,
    /// By dict of the pickle.
    known_dicts: BTreeMap<u32, Option<u32>>,
    /// By function, file and line.
    known_frames: BTreeMap<(u32, u32, u32), u32>,
    /// Frames that say nothing that can be read.
    pub(super) unreadable: u64,
}

impl Stacks {
    pub(super) fn new() -> Self {
        Self {
            kind: Kind::new("frame", ["name", "filename", "line"]),
            gathered: Gathered::default(),
            known_lists: BTreeMap::new(),
            known_dicts: BTreeMap::new(),
            known_frames: BTreeMap::new(),
            unreadable: 0,
        }
    }

    /// The stack that a field "frames" holds, by index; 0, the empty one, for none.
    pub(super) fn stack(&mut self, heap: &Heap, frames: Option<Value>) -> u32 {
        let list = match frames {
            None | Some(Value::Nothing) => return 0,
            Some(Value::List(list)) => list,
            Some(_) => {
                self.unreadable += 1;
                return 0;
            }
        };
        if let Some(&known) = self.known_lists.get(&list) {
            return known;
        }
        let items = heap.items(list).iter();
        let frames = items.filter_map(|&item| self.frame(heap, item)).collect();
        let index = self.gathered.stack(frames);
        self.known_lists.insert(list, index);
        index
    }

    fn frame(&mut self, heap: &Heap, item: Value) -> Option<u32> {
        let Value::Dict(dict) = item else {
            self.unreadable += 1;
            return None;
        };
        if let Some(&known) = self.known_dicts.get(&dict) {
            return known;
        }
        let frame = self.new_frame(heap, dict);
        self.unreadable += u64::from(frame.is_none());
        self.known_dicts.insert(dict, frame);
        frame
    }

    fn new_frame(&mut self, heap: &Heap, dict: u32) -> Option<u32> {
        let [Some(Value::Text(name)), Some(Value::Text(file)), line] = self.kind.read(heap, dict)
        else {
            return None;
        };
        let line = match line {
            Some(Value::Int(line)) => u32::try_from(line).unwrap_or_default(),
            _ => 0,
        };
        if let Some(&known) = self.known_frames.get(&(name, file, line)) {
            return Some(known);
        }
        let frame = self.gathered.new_frame(Frame {
            function: heap.read_text(name).into(),
            file: heap.read_text(file).into(),
            line,
        });
        self.known_frames.insert((name, file, line), frame);
        Some(frame)
    }

    pub(super) fn unknown(&mut self, heap: &Heap, unknown: &mut BTreeMap<String, u64>) {
        self.kind.unknown(heap, unknown);
    }
}
