//! The graph of a case as text, and texts in its place.

use std::collections::BTreeMap;

use planner::graph::{Bindings, Content, Role, Tensor};
use planner::load::{Columns, Fault, Format, Source};
use tests::networks::{blazeface, unet};
use worker::{CaseId, CodeSet, MissingCode, Prepared, Reply, Request, Server, TextQuestion};

use super::talk::{Talk, answer, asking, sent};

/// A chain of three tensors of 4, 4 and 4 bytes.
const CHAIN: &str = "# A chain.\ngraph chain onnx 17\ninput x: f32[1]\ny = Relu(x)\noutput y\n";

fn written(talk: &mut Talk, id: u32, file: &dyn Source) -> Option<String> {
    match talk.asked(&asking(id, &TextQuestion), &[file]) {
        Reply::Found {
            id: answered,
            found,
        } if answered == id => answer::<TextQuestion>(found),
        other => panic!("{other:?}"),
    }
}

fn rewritten(talk: &mut Talk, id: u32, text: Option<&str>) -> Reply {
    let text = text.map(str::to_owned);
    let case = CaseId(0);
    talk.asked(&Request::Rewrite { id, case, text }, &[])
}

/// Lifetimes to the byte, but for the numbers of storages: those follow the order of the lines.
fn bytes(prepared: &Prepared) -> Vec<u8> {
    let mut lifetimes = prepared.subject.lifetimes.clone();
    for buffer in &mut lifetimes.buffers {
        buffer.storage = None;
    }
    postcard::to_allocvec(&lifetimes).unwrap()
}

/// What is written says the same.
#[test]
fn the_same_text_gives_the_same_lifetimes() {
    for model in [blazeface(), unet()] {
        let mut talk = Talk::new(1.0);
        talk.open(1, &model);
        let before = talk.prepared(2, Bindings::new());
        let text = written(&mut talk, 3, &model).expect("a graph");
        let Reply::Opened { opened, .. } = rewritten(&mut talk, 4, Some(&text)) else {
            panic!("not read");
        };
        // It is still what it was opened as.
        assert_eq!((opened.format, opened.alignment), (Format::Onnx, 64));
        let after = talk.prepared(5, Bindings::new());
        assert!(bytes(&before) == bytes(&after));
        assert_eq!(before.bounds, after.bounds);
    }
}

#[test]
fn an_operator_more_is_planned() {
    let mut talk = Talk::new(1.0);
    let file = CHAIN.as_bytes().to_vec();
    talk.open(1, &file);
    // What was opened as text is that text, with its comment.
    assert_eq!(written(&mut talk, 2, &file).as_deref(), Some(CHAIN));
    let sizes = |talk: &mut Talk, id| {
        let lifetimes = talk.prepared(id, Bindings::new()).subject.lifetimes;
        let named = lifetimes
            .buffers
            .iter()
            .map(|it| (it.name.clone(), it.payload.0));
        named.collect::<Vec<_>>()
    };
    let none: Vec<(String, u64)> = Vec::new();
    assert_eq!(sizes(&mut talk, 3), none, "inputs and outputs are beside");
    let more = CHAIN.replace("y = Relu(x)", "z = Concat(x, x, x) axis=0\ny = Relu(z)");
    let reply = rewritten(&mut talk, 4, Some(&more));
    assert!(matches!(reply, Reply::Opened { .. }), "{reply:?}");
    assert_eq!(sizes(&mut talk, 5), [("z".to_owned(), 12)]);
    // And back to what was opened.
    let reply = rewritten(&mut talk, 6, None);
    assert!(matches!(reply, Reply::Opened { .. }), "{reply:?}");
    assert_eq!(sizes(&mut talk, 7), none);
}

/// Lines and columns count from 1, columns in characters: the name after `Relu(` is the tenth.
#[test]
fn a_text_that_cannot_be_read_leaves_what_was_there() {
    let mut talk = Talk::new(1.0);
    talk.open(1, &CHAIN.as_bytes().to_vec());
    let before = talk.prepared(2, Bindings::new());
    let wrong = CHAIN.replace("Relu(x)", "Relu(é)");
    match rewritten(&mut talk, 3, Some(&wrong)) {
        Reply::Refused { error, table, .. } => {
            assert_eq!(error.kind, Fault::Text);
            assert_eq!(error.place, "line 4, column 10");
            assert_eq!(table, None);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(talk.prepared(4, Bindings::new()), before);
}

/// However often it is edited: a constant that one text leaves out and the next has again is the
/// one that was opened.
#[test]
fn constants_are_those_that_were_opened() {
    let mut talk = Talk::new(1.0);
    let model = blazeface();
    talk.open(1, &model);
    let weights = |talk: &mut Talk, id| {
        let program = talk.prepared(id, Bindings::new()).subject.program.unwrap();
        let tensors = program.graph.tensors.into_iter();
        let there = |it: &Tensor| it.role == Role::Constant && it.content != Content::Stripped;
        let there = tensors.filter(there).map(|it| (it.name, it.content));
        there.collect::<BTreeMap<String, Content>>()
    };
    let opened = weights(&mut talk, 2);
    assert!(!opened.is_empty());
    let text = written(&mut talk, 3, &model).expect("a graph");
    rewritten(&mut talk, 4, Some(CHAIN));
    assert_eq!(weights(&mut talk, 5), BTreeMap::new());
    rewritten(&mut talk, 6, Some(&text));
    assert_eq!(weights(&mut talk, 7), opened);
}

/// A worker that was started anew is told files and text at once; a case like an edited one has
/// its text, too, and can go back.
#[test]
fn an_edited_case_is_opened_again_and_beside() {
    let mut talk = Talk::new(1.0);
    let open = |id, text: Option<&str>| Request::Open {
        id,
        case: CaseId(0),
        names: vec!["a.graph".to_owned()],
        columns: Columns::default(),
        range: None,
        text: text.map(str::to_owned),
    };
    let file = CHAIN.as_bytes().to_vec();
    let more = CHAIN.replace("y = Relu(x)", "z = Relu(x)\ny = Relu(z)");
    talk.asked(&open(1, Some(&more)), &[&file]);
    assert_eq!(
        talk.prepared(2, Bindings::new())
            .subject
            .lifetimes
            .buffers
            .len(),
        1
    );
    // What was opened is still the file.
    assert_eq!(written(&mut talk, 3, &file).as_deref(), Some(CHAIN));
    let (case, other) = (CaseId(1), CaseId(0));
    talk.asked(&Request::Like { id: 4, case, other }, &[]);
    let prepare = Request::Prepare {
        id: 5,
        case,
        bindings: Bindings::new(),
        settings: planner::Settings::default(),
    };
    let buffers = |reply| match reply {
        Reply::Prepared { prepared, .. } => prepared.unwrap().subject.lifetimes.buffers.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(buffers(talk.asked(&prepare, &[])), 1);
    let text = None;
    talk.asked(&Request::Rewrite { id: 6, case, text }, &[]);
    assert_eq!(buffers(talk.asked(&prepare, &[])), 0);
    // A text that cannot be read is no reason to open the file without it.
    let reply = talk.asked(&open(7, Some("nonsense")), &[&file]);
    assert!(matches!(reply, Reply::Refused { .. }), "{reply:?}");
}

/// The first code reads no text, and nothing is opened without it.
#[test]
fn a_text_needs_more_than_the_first_code() {
    let mut talk = Talk::new(1.0);
    talk.server = Server::with(CodeSet::FIRST);
    let open = sent(&Request::Open {
        id: 1,
        case: CaseId(0),
        names: vec!["model".to_owned()],
        columns: Columns::default(),
        range: None,
        text: Some(CHAIN.to_owned()),
    });
    let model = blazeface();
    assert_eq!(talk.tried(&open, &[&model]), Err(MissingCode));
    let prepare = Request::Prepare {
        id: 2,
        case: CaseId(0),
        bindings: Bindings::new(),
        settings: planner::Settings::default(),
    };
    assert_eq!(talk.ask(&prepare, &[]), []);
    talk.server.set_code(CodeSet::USUAL);
    assert!(matches!(talk.asked(&open, &[&model]), Reply::Opened { .. }));
}

/// Lifetimes alone are no graph.
#[test]
fn a_table_is_not_written() {
    let mut talk = Talk::new(1.0);
    let csv = b"id,lower,upper,size\na,0,2,4\n".to_vec();
    talk.open(1, &csv);
    assert_eq!(written(&mut talk, 2, &csv), None);
}
