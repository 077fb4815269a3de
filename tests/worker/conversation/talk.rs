//! A page and a worker that speak with each other, without a browser. Every message goes through
//! postcard on its way, as between the two threads.

use std::cell::{Cell, RefCell};

use planner::graph::Bindings;
use planner::load::{Columns, Source};
use planner::{Effort, Options, Settings, Strategy};
use serde::Serialize;
use serde::de::DeserializeOwned;
use worker::{
    Ask, CaseId, MissingCode, Packed, Planned, Prepared, Question, Reply, Request, Server,
    Surroundings,
};

/// What arrives of a message on the other thread.
pub(crate) fn sent<M: Serialize + DeserializeOwned>(message: &M) -> M {
    let bytes = postcard::to_allocvec(message).unwrap();
    postcard::from_bytes(&bytes).unwrap()
}

/// A question that is asked in the background.
pub(crate) fn asking<Q: Question>(id: u32, question: &Q) -> Request {
    let ask = Ask::new(question).expect("it is packed");
    let case = CaseId(0);
    Request::Ask { id, case, ask }
}

/// What answers it.
pub(crate) fn answer<Q: Question>(found: Packed<()>) -> Q::Found {
    found.retyped().open().expect("it is unpacked")
}

/// A page that keeps what it receives; its clock goes on by `tick` ms whenever it is read.
pub(crate) struct Page {
    pub(crate) received: RefCell<Vec<Reply>>,
    pub(crate) clock: Cell<f64>,
    pub(crate) tick: f64,
}

impl Surroundings for Page {
    fn now(&self) -> f64 {
        self.clock.set(self.clock.get() + self.tick);
        self.clock.get()
    }

    fn reply(&self, reply: &Reply) {
        let arrived = sent(reply);
        assert_eq!(&arrived, reply);
        self.received.borrow_mut().push(arrived);
    }
}

/// The worker's side and the page's side.
pub(crate) struct Talk {
    pub(crate) server: Server,
    pub(crate) page: Page,
}

impl Talk {
    pub(crate) fn new(tick: f64) -> Self {
        let page = Page {
            received: RefCell::default(),
            clock: Cell::default(),
            tick,
        };
        Self {
            server: Server::default(),
            page,
        }
    }

    /// The replies to a request.
    pub(crate) fn ask(&mut self, request: &Request, files: &[&dyn Source]) -> Vec<Reply> {
        let arrived = sent(request);
        assert_eq!(&arrived, request);
        self.tried(&arrived, files).expect("it has the code");
        self.page.received.take()
    }

    /// Whether the server can answer.
    pub(crate) fn tried(
        &mut self,
        request: &Request,
        files: &[&dyn Source],
    ) -> Result<(), MissingCode> {
        self.server.answer(request, files, &self.page)
    }

    /// The only reply to a request.
    pub(crate) fn asked(&mut self, request: &Request, files: &[&dyn Source]) -> Reply {
        let mut replies = self.ask(request, files);
        assert_eq!(replies.len(), 1, "{request:?}: {replies:?}");
        replies.remove(0)
    }

    pub(crate) fn open(&mut self, id: u32, file: &dyn Source) -> Reply {
        self.open_all(id, &[("file", file)])
    }

    /// Several files as one document, each with what the person calls it.
    pub(crate) fn open_all(&mut self, id: u32, files: &[(&str, &dyn Source)]) -> Reply {
        let names = files.iter().map(|(name, _)| (*name).to_owned()).collect();
        let files: Vec<&dyn Source> = files.iter().map(|(_, file)| *file).collect();
        self.asked(
            &Request::Open {
                id,
                case: CaseId(0),
                names,
                columns: Columns::default(),
                range: None,
                text: None,
            },
            &files,
        )
    }

    pub(crate) fn prepared(&mut self, id: u32, bindings: Bindings) -> Prepared {
        let settings = Settings::default();
        let request = Request::Prepare {
            case: CaseId(0),
            id,
            bindings,
            settings,
        };
        match self.asked(&request, &[]) {
            Reply::Prepared {
                id: answered,
                prepared,
            } if answered == id => *prepared.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn planned(&mut self, id: u32, strategy: Strategy) -> Planned {
        let mut replies = self.ask(&plan_with(id, strategy), &[]);
        match replies.pop() {
            Some(Reply::Planned {
                id: answered,
                planned,
            }) if answered == id => *planned.unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

/// A request for a plan in one pool without a limit, by usual effort.
pub(crate) fn plan_with(id: u32, strategy: Strategy) -> Request {
    Request::Plan {
        case: CaseId(0),
        id,
        strategy,
        pools: Vec::new(),
        effort: Effort::DEFAULT,
    }
}

pub(crate) fn trace_with(id: u32, strategy: Strategy) -> Request {
    Request::Trace {
        case: CaseId(0),
        id,
        strategy,
        pools: Vec::new(),
        effort: Effort::DEFAULT,
    }
}

pub(crate) fn options() -> Options {
    Options::aligned(Settings::default().alignment)
}
