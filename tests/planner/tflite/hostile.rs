//! Broken, cut off, damaged and outsized models.

use std::cell::Cell;

use planner::load::{Document, Fault, Source, SourceError};
use planner::{Settings, prepare};
use tests::chinese::load;
use tests::random::Random;
use tests::shared;

use super::builder::{Model, Operator};
use super::{changed, read};

/// What is done to the default model, the fault it must have, and where.
type Broken = (fn(&mut Model), Fault, &'static str);

#[test]
fn broken_models_are_refused_with_place() {
    let broken: &[Broken] = &[
        (|m| m.version = 2, Fault::Unsupported, "byte"),
        (
            |m| m.operators[1].inputs[0] = 9,
            Fault::Dangling,
            "operator 1",
        ),
        (
            |m| m.operators[1].outputs[0] = -2,
            Fault::Dangling,
            "operator 1",
        ),
        (|m| m.operators[0].code = 7, Fault::Dangling, "operator 0"),
        (|m| m.inputs[0] = 5, Fault::Dangling, "graph inputs"),
        (
            |m| m.outputs[0] = i32::MIN,
            Fault::Dangling,
            "graph outputs",
        ),
        (|m| m.tensors[1].buffer = 3, Fault::Dangling, "w"),
        (|m| m.signature = Some(1), Fault::Dangling, "byte"),
        (
            |m| m.operators[1].outputs[0] = 3,
            Fault::Duplicate,
            "RELU6 1",
        ),
        (
            |m| m.operators[1].outputs[0] = 0,
            Fault::Duplicate,
            "RELU6 1",
        ),
        (|m| m.operators[0].inputs[2] = 4, Fault::Cycle, "CONV_2D 0"),
        (|m| m.operators[0].inputs[2] = 3, Fault::Cycle, "CONV_2D 0"),
        (|m| m.tensors[3].shape[0] = -4, Fault::Malformed, "c"),
        (|m| m.tensors[3].shape = vec![1; 65], Fault::Limit, "c"),
    ];
    for (index, (change, fault, place)) in broken.iter().enumerate() {
        let error = changed(change).unwrap_err();
        let found = (error.kind, error.place.to_string().starts_with(place));
        assert_eq!(found, (*fault, true), "case {index}: {error}");
    }
}

#[test]
fn many_operators_with_the_same_long_operands_hit_a_limit() {
    // One operator table of 2^13 operands, referred to 2^13 times: 2^26 operands.
    let mut model = Model::default();
    model.operators.truncate(1);
    model.operators[0].inputs = vec![0; 1 << 13];
    let mut bytes = model.bytes();
    let (vector, operator) = operators_vector(&bytes);
    let end = bytes.len();
    let count: u32 = 1 << 13;
    bytes.extend(count.to_le_bytes());
    for index in 0..count as usize {
        let at = end + 4 + 4 * index;
        // Distances are unsigned and forward only, so each refers to a copy after all.
        let target = end + 4 + 4 * count as usize + 64;
        bytes.extend(u32::try_from(target - at).unwrap().to_le_bytes());
    }
    bytes.extend([0; 64]);
    // The next operator: a copy of the first with distances that still reach its vectors
    // cannot be (they lie in front), so it gets a vtable and a vector of its own.
    let table = bytes.len();
    bytes.extend(12_i32.to_le_bytes());
    bytes.extend(4_u32.to_le_bytes());
    bytes.extend((1_u32 << 13).to_le_bytes());
    bytes.extend(vec![0; 4 << 13]);
    // Vtable in the 64 bytes of room: 8 long, field 0 absent, field 1 at 4.
    let vtable = table - 12;
    bytes[vtable..vtable + 8].copy_from_slice(&[8, 0, 8, 0, 0, 0, 4, 0]);
    let forward = u32::try_from(end - vector).unwrap();
    bytes[vector..vector + 4].copy_from_slice(&forward.to_le_bytes());
    assert!(operator > 0);
    let error = read(&bytes).unwrap_err();
    assert_eq!(error.kind, Fault::Limit, "{error}");
}

/// Where the main subgraph refers to its operators, and where the first of them lies.
fn operators_vector(bytes: &[u8]) -> (usize, usize) {
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let u16_at = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()) as usize;
    let field = |table: usize, id: usize| {
        let vtable = (table + (1 << 32) - u32_at(table)) % (1 << 32);
        table + u16_at(vtable + 4 + 2 * id)
    };
    let follow = |at: usize| at + u32_at(at);
    let subgraphs = follow(field(u32_at(0), 2));
    let main = follow(subgraphs + 4);
    let vector = field(main, 3);
    (vector, follow(follow(vector) + 4))
}

#[test]
fn every_prefix_is_an_error_or_a_document() {
    let bytes = Model::default().bytes();
    for end in 0..bytes.len() {
        match load(&bytes[..end].to_vec()) {
            Ok(_) => {}
            Err(error) if end == 0 => assert_eq!(error.kind, Fault::Empty),
            Err(error) if end < 8 => assert_eq!(error.kind, Fault::UnknownFormat, "{end}"),
            Err(error) => assert_eq!(error.kind, Fault::Truncated, "{end}: {error}"),
        }
    }
}

#[test]
fn random_damage_never_panics() {
    let mut model = Model {
        others: 1,
        signature: Some(0),
        ..Model::default()
    };
    model.tensors[0].signature = vec![-1, 8, 8, 3];
    damage(&model.bytes(), 5_000);
}

#[test]
fn random_damage_to_real_models_never_panics() {
    for (_, bytes) in shared::models(".tflite") {
        damage(&bytes, 100);
    }
}

/// Loads and prepares `times` damaged copies. Whether they are accepted does not matter: what
/// counts is that each returns.
fn damage(bytes: &[u8], times: usize) {
    let mut random = Random::new(1);
    for _ in 0..times {
        let mut damaged = bytes.to_vec();
        for _ in 0..=random.index(4) {
            let at = random.index(damaged.len());
            damaged[at] =
                [0, 1, 0x7f, 0x80, 0xff, damaged[at] ^ (1 << random.index(8))][random.index(6)];
        }
        if let Ok((_, document, _)) = load(&damaged) {
            let symbols = match &document {
                Document::Model(graph) => &graph.symbols[..],
                _ => &[],
            };
            let bindings = symbols
                .iter()
                .map(|symbol| (symbol.name.clone(), 1 << random.index(64)));
            let _ = prepare(&document, &bindings.collect(), &Settings::default());
        }
    }
}

/// Counts the bytes that are read.
struct Counted {
    bytes: Vec<u8>,
    read: Cell<usize>,
}

impl Source for Counted {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, start: u64, target: &mut [u8]) -> Result<(), SourceError> {
        self.read.set(self.read.get() + target.len());
        self.bytes.read_at(start, target)
    }
}

fn counted(model: &Model) -> Counted {
    let counted = Counted {
        bytes: model.bytes(),
        read: Cell::new(0),
    };
    load(&counted).unwrap();
    counted
}

#[test]
fn weights_are_not_read() {
    let mut model = Model::default();
    model.buffers[0] = vec![7; 8 << 20];
    let counted = counted(&model);
    let read = counted.read.get();
    assert!(read < 1 << 20, "{read} bytes read");
}

#[test]
fn structure_is_read_once() {
    let count = 20_000;
    let operators = (5..count + 5).map(|output| Operator {
        code: 1,
        inputs: vec![3],
        outputs: vec![output],
        options: None,
    });
    let mut model = Model {
        operators: operators.collect(),
        ..Model::default()
    };
    let more = (0..count).map(|_| model.tensors[3].clone());
    let more: Vec<_> = more.collect();
    model.tensors.extend(more);
    let counted = counted(&model);
    let (read, len) = (counted.read.get(), counted.bytes.len());
    assert!(
        len > 1 << 20 && read <= len + (128 << 10),
        "{read} of {len} bytes"
    );
}
