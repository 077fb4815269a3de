//! Zeros of ReLUs: a run counts them, and the packed step that is planned takes them.

use std::cell::RefCell;
use std::sync::Arc;

use conversation::{
    Action, CaseAction, Counting, Event, Feeding, Tab, TextAction, TrainingAction, Where,
};
use planner::training::{Gist, Policy, Recipe};
use runner::{Failure, Reply, Request, Server, Surroundings};

use super::browser::Browser;

/// A ReLU of 1024 elements that a convolution reads.
const TEXT: &str = "graph net onnx 17\ninput x: f32[1, 4, 16, 16]\nconst w: f32[4, 4, 3, 3]\n\
    a = Relu(x)\nb = Conv(a, w) pads=[1, 1, 1, 1]\ny = Sigmoid(b)\noutput y\n";

/// What is not zero takes 5 bytes, and each of 4 rows of 256, with the end of the last, 4.
const fn packed(left: u64) -> u64 {
    left * 5 + 5 * 4
}

#[derive(Default)]
struct Page(RefCell<Vec<Reply>>);

impl Surroundings for Page {
    fn now(&self) -> f64 {
        0.0
    }

    fn reply(&self, reply: &Reply) {
        self.0.borrow_mut().push(reply.clone());
    }
}

fn act(browser: &mut Browser, action: TrainingAction) {
    browser.act(Action::Training(action));
    browser.settle();
}

fn recipe(words: &str) -> TrainingAction {
    TrainingAction::Recipe(Recipe::parse(words).expect("a recipe"))
}

/// A page that plans the packed step; a quarter of the elements that are fed are positive.
fn page(words: &str) -> Browser {
    let mut browser = Browser::open("");
    browser.give("net.graph", TEXT, Where::Instead);
    browser.settle();
    let fed = (0..1024).flat_map(|at| if at % 4 == 0 { 2.5_f32 } else { -1.0 }.to_le_bytes());
    let fed = Feeding::File("x.bin".to_owned(), Arc::new(fed.collect()));
    browser.take(Event::Fed(*browser.state.active, 0, fed));
    browser.act(Action::Turn(Tab::TRAINING));
    browser.settle();
    act(&mut browser, recipe(words));
    act(&mut browser, TrainingAction::Plan(Some(Policy::KeepAll)));
    browser
}

/// Bytes of the packed ReLU in what is planned.
fn planned(browser: &Browser) -> u64 {
    let prepared = browser.state.active().prepared.clone().expect("a step");
    let buffers = &prepared.subject.lifetimes.buffers;
    let found = buffers.iter().find(|it| it.name == "Relu_0.packed");
    found.expect("it is packed").payload.0
}

fn gist(browser: &Browser) -> Gist {
    browser.state.active().training.chosen.recipe.gist
}

fn shares(browser: &Browser) -> Option<Vec<(String, u16)>> {
    let zeros = browser.state.active().training.zeros.clone()?;
    Some(zeros.shares.clone().into_iter().collect())
}

/// What the runner says of its latest question, the answer last.
fn answers(browser: &Browser) -> Vec<Reply> {
    let (request, _) = browser.runs.last().expect("a question").clone();
    let page = Page::default();
    let file = TEXT.as_bytes().to_vec();
    pollster::block_on(Server::default().answer(request, Some(&file), &page));
    page.0.take()
}

fn hear(browser: &mut Browser, replies: Vec<Reply>) {
    for reply in replies {
        browser.take(Event::Runner(Box::new(reply)));
    }
    browser.settle();
}

/// A page on which they are counted.
fn counted() -> Browser {
    let mut browser = page("sparse");
    assert_eq!(planned(&browser), packed(512));
    act(&mut browser, TrainingAction::Count(true));
    let replies = answers(&browser);
    hear(&mut browser, replies);
    browser
}

#[test]
fn what_a_run_counts_is_what_the_packed_step_takes() {
    let mut browser = counted();
    let relu = |share| Some(vec![("Relu_0".to_owned(), share)]);
    assert_eq!(shares(&browser), relu(750));
    assert!(gist(&browser).measured);
    assert_eq!(planned(&browser), packed(256));
    let (link, _) = browser.history.last().expect("an address").clone();
    assert!(link.contains("sparse+zeros=measured"), "{link}");
    // A number by hand, and back.
    act(&mut browser, recipe("sparse+zeros=1000"));
    assert_eq!(planned(&browser), packed(0));
    act(&mut browser, recipe("sparse+zeros=1000+zeros=measured"));
    assert_eq!(planned(&browser), packed(256));
    // A worker that is started anew has them, too.
    browser.take(Event::WorkerDied(planner::Message::verbatim("gone")));
    browser.settle();
    act(&mut browser, recipe("sparse+zeros=measured"));
    assert_eq!(planned(&browser), packed(256));
    // So does the same document beside it.
    browser.act(CaseAction::Duplicate);
    browser.settle();
    assert_eq!(browser.cases().len(), 2);
    assert_eq!(
        (shares(&browser), planned(&browser)),
        (relu(750), packed(256))
    );
    // Counted once more with other elements, the plan follows though no word changes.
    let fed = Feeding::File("y.bin".to_owned(), Arc::new(vec![0; 4096]));
    browser.take(Event::Fed(*browser.state.active, 0, fed));
    act(&mut browser, TrainingAction::Count(true));
    let replies = answers(&browser);
    hear(&mut browser, replies);
    assert_eq!(
        (shares(&browser), planned(&browser)),
        (relu(1000), packed(0))
    );
}

#[test]
fn a_refused_or_cancelled_run_leaves_what_was_there() {
    let mut browser = counted();
    let before = (shares(&browser), planned(&browser));
    act(&mut browser, TrainingAction::Count(true));
    let Some((Request::Zeros { id, .. }, _)) = browser.runs.last() else {
        panic!("{:?}", browser.runs.last());
    };
    let failure = Failure::Unfetched;
    let failed = Reply::Failed { id: *id, failure };
    let counting = |browser: &Browser| browser.state.active().training.counting.clone();
    assert_eq!(counting(&browser), Counting::Runs(None));
    hear(&mut browser, vec![failed]);
    assert!(matches!(counting(&browser), Counting::Failed(_)));
    assert_eq!((shares(&browser), planned(&browser)), before);
    // Cancelled, its answer is not heard.
    browser.take(Event::Fed(*browser.state.active, 0, Feeding::Seeded));
    act(&mut browser, TrainingAction::Count(true));
    let replies = answers(&browser);
    act(&mut browser, TrainingAction::Count(false));
    hear(&mut browser, replies);
    assert_eq!(counting(&browser), Counting::Rests);
    assert_eq!((shares(&browser), planned(&browser)), before);
}

#[test]
fn without_a_run_the_number_by_hand_holds() {
    let mut browser = page("sparse+zeros=250+zeros=measured");
    assert_eq!((shares(&browser), planned(&browser)), (None, packed(768)));
    assert!(gist(&browser).measured);
    act(&mut browser, TrainingAction::Count(true));
    let replies = answers(&browser);
    hear(&mut browser, replies);
    assert_eq!(planned(&browser), packed(256));
    // Another graph was not run.
    let text = TEXT.replace("Sigmoid", "Tanh");
    browser.act(Action::Text(TextAction::Type(text.into())));
    while let Some(timer) = browser.timers.pop_front() {
        browser.take(Event::Elapsed(timer));
        browser.settle();
    }
    assert_eq!((shares(&browser), planned(&browser)), (None, packed(768)));
}
