//! What the page is to do in the browser: data, so that the reducer needs none.

use planner::graph::{Bindings, DType};
use planner::tflm_offline_plan::Written;
use worker::{CaseId, Request};

use crate::model::appearance::{Drawing, Theme};
use crate::model::given::{Content, Given};
use crate::model::language::Language;
use crate::model::layout::Layout;
use crate::model::timer::Timer;

/// Something to be done in the browser.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the planner's worker; it is started when it is not there.
    Ask(Box<Request>, Vec<Content>),
    /// Ask the planner's worker whether it is there; it answers in turn, with
    /// [`Event::WorkerHere`](crate::Event::WorkerHere).
    Ping,
    /// End the planner's worker and whatever it is doing.
    EndWorker,
    /// Ask the runner; it is started when it is not there.
    AskRunner(Box<runner::Request>, Vec<Content>),
    /// End the runner and whatever it is doing.
    EndRunner,
    /// Answer with [`Event::Second`](crate::Event::Second) after a second.
    CountSecond(u32),
    /// Answer with [`Event::Elapsed`](crate::Event::Elapsed) after so many milliseconds.
    After(u32, Timer),
    /// Fetch a sample's file and answer with [`Event::Fetched`](crate::Event::Fetched).
    Fetch(u32, String),
    /// Show the scene of this link, at this moment; empty for its beginning.
    Learn {
        /// Which scene.
        link: String,
        /// How it is planned and looked at, as a link says it.
        at: String,
    },
    /// Ask whether there is a GPU.
    ProbeGpu,
    /// Read a file for the input of this position.
    Feed {
        /// Of which case.
        case: CaseId,
        /// The input's place among the inputs of the graph.
        position: usize,
        /// The file.
        file: Given,
        /// The input's element type.
        dtype: DType,
        /// The input's dimensions, outermost first.
        dims: Vec<u64>,
    },
    /// Remember this for the next visit.
    Remember(Remembered),
    /// Put the state into the address bar, in a new entry of the history or in this one.
    Write {
        /// The fragment without `#`.
        fragment: String,
        /// The visits of the cases, 0 for what is no user file.
        visits: Vec<u32>,
        /// Whether Back is to lead to what the address bar says now.
        entry: bool,
    },
    /// Put a text on the clipboard.
    Copy(String),
    /// Offer the new start of a file, and the rest of the old one, as a download.
    Join {
        /// What the download is called.
        name: String,
        /// The new start.
        written: Box<Written>,
        /// The old file.
        file: Content,
    },
}

/// What the browser keeps between visits.
#[derive(Clone, Debug, PartialEq)]
pub enum Remembered {
    /// The language.
    Language(Language),
    /// Light or dark.
    Theme(Theme),
    /// The renderer.
    Drawing(Drawing),
    /// The panels.
    Layout(Layout),
    /// Values of symbolic dimensions, under this key.
    Bindings(String, Bindings),
}
