//! Stacks of frames, each once however many events refer to it.

use std::collections::BTreeMap;

use super::fields::DictKind;
use super::heap::{Heap, Value};
use crate::deployed::{Frame, Gathered};

/// With what `augment_with_fx_traces=True` adds to frames of generated code.
const FRAME: [&str; 7] = [
    "name",
    "filename",
    "line",
    "fx_node_op",
    "fx_node_name",
    "fx_node_target",
    "fx_original_trace",
];

/// The frame of a line such as `  File "model.py", line 34, in forward`.
fn printed(line: &str) -> Option<Frame> {
    let rest = line.trim().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some(Frame {
        function: function.trim().to_owned(),
        file: file.to_owned(),
        line: line.trim().parse().ok()?,
    })
}

/// A list of the pickle, or what it holds where others hold it, too.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    List(u32),
    Shared(u32),
}

impl Key {
    fn of(heap: &Heap, list: u32) -> Self {
        heap.shared(list).map_or(Self::List(list), Self::Shared)
    }
}

#[derive(Debug)]
pub(super) struct Stacks {
    kind: DictKind<7>,
    pub(super) gathered: Gathered,
    known_lists: BTreeMap<Key, u32>,
    /// By dict of the pickle.
    known_dicts: BTreeMap<u32, Vec<u32>>,
    /// Frames that say nothing that can be read.
    pub(super) unreadable: u64,
}

impl Stacks {
    pub(super) fn new() -> Self {
        Self {
            kind: DictKind::new("frame", FRAME),
            gathered: Gathered::default(),
            known_lists: BTreeMap::new(),
            known_dicts: BTreeMap::new(),
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
        if self.says_nothing(heap, list) {
            return 0;
        }
        let key = Key::of(heap, list);
        if let Some(&known) = self.known_lists.get(&key) {
            return known;
        }
        let mut frames = Vec::new();
        for &item in heap.items(list) {
            self.frame(heap, item, &mut frames);
        }
        let index = self.gathered.stack(frames);
        self.known_lists.insert(key, index);
        index
    }

    /// The stack of the forward pass that a field "forward_frames" holds: lines of a traceback as
    /// Python prints it, the outermost first.
    pub(super) fn forward(&mut self, heap: &Heap, lines: Option<Value>) -> u32 {
        let list = match lines {
            None | Some(Value::Nothing) => return 0,
            Some(Value::List(list)) => list,
            Some(_) => {
                self.unreadable += 1;
                return 0;
            }
        };
        if self.says_nothing(heap, list) {
            return 0;
        }
        let key = Key::of(heap, list);
        if let Some(&known) = self.known_lists.get(&key) {
            return known;
        }
        let mut frames = Vec::new();
        for item in heap.items(list) {
            match item {
                Value::Text(text) => self.traceback(heap.read_text(*text), &mut frames),
                _ => self.unreadable += 1,
            }
        }
        frames.reverse();
        let index = self.gathered.stack(frames);
        self.known_lists.insert(key, index);
        index
    }

    /// Whether a list has no frames; its number may be another list's later on.
    fn says_nothing(&mut self, heap: &Heap, list: u32) -> bool {
        let items = heap.items(list);
        let nothing = items.iter().all(|item| matches!(item, Value::Int(_)));
        self.unreadable += if nothing { items.len() as u64 } else { 0 };
        nothing
    }

    /// The frames of a traceback, in its order.
    fn traceback(&mut self, text: &str, frames: &mut Vec<u32>) {
        let found = text.lines().filter_map(printed);
        frames.extend(found.map(|frame| self.gathered.frame(frame)));
    }

    /// A frame, and behind it those of the source that its code was generated from.
    fn frame(&mut self, heap: &Heap, item: Value, frames: &mut Vec<u32>) {
        let Value::Dict(dict) = item else {
            self.unreadable += 1;
            return;
        };
        if let Some(known) = self.known_dicts.get(&dict) {
            frames.extend(known);
            return;
        }
        let found = self.new_frame(heap, dict);
        self.unreadable += u64::from(found.is_empty());
        frames.extend(&found);
        self.known_dicts.insert(dict, found);
    }

    fn new_frame(&mut self, heap: &Heap, dict: u32) -> Vec<u32> {
        let [
            Some(Value::Text(name)),
            Some(Value::Text(file)),
            line,
            op,
            node,
            target,
            original,
        ] = self.kind.read(heap, dict)
        else {
            return Vec::new();
        };
        let line = match line {
            Some(Value::Int(line)) => u32::try_from(line).unwrap_or_default(),
            _ => 0,
        };
        let text = |value| match value {
            Some(Value::Text(text)) => heap.read_text(text),
            _ => "",
        };
        let (name, file) = (heap.read_text(name), heap.read_text(file));
        let [op, node, target, original] = [op, node, target, original].map(text);
        let function = match node {
            "" => name.to_owned(),
            node => format!("{name} [{node}: {op} {target}]"),
        };
        let frame = self.gathered.frame(Frame {
            function,
            file: file.to_owned(),
            line,
        });
        let mut frames = Vec::new();
        self.traceback(original, &mut frames);
        frames.push(frame);
        frames.reverse();
        frames
    }

    pub(super) fn unknown(&mut self, heap: &Heap, unknown: &mut BTreeMap<String, u64>) {
        self.kind.unknown(heap, unknown);
    }
}
