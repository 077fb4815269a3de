//! A page without a browser: the reducer, a real worker that answers it, and a browser that does
//! what the reducer asks for, or does not.

use conversation::CaseAction;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use conversation::{
    Action, Case, Column, Content, Effect, Event, Given, Memory, Notice, Sample, State, Tab, Timer,
    Where, begin, update,
};
use planner::load::Source;
use worker::{CaseId, Reply, Request, Server, Surroundings};

/// The tabs of this page.
pub(crate) const TABS: [Tab; 10] = [
    Tab::COMPARE,
    Tab::WASTE,
    Tab::GRAPH,
    Tab::SWEEP,
    Tab::STAGES,
    Tab::FILM,
    Tab::DIFFERENCES,
    Tab::RUN,
    Tab::NOTES,
    Tab("another"),
];

/// The samples that come with this page.
const SAMPLES: &str = r#"[
    {"id": "blazeface", "group": "problem", "file": "first.csv", "bind": {},
     "title": {"en": "First", "zh": "一"}, "about": {"en": "", "zh": ""}},
    {"id": "second", "group": "deployed", "file": "second.csv", "bind": {},
     "title": {"en": "Second", "zh": "二"}, "about": {"en": "", "zh": ""}},
    {"id": "third", "group": "problem", "file": "first.csv", "bind": {}, "show": ["xnnpack", "best"],
     "title": {"en": "Third", "zh": "三"}, "about": {"en": "", "zh": ""}}
]"#;

/// Three buffers: 100 and 80 meet, then 80 and 60.
pub(crate) const FIRST: &str = "id,lower,upper,size\na,0,2,100\nb,1,3,80\nc,2,4,60\n";

/// A deployed plan of 240 bytes where 180 are enough.
pub(crate) const SECOND: &str =
    "id,lower,upper,size,offset\na,0,2,100,0\nb,1,3,80,100\nc,2,4,60,180\nd,3,5,90,0\n";

/// What the worker says, until it is taken.
#[derive(Default)]
struct Replies(RefCell<VecDeque<Event>>);

impl Surroundings for Replies {
    fn now(&self) -> f64 {
        0.0
    }

    fn reply(&self, reply: &Reply) {
        // Every message goes through postcard on its way, as between two threads.
        let bytes = postcard::to_allocvec(reply).expect("it is encoded");
        let arrived = postcard::from_bytes(&bytes).expect("it is decoded");
        let event = Event::Worker(Box::new(arrived));
        self.0.borrow_mut().push_back(event);
    }
}

/// The page.
pub(crate) struct Browser {
    pub(crate) state: State,
    server: Option<Server>,
    replies: Replies,
    files: BTreeMap<u32, Vec<u8>>,
    fetches: VecDeque<(u32, String)>,
    pub(crate) timers: VecDeque<Timer>,
    /// What the address bar says, and the entries before it.
    pub(crate) history: Vec<(String, Vec<u32>)>,
    /// Requests to the worker, of this life and earlier ones.
    pub(crate) asked: Vec<Request>,
    /// Requests to the runner, which answers nothing here, with the files that go with them.
    pub(crate) runs: Vec<(runner::Request, Vec<Content>)>,
    /// Events that wait for the whole reducer; `None` once it is there.
    early: Option<VecDeque<Event>>,
}

impl Browser {
    /// A page at an address, before anything has answered.
    pub(crate) fn at(address: &str) -> Self {
        Self::made(address, None)
    }

    /// The same with only what the first picture needs.
    pub(crate) fn early(address: &str) -> Self {
        Self::made(address, Some(VecDeque::new()))
    }

    /// The whole reducer is there: what waits is taken.
    pub(crate) fn complete(&mut self) {
        let waiting = self.early.take().unwrap_or_default();
        for event in waiting.into_iter().chain([Event::Whole]) {
            self.take(event);
        }
    }

    fn made(address: &str, early: Option<VecDeque<Event>>) -> Self {
        let samples: Vec<Sample> = serde_json::from_str(SAMPLES).expect("samples");
        let mut browser = Self {
            state: State::new(samples, Memory::default(), &TABS),
            server: None,
            replies: Replies::default(),
            files: BTreeMap::new(),
            fetches: VecDeque::new(),
            timers: VecDeque::new(),
            history: vec![(address.to_owned(), Vec::new())],
            asked: Vec::new(),
            runs: Vec::new(),
            early,
        };
        browser.take(Event::Visited(address.to_owned(), Vec::new()));
        browser
    }

    /// The same, once everything has answered.
    pub(crate) fn open(address: &str) -> Self {
        let mut browser = Self::at(address);
        browser.settle();
        browser
    }

    /// A file that a person gives.
    pub(crate) fn file(&mut self, name: &str, bytes: impl AsRef<[u8]>) -> Given {
        let bytes = bytes.as_ref();
        let number = u32::try_from(self.files.len()).expect("few files");
        self.files.insert(number, bytes.to_vec());
        Given {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            content: Content::Blob(number),
        }
    }

    pub(crate) fn give(&mut self, name: &str, bytes: impl AsRef<[u8]>, at: Where) {
        let file = self.file(name, bytes);
        self.act(CaseAction::OpenFiles(vec![file], at));
    }

    pub(crate) fn act(&mut self, action: impl Into<Action>) {
        self.take(Event::Act(None, action.into()));
    }

    pub(crate) fn act_in(&mut self, case: CaseId, action: impl Into<Action>) {
        self.take(Event::Act(Some(case), action.into()));
    }

    pub(crate) fn take(&mut self, event: Event) {
        let effects = match &mut self.early {
            None => update(&mut self.state, event),
            Some(waiting) if !waiting.is_empty() => {
                waiting.push_back(event);
                return;
            }
            Some(waiting) => match begin(&mut self.state, event) {
                Ok(effects) => effects,
                Err(event) => {
                    waiting.push_back(event);
                    return;
                }
            },
        };
        for effect in effects {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Ask(request, files) => self.answer(*request, &files),
            Effect::EndWorker => {
                self.server = None;
                self.replies.0.borrow_mut().clear();
            }
            Effect::Ping => {
                let mut replies = self.replies.0.borrow_mut();
                replies.push_back(Event::WorkerHere);
            }
            Effect::Fetch(number, file) => self.fetches.push_back((number, file)),
            Effect::After(_, timer) => self.timers.push_back(timer),
            Effect::Write {
                fragment,
                visits,
                entry,
            } => {
                if !entry {
                    self.history.pop();
                }
                self.history.push((fragment, visits));
            }
            Effect::AskRunner(request, files) => self.runs.push((*request, files)),
            // Nothing here answers these.
            Effect::Learn { .. }
            | Effect::EndRunner
            | Effect::CountSecond(_)
            | Effect::ProbeGpu
            | Effect::Feed { .. }
            | Effect::Remember(_)
            | Effect::Copy(_)
            | Effect::Join { .. } => {}
        }
    }

    fn answer(&mut self, request: Request, files: &[Content]) {
        let sent = postcard::to_allocvec(&request).expect("it is encoded");
        let request: Request = postcard::from_bytes(&sent).expect("it is decoded");
        self.asked.push(request.clone());
        let bytes: Vec<Vec<u8>> = files.iter().map(|file| self.bytes(file)).collect();
        let files: Vec<&dyn Source> = bytes.iter().map(|file| file as &dyn Source).collect();
        let server = self.server.get_or_insert_default();
        let before = self.replies.0.borrow().len();
        let closes = matches!(request, Request::Close { .. } | Request::Zeros { .. });
        server
            .answer(&request, &files, &self.replies)
            .expect("it can do everything");
        // The page asks nothing that the worker cannot answer.
        let answered = self.replies.0.borrow().len() > before;
        assert!(answered || closes, "{:?}", self.asked.last());
    }

    fn bytes(&self, content: &Content) -> Vec<u8> {
        match content {
            Content::Blob(number) => self.files[number].clone(),
            Content::Text(text) => text.as_bytes().to_vec(),
            Content::Bytes(bytes) => bytes.to_vec(),
        }
    }

    /// The next that the worker says, if there is anything.
    pub(crate) fn reply(&mut self) -> Option<Event> {
        self.replies.0.borrow_mut().pop_front()
    }

    /// The sample that was asked for arrives.
    pub(crate) fn fetch(&mut self) -> bool {
        let Some((number, file)) = self.fetches.pop_front() else {
            return false;
        };
        let text = if file == "first.csv" { FIRST } else { SECOND };
        let given = self.file(&file, text);
        self.take(Event::Fetched(number, Ok(given)));
        true
    }

    /// Everything answers, in order, until nothing is asked any longer.
    pub(crate) fn settle(&mut self) {
        for _ in 0..2_000 {
            if let Some(event) = self.reply() {
                self.take(event);
            } else if !self.fetch() {
                return;
            }
        }
        panic!(
            "it never ends: {:?}",
            self.asked.iter().rev().take(8).collect::<Vec<_>>()
        );
    }

    /// Goes back in the history.
    pub(crate) fn back(&mut self) {
        if self.history.len() > 1 {
            self.history.pop();
        }
        let (address, visits) = self.history.last().cloned().expect("an entry");
        self.take(Event::Visited(address, visits));
    }

    /// The cases whose panes are seen.
    pub(crate) fn cases(&self) -> Vec<&Case> {
        self.state.shown().collect()
    }

    pub(crate) fn ids(&self) -> Vec<CaseId> {
        self.state.shown().map(|case| case.id).collect()
    }

    /// What is open, by name.
    pub(crate) fn names(&self) -> Vec<String> {
        let files = self.state.shown().filter_map(|case| case.file.as_ref());
        files.map(|file| file.name.clone()).collect()
    }

    pub(crate) fn notice(&self) -> Option<Notice> {
        self.state.page.notice.clone()
    }

    /// The arena of a column of a case.
    pub(crate) fn arena(&self, case: CaseId, column: Column) -> Option<u64> {
        let planned = self.state.case(case).planned(column)?;
        Some(planned.judged.plan.arena.0)
    }
}
