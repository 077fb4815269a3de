//! Texts with characters lost, doubled or replaced, as they are while somebody types: each is a
//! graph or has a fault at a place of the text, and a graph can be written and planned.

use super::ARTICLE;
use planner::graph::Bindings;
use planner::load::{Document, Fault, graph_text};
use planner::{Settings, prepare, save};
use tests::chinese::assert_told;
use tests::random::Random;

const TFLITE: &str = "graph g tflite\nlet N = 2\norder y, x\ninput x: i8[N, 8] q(0.5, 3) @16\n\
                      state s: f32[?=4]\nconst w: i8[4, 8]\nk: i8[2, ?] = custom::Mine(x, _, w) a=[1.5] b=\"c\\n\"\n\
                      y, s = If(k, [1]) then=subgraph(2) captures=[x] name=if stream=1\noutput y\n";

/// What is put in somewhere.
const PIECES: [&str; 16] = [
    "x",
    "_",
    "\"",
    "\\",
    "[",
    "]",
    "(",
    ")",
    "=",
    ",",
    ":",
    "@",
    "-1e999",
    "18446744073709551616",
    "\n",
    "é",
];

/// Whether it is a graph.
fn is_graph(text: &str) -> bool {
    match graph_text(text, None) {
        Ok((read, _)) => {
            let written = save::graph_text(&read);
            // What is damaged may be warned of again.
            let (again, _) = graph_text(&written, None).expect("it is a graph");
            assert_eq!(save::graph_text(&again), written, "{text}");
            let prepared = prepare(
                &Document::Model(read),
                &Bindings::new(),
                &Settings::default(),
            );
            drop(prepared);
            true
        }
        Err(error) => {
            assert!(matches!(error.kind, Fault::Text | Fault::Limit), "{error}");
            let place = error.place.to_string();
            let place = place.strip_prefix("line ").expect("a line");
            let (line, column) = place.split_once(", column ").unwrap_or((place, "1"));
            let [line, column] = [line, column].map(|it| it.parse::<usize>().expect("a number"));
            let there = text.lines().nth(line - 1).expect("a line of the text");
            let length = there.chars().count();
            assert!((1..=length + 1).contains(&column), "{error} in {text}");
            assert_told(&error.message);
            false
        }
    }
}

#[test]
fn every_prefix_is_a_graph_or_a_fault() {
    for text in [ARTICLE, TFLITE] {
        assert!(is_graph(text));
        for (end, _) in text.char_indices() {
            is_graph(&text[..end]);
        }
    }
}

#[test]
fn damaged_texts_are_graphs_or_faults() {
    let mut random = Random::new(3);
    let mut graphs = 0;
    for text in [ARTICLE, TFLITE] {
        for _ in 0..2_000 {
            let mut letters: Vec<char> = text.chars().collect();
            for _ in 0..=random.below(3) {
                let at = random.index(letters.len());
                match random.below(5) {
                    0 => drop(letters.remove(at)),
                    1 => letters.insert(at, letters[at]),
                    2 => {
                        let other = random.index(letters.len());
                        letters.swap(at, other);
                    }
                    3 => {
                        let piece = PIECES[random.index(PIECES.len())];
                        drop(letters.splice(at..at, piece.chars()));
                    }
                    _ => {
                        let end = (at + random.index(40)).min(letters.len());
                        drop(letters.drain(at..end));
                    }
                }
            }
            graphs += usize::from(is_graph(&letters.iter().collect::<String>()));
        }
    }
    // Both come about, so that both are tested.
    assert!((500..3_500).contains(&graphs), "{graphs} graphs");
}
