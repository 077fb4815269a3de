//! TFLite files that bring offsets, and those that we write.

#[path = "offline/brought.rs"]
mod brought;
#[path = "offline/schema.rs"]
mod schema;
#[path = "offline/scratch.rs"]
mod scratch;
#[path = "offline/tail.rs"]
mod tail;
#[path = "offline/taken.rs"]
mod taken;

use crate::tflite::builder::Model;
use planner::graph::{Bindings, Graph};
use planner::load::{Document, Format, LoadError, Warning};
use planner::{Bytes, Io, Settings, Subject, prepare};
use tests::chinese::load;

/// The name of the metadata.
const NAME: &str = "OfflineMemoryAllocation";

/// Integers as a plan's buffer holds them.
fn words(words: &[i32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A plan's buffer with these offsets.
fn plan(offsets: &[i32]) -> Vec<u8> {
    let count = i32::try_from(offsets.len()).expect("few tensors");
    words(&[&[0, 1, count], offsets].concat())
}

/// `y = RELU6(CONV_2D(x, w, b))` with all its elements: x of 768 bytes, c and y of 256 each.
fn model() -> Model {
    let mut model = Model::default();
    model.buffers.push(vec![1; 16]);
    model.tensors[2].buffer = 2;
    model
}

/// The same with a plan.
fn planned(offsets: &[i32]) -> Model {
    Model {
        metadata: vec![(NAME, plan(offsets))],
        ..model()
    }
}

fn read(bytes: &[u8]) -> Result<(Graph, Vec<Warning>), LoadError> {
    match load(&bytes.to_vec())? {
        (Format::Tflite, Document::Model(graph), warnings) => Ok((graph, warnings)),
        _ => unreachable!("a TFLite file is a model"),
    }
}

/// As TFLite Micro has it.
fn subject(graph: Graph) -> Subject {
    let settings = Settings {
        alignment: Bytes(16),
        io: Io::Tflm,
        ..Settings::default()
    };
    let document = Document::Model(graph);
    prepare(&document, &Bindings::new(), &settings).expect("small sizes")
}
