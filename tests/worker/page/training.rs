//! Training steps: the table is made while the tab is open, a schedule is planned like any
//! program, and links and steps back know it.

use std::sync::Arc;

use conversation::{
    Action, Answer, Event, EvictionFilm, Tab, Timer, TrainingAction, TrainingFound, Where,
};
use planner::graph::Bindings;
use planner::load::load;
use planner::training::devices::Device;
use planner::training::policies::{Pace, keep_all};
use planner::training::stage::{self, NoStep};
use planner::training::table::{At, PolicyTable, Row, parts};
use planner::training::{Policy, Problem, choice, cost};
use planner::{Bytes, Lifetimes, Recipe, Settings, Span, prepare};

use super::browser::Browser;

/// A chain of eight multiplications.
pub(super) const CHAIN: &str = "\
graph chain onnx 17
input x: f32[4, 4]
const w: f32[4, 4]
a = MatMul(x, w)
b = MatMul(a, w)
c = MatMul(b, w)
d = MatMul(c, w)
e = MatMul(d, w)
f = MatMul(e, w)
g = MatMul(f, w)
y = MatMul(g, w)
output y
";

/// Of `batch` samples, as the library makes it.
fn step(batch: u64) -> Problem {
    let (_, document, _) = load(&CHAIN.as_bytes().to_vec()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let graph = subject.graph().expect("a model");
    stage::step(graph, batch, Recipe::default())
        .expect("a step")
        .problem
}

fn at_training() -> Browser {
    let mut browser = Browser::open("");
    browser.give("chain.graph", CHAIN, Where::Instead);
    browser.settle();
    assert_eq!(*found(&browser), TrainingFound::Unasked);
    browser.act(Action::Turn(Tab::TRAINING));
    browser.settle();
    browser
}

fn found(browser: &Browser) -> &TrainingFound {
    &browser.state.case(*browser.state.active).training.found
}

fn there(browser: &Browser) -> Arc<PolicyTable> {
    match found(browser) {
        TrainingFound::There(table) => Arc::clone(table),
        other => panic!("{other:?}"),
    }
}

fn act(browser: &mut Browser, action: TrainingAction) {
    browser.act(Action::Training(action));
    browser.settle();
}

/// The most bytes that are live at once in what is planned.
fn peak(browser: &Browser) -> Option<Bytes> {
    let case = browser.state.case(*browser.state.active);
    let lifetimes = &case.prepared.as_ref()?.subject.lifetimes;
    live(lifetimes).max()
}

fn live(lifetimes: &Lifetimes) -> impl Iterator<Item = Bytes> + '_ {
    (0..lifetimes.horizon.0).map(|step| {
        let now = |span: Span| span.start.0 <= step && step < span.end.0;
        let buffers = lifetimes.buffers.iter().filter(|it| now(it.span));
        Bytes(buffers.map(|it| it.payload.0).sum())
    })
}

#[test]
fn the_table_is_what_the_policies_come_to() {
    let browser = at_training();
    let (table, step) = (there(&browser), step(1));
    assert_eq!(table.rows.len(), Policy::ALL.len());
    assert_eq!(table.minimum, step.minimum().0);
    assert_eq!(table.keep_all, cost::needs(&step, &keep_all(&step)).peak);
    for row in table.rows.iter().chain(&table.points) {
        let own = row.policy.run(&step, row.budget, &mut |_, _| true);
        assert_eq!(row.needs, own.walk.as_ref().map(|_| own.needs), "{row:?}");
        let over = row
            .needs
            .zip(row.budget)
            .is_some_and(|(needs, most)| needs.peak > most);
        assert!(!over, "{row:?}");
    }
    assert!(table.points.iter().any(|row| row.overhead > 1.0));
    // Half of the memory is asked about by itself: no budget of the range is so near it.
    let half = table.keep_all.0 / 2;
    assert!(
        table
            .points
            .iter()
            .any(|row| row.budget == Some(Bytes(half)))
    );
    let before = |at| parts(true).iter().position(|part| part.at == at);
    assert!(before(At::Half) < before(At::Notch(0)));
    // However the parts come in, they are the same table.
    let mut backwards = PolicyTable::default();
    for part in parts(true).iter().rev() {
        backwards.add(planner::training::table::table(&step, None, part));
    }
    assert_eq!(backwards.rows, table.rows);
    let sorted = |points: &[Row]| {
        let mut all: Vec<_> = points.iter().map(|it| (it.policy, it.needs)).collect();
        all.sort_by_key(|(policy, needs)| (*policy, needs.map(|it| (it.peak, it.cost))));
        all
    };
    assert_eq!(sorted(&backwards.points), sorted(&table.points));
}

#[test]
fn another_budget_keeps_the_range_and_asks_for_the_rows_first() {
    let mut browser = at_training();
    let before = there(&browser);
    let least = before.minimum;
    browser.act(Action::Training(TrainingAction::Budget(Some(least))));
    // One answer of the worker is enough for the quick ones.
    while there(&browser).rows.iter().any(|row| row.budget.is_none()) {
        let event = browser.reply().expect("the worker answers");
        browser.take(event);
    }
    let quick = there(&browser);
    let paced = |row: &Row| row.policy.pace() == Pace::Quick;
    assert!(quick.rows.iter().all(paced));
    assert_eq!(quick.points, before.points);
    let parts = *browser.state.case(*browser.state.active).training.parts;
    assert!(parts.0 < parts.1, "{parts:?}");
    browser.act(Action::Training(TrainingAction::Stop));
    browser.settle();
    assert_eq!(there(&browser).rows, quick.rows);
    browser.act(Action::Training(TrainingAction::Budget(None)));
    browser.settle();
    assert_eq!(there(&browser), before);
}

#[test]
fn a_schedule_is_planned_and_the_model_comes_back() {
    let mut browser = at_training();
    let model = peak(&browser);
    let step = step(4);
    act(&mut browser, TrainingAction::Batch(4));
    assert_eq!(peak(&browser), model);
    act(&mut browser, TrainingAction::Plan(Some(Policy::SqrtN)));
    let own = Policy::SqrtN.run(&step, None, &mut |_, _| true).needs.peak;
    assert_eq!(peak(&browser), Some(own));
    let (link, _) = browser.history.last().expect("an address");
    assert!(link.contains("train=sqrt_n,4"), "{link}");
    browser.back();
    browser.settle();
    assert_eq!(peak(&browser), model);
}

#[test]
fn a_budget_below_every_schedule_is_said() {
    let mut browser = at_training();
    act(&mut browser, TrainingAction::Plan(Some(Policy::KeepAll)));
    let least = there(&browser).minimum;
    act(
        &mut browser,
        TrainingAction::Budget(Some(Bytes(least.0 - 1))),
    );
    let table = there(&browser);
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.needs.is_none() && row.why.is_some())
    );
    // Of the range nothing is lost.
    assert!(!table.points.is_empty());
    let case = browser.state.case(*browser.state.active);
    let trained = case
        .prepared
        .as_ref()
        .and_then(|it| it.subject.trained.clone());
    let Some(Ok(row)) = trained else {
        panic!("{trained:?}");
    };
    assert_eq!((row.policy, row.needs), (Policy::KeepAll, None));
    assert_eq!(peak(&browser), None);
    act(&mut browser, TrainingAction::Budget(None));
    assert!(peak(&browser).is_some());
}

#[test]
fn what_is_no_model_has_no_step() {
    let mut browser = Browser::open("");
    browser.give("p.csv", "name,lower,upper,size\na,0,2,64\n", Where::Instead);
    browser.settle();
    browser.act(Action::Turn(Tab::TRAINING));
    browser.settle();
    assert_eq!(*found(&browser), TrainingFound::Nothing(NoStep::NoModel));
}

/// Three calls, each of which reads the one before; the second tensor is read again at the end.
const LOG: &str = r#"{"INSTRUCTION":"CONSTANT","NAME":"x"}
{"INSTRUCTION":"MEMORY","NAME":"x","MEMORY":"8"}
{"INSTRUCTION":"CALL","NAME":"f","ARGS":["x"],"RESULT":["a"],"TIME":"5"}
{"INSTRUCTION":"MEMORY","NAME":"a","MEMORY":"16"}
{"INSTRUCTION":"ALIAS","NAME":"a","ALIAS":"-1"}
{"INSTRUCTION":"CALL","NAME":"g","ARGS":["a"],"RESULT":["b"],"TIME":"7"}
{"INSTRUCTION":"MEMORY","NAME":"b","MEMORY":"16"}
{"INSTRUCTION":"ALIAS","NAME":"b","ALIAS":"-1"}
{"INSTRUCTION":"CALL","NAME":"g","ARGS":["b"],"RESULT":["c"],"TIME":"7"}
{"INSTRUCTION":"MEMORY","NAME":"c","MEMORY":"16"}
{"INSTRUCTION":"ALIAS","NAME":"c","ALIAS":"-1"}
{"INSTRUCTION":"RELEASE","NAME":"b"}
{"INSTRUCTION":"CALL","NAME":"h","ARGS":["a","c"],"RESULT":["d"],"TIME":"3"}
{"INSTRUCTION":"MEMORY","NAME":"d","MEMORY":"4"}
{"INSTRUCTION":"ALIAS","NAME":"d","ALIAS":"-1"}
{"INSTRUCTION":"RELEASE","NAME":"a"}
{"INSTRUCTION":"RELEASE","NAME":"c"}
"#;

#[test]
fn a_log_is_opened_and_played_under_a_budget() {
    let mut browser = Browser::open("");
    browser.give("a.log", LOG, Where::Instead);
    browser.settle();
    // What is always there, and a, b and c.
    assert_eq!(peak(&browser), Some(Bytes(8 + 3 * 16)));
    browser.act(Action::Turn(Tab::TRAINING));
    browser.settle();
    let table = there(&browser);
    assert!(table.log);
    assert_eq!((table.nodes, table.fixed, table.base), (5, Bytes(8), 22));
    // The last call reads a and c.
    assert_eq!(table.minimum, Bytes(8 + 16 + 16 + 4));
    assert_eq!(table.keep_all, Bytes(8 + 3 * 16));
    for row in &table.rows {
        let live = row.policy.evictor().is_some();
        assert_eq!(row.needs.is_some(), live, "{row:?}");
    }
    let dtr = Policy::Live(planner::training::dtr::Heuristic::Dtr);
    let open = TrainingAction::Open(dtr, Some(Bytes(44)));
    act(&mut browser, open);
    assert_eq!(peak(&browser), Some(Bytes(44)));
    let row = there(&browser)
        .rows
        .iter()
        .find(|row| row.policy == dtr)
        .cloned();
    // Of a it is known how to make it again, for 5.
    let cost = row.and_then(|row| row.needs).map(|needs| needs.cost);
    assert_eq!(cost, Some(22 + 5));
    browser.back();
    browser.settle();
    assert_eq!(peak(&browser), Some(Bytes(56)));
}

/// The log, its tab open.
fn with_log() -> Browser {
    let mut browser = Browser::open("");
    browser.give("a.log", LOG, Where::Instead);
    browser.settle();
    browser.act(Action::Turn(Tab::TRAINING));
    browser.settle();
    browser
}

#[test]
fn evictions_are_told_one_by_one() {
    let mut browser = with_log();
    let dtr = Policy::Live(planner::training::dtr::Heuristic::Dtr);
    act(&mut browser, TrainingAction::Explain(true));
    act(&mut browser, TrainingAction::Open(dtr, Some(Bytes(44))));
    let told = |browser: &Browser| {
        let case = browser.state.case(*browser.state.active);
        let Answer::There(found) = &*case.training.evictions.found else {
            panic!("{:?}", case.training.evictions);
        };
        let named = found.list.iter().map(|it| {
            let chosen = it.pool[it.chosen].name.clone();
            (it.name.clone(), it.ran, chosen)
        });
        named.collect::<Vec<_>>()
    };
    // The second g makes c: of a and b only a is not read by it. It is back for h, when b is gone.
    let first = told(&browser);
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!((first[0].0.as_str(), first[0].2.as_str()), ("g", "a"));
    // x, f and g have run.
    assert_eq!(first[0].1, 3);
    act(&mut browser, TrainingAction::Budget(None));
    assert_eq!(told(&browser), []);
    act(&mut browser, TrainingAction::Eviction(7));
    act(&mut browser, TrainingAction::Budget(Some(Bytes(44))));
    act(&mut browser, TrainingAction::Rest);
    assert_eq!(told(&browser), first);
    let case = browser.state.case(*browser.state.active);
    assert_eq!(*case.training.eviction, 0);
}

/// While the budget slides only what is quick is made, and the rest once it rests.
#[test]
fn searches_wait_until_the_budget_rests() {
    let mut browser = at_training();
    let rows = |browser: &Browser| -> Vec<Policy> {
        let case = browser.state.case(*browser.state.active);
        let TrainingFound::There(table) = &*case.training.found else {
            panic!("{:?}", case.training.found);
        };
        table.rows.iter().map(|row| row.policy).collect()
    };
    assert_eq!(rows(&browser), Policy::ALL);
    let minimum = step(1).minimum().0;
    act(&mut browser, TrainingAction::Budget(Some(minimum)));
    let quick = Policy::ALL
        .into_iter()
        .filter(|it| it.pace() == Pace::Quick);
    assert_eq!(rows(&browser), quick.collect::<Vec<_>>());
    act(&mut browser, TrainingAction::Rest);
    assert_eq!(rows(&browser), Policy::ALL);
}

#[test]
fn choices_are_read_as_they_are_written() {
    for policy in Policy::ALL {
        for budget in [None, Some(Bytes(0)), Some(Bytes(u64::MAX))] {
            let chosen = choice::of(policy, 7, budget, Recipe::default());
            assert_eq!(choice::parse(&choice::text(chosen)), Some(chosen));
            assert_eq!(choice::policy(chosen), policy);
        }
    }
    for wrong in [
        "",
        "dtr",
        "dtr,0",
        "dtr,-1",
        "dtr,1,",
        "dtr,1,2,3",
        "nobody,1",
        "dtr,18446744073709551616",
    ] {
        assert_eq!(choice::parse(wrong), None, "{wrong}");
    }
}

/// The picture goes as far as each eviction, and what is evicted is selected.
#[test]
fn evictions_are_a_film() {
    let mut browser = with_log();
    let dtr = Policy::Live(planner::training::dtr::Heuristic::Dtr);
    act(&mut browser, TrainingAction::Explain(true));
    act(&mut browser, TrainingAction::Open(dtr, Some(Bytes(44))));
    fn case(browser: &Browser) -> &conversation::Case {
        browser.state.case(*browser.state.active)
    }
    assert_eq!(*case(&browser).training.until, None);
    act(&mut browser, TrainingAction::Film(EvictionFilm::Plays));
    // x, f and g have run before a is evicted.
    assert_eq!(case(&browser).training.until.map(|it| it.0), Some(3));
    let selected = case(&browser).selected.expect("what is evicted");
    let buffers = &case(&browser).lifetimes().expect("a plan").buffers;
    assert_eq!(buffers[selected].name, "a");
    assert_eq!(buffers[selected].span.end.0, 3);
    // It is the only one, so that the film stands at its end.
    let timer = browser.timers.back().cloned().expect("a timer");
    assert!(matches!(timer, Timer::Eviction(..)), "{timer:?}");
    browser.take(Event::Elapsed(timer));
    assert_eq!(*case(&browser).training.film, EvictionFilm::Stands);
    act(&mut browser, TrainingAction::Film(EvictionFilm::Off));
    assert_eq!(*case(&browser).training.until, None);
    act(&mut browser, TrainingAction::Film(EvictionFilm::Plays));
    browser.act(Action::Turn(Tab::FILM));
    browser.settle();
    assert_eq!(*case(&browser).training.until, None);
}

#[test]
fn a_device_sets_the_budget_until_another_is_chosen() {
    let mut browser = at_training();
    act(&mut browser, TrainingAction::Plan(Some(Policy::SqrtN)));
    let device = |memory| Device {
        flops: 1_000,
        products: 1_000,
        memory: Bytes(memory),
        link: 10,
        peers: 0,
        network: 0,
    };
    let chosen = |browser: &Browser| {
        let case = browser.state.case(*browser.state.active);
        (
            *case.training.chosen,
            case.settings.training.and_then(|it| it.budget),
        )
    };
    let fixed = there(&browser).fixed;
    act(&mut browser, TrainingAction::Device(Some(device(4_096))));
    let left = Some(Bytes(4_096 - fixed.0));
    let (step, planned) = chosen(&browser);
    assert_eq!((step.budget, planned), (left, left));
    let case = browser.state.case(*browser.state.active);
    let Answer::There(batches) = &*case.training.batches.found else {
        panic!("{:?}", case.training.batches);
    };
    let (_, document, _) = load(&CHAIN.as_bytes().to_vec()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let graph = subject.graph().expect("a model");
    let own = planner::training::devices::batches(graph, Recipe::default(), Bytes(4_096));
    assert_eq!(Ok(**batches), own);
    // With more that is fixed less is left, and a batch keeps the budget.
    let recipe = Recipe {
        optimizer: planner::Optimizer::Adam,
        ..Recipe::default()
    };
    act(&mut browser, TrainingAction::Recipe(recipe));
    let fixed = there(&browser).fixed;
    assert_eq!(chosen(&browser).0.budget, Some(Bytes(4_096 - fixed.0)));
    act(&mut browser, TrainingAction::Batch(2));
    assert_eq!(chosen(&browser).0.budget, Some(Bytes(4_096 - fixed.0)));
    // Another budget is another budget.
    act(&mut browser, TrainingAction::Budget(Some(Bytes(1_000))));
    act(&mut browser, TrainingAction::Rest);
    assert_eq!(chosen(&browser).0.budget, Some(Bytes(1_000)));
    act(&mut browser, TrainingAction::Device(None));
    assert_eq!(chosen(&browser).0.budget, None);
}

#[test]
fn advice_is_told_of_the_step_that_is_chosen() {
    let mut browser = at_training();
    let found = |browser: &Browser| {
        let case = browser.state.case(*browser.state.active);
        match &*case.training.switches.found {
            Answer::There(rows) => Some(Arc::clone(rows)),
            _ => None,
        }
    };
    assert_eq!(found(&browser), None);
    act(&mut browser, TrainingAction::Switches(true));
    let first = found(&browser).expect("rows");
    act(&mut browser, TrainingAction::Batch(3));
    let second = found(&browser).expect("rows");
    assert_ne!(first, second);
    let (_, document, _) = load(&CHAIN.as_bytes().to_vec()).expect("a graph");
    let subject = prepare(&document, &Bindings::new(), &Settings::default()).expect("sizes");
    let graph = subject.graph().expect("a model");
    let own = planner::training::switches::switches(graph, 3, Recipe::default());
    assert_eq!(*second, own);
    act(&mut browser, TrainingAction::Switches(false));
    assert_eq!(found(&browser), None);
}
