//! Stages: found while their tab is open, one of them in view, each found rewrite leading to its
//! tensors.

use std::sync::Arc;

use conversation::{Action, Answer, Column, Event, Setting, StagesAction, Tab, Where};
use planner::stages::Staged;
use planner::{Strategy, passes};
use worker::Reply;

use super::browser::Browser;

const BEST: Column = Column::Strategy(Strategy::Best);

/// Tensors of 64 bytes; x and y lie with the caller, so that t, u and e are planned.
const CHAIN: &str = "\
graph chain onnx 17
input x: f32[4, 4]
const w: f32[4, 4]
t = MatMul(x, w)
u = Relu(t)
e = Exp(u)
y = Neg(e)
output y
";

fn at_stages(passes: &str) -> Browser {
    let mut browser = Browser::open("");
    browser.give("chain.graph", CHAIN, Where::Instead);
    browser.settle();
    choose(&mut browser, passes);
    assert_eq!(*found(&browser), Answer::Unasked);
    browser.act(Action::Turn(Tab::STAGES));
    browser
}

fn choose(browser: &mut Browser, names: &str) {
    let passes = passes::parse(names).expect("passes");
    browser.act(Setting::Passes(passes));
    browser.settle();
}

fn found(browser: &Browser) -> &Answer<Staged> {
    &browser.state.case(*browser.state.active).stages.found
}

fn there(browser: &Browser) -> Arc<Staged> {
    match found(browser) {
        Answer::There(staged) => Arc::clone(staged),
        other => panic!("{other:?}"),
    }
}

/// Names, arenas and allocations.
fn rows(browser: &Browser) -> Vec<(&'static str, u64, u64)> {
    let staged = there(browser);
    let row = |row: &planner::stages::StageRow| {
        let arena = row.arena.as_ref().expect("a plan").0;
        (row.name(), arena, row.figures.allocations)
    };
    staged.rows.iter().map(row).collect()
}

fn names(browser: &Browser) -> Vec<String> {
    let case = browser.state.case(*browser.state.active);
    let buffers = &case.lifetimes().expect("prepared").buffers;
    buffers.iter().map(|buffer| buffer.name.clone()).collect()
}

#[test]
fn every_chosen_pass_is_a_row_and_each_can_be_looked_at() {
    let mut browser = at_stages("");
    assert_eq!(*found(&browser), Answer::Working(0, 0));
    browser.settle();
    // Two of t, u and e are live at once.
    assert_eq!(rows(&browser), [("model", 128, 3)]);
    // Without t, u and e are still live at once; then e lies on u.
    choose(&mut browser, "fusion=activations,in_place");
    let expected = [("model", 128, 3), ("fusion", 128, 2), ("in_place", 64, 1)];
    assert_eq!(rows(&browser), expected);
    let case = *browser.state.active;
    assert_eq!(browser.arena(case, BEST), Some(64));
    // An earlier stage is planned, drawn and linked; the table is not made anew for it.
    let before = there(&browser);
    for row in &before.rows {
        browser.act(Setting::Until(Some(row.until())));
        browser.settle();
        let arena = row.arena.as_ref().expect("a plan").0;
        assert_eq!(browser.arena(case, BEST), Some(arena), "{}", row.name());
    }
    assert!(Arc::ptr_eq(&before, &there(&browser)));
    browser.act(Setting::Until(Some(before.rows[0].until())));
    browser.settle();
    assert_eq!(names(&browser), ["t", "u", "e"]);
    let (link, _) = browser.history.last().expect("an address").clone();
    assert!(link.contains("&stage=fold"), "{link}");
    let again = Browser::open(&link.replace("file=chain.graph", "sample=blazeface"));
    let settings = *again.state.case(*again.state.active).settings;
    assert_eq!(settings.until, Some(before.rows[0].until()));
    // Back is the stage before, and another choice of passes shows all of it.
    browser.back();
    browser.settle();
    assert_eq!(browser.arena(case, BEST), Some(64));
    browser.act(Setting::Until(Some(before.rows[0].until())));
    choose(&mut browser, "fusion=activations");
    assert_eq!(names(&browser), ["u", "e"]);
}

#[test]
fn what_was_rewritten_leads_to_the_stage_that_has_it() {
    let mut browser = at_stages("fusion=activations,in_place");
    browser.settle();
    let staged = there(&browser);
    let fusion = &staged.rows[1];
    let gone = &fusion.found[0].tensors[0];
    assert_eq!(
        (gone.as_str(), fusion.found[0].refused.is_none()),
        ("t", true)
    );
    // What is in view is only selected.
    let lead = |tensor: &str| {
        let before = staged.rows[0].until();
        Action::Stages(StagesAction::Lead(tensor.to_owned(), before))
    };
    let selected = |browser: &Browser| {
        let case = browser.state.case(*browser.state.active);
        let name = case.selected.map(|index| names(browser)[index].clone());
        (case.settings.until, name)
    };
    browser.act(lead("e"));
    browser.settle();
    assert_eq!(selected(&browser), (None, Some("e".to_owned())));
    browser.act(lead("t"));
    browser.settle();
    let until = Some(staged.rows[0].until());
    assert_eq!(selected(&browser), (until, Some("t".to_owned())));
}

#[test]
fn a_stage_stands_beside_another() {
    let mut browser = at_stages("fusion=activations,in_place");
    browser.settle();
    let first = there(&browser).rows[0].until();
    browser.act(Action::Stages(StagesAction::Beside(first)));
    browser.settle();
    let cases = browser.cases();
    let until: Vec<Option<u8>> = cases.iter().map(|case| case.settings.until).collect();
    assert_eq!(until, [None, Some(first)]);
    let arenas: Vec<Option<u64>> = browser
        .ids()
        .into_iter()
        .map(|id| browser.arena(id, BEST))
        .collect();
    assert_eq!(arenas, [Some(64), Some(128)]);
}

/// What is a view at one stage and lies by itself at the other is selected in both.
#[test]
fn stages_side_by_side_select_the_same_tensor() {
    let text = CHAIN.replace("e = Exp(u)", "r = Reshape(u, [2, 8])\ne = Exp(r)");
    let mut browser = Browser::open("");
    browser.give("chain.graph", text, Where::Instead);
    browser.settle();
    choose(&mut browser, "views");
    browser.act(Action::Turn(Tab::STAGES));
    browser.settle();
    let first = there(&browser).rows[0].until();
    browser.act(Action::Stages(StagesAction::Beside(first)));
    browser.settle();
    let [after, before] = browser.ids()[..] else {
        panic!("two cases");
    };
    let named = |browser: &Browser, id, name: &str| {
        let buffers = &browser
            .state
            .case(id)
            .lifetimes()
            .expect("prepared")
            .buffers;
        buffers.iter().position(|buffer| buffer.name == name)
    };
    assert_eq!(named(&browser, after, "r"), None);
    let r = named(&browser, before, "r");
    assert!(r.is_some());
    browser.act_in(before, Action::Select(r));
    let selected = |browser: &Browser, id| *browser.state.case(id).selected;
    assert_eq!(selected(&browser, before), r);
    assert_eq!(selected(&browser, after), named(&browser, after, "u"));
}

#[test]
fn it_says_how_far_it_is_and_can_be_stopped() {
    let mut browser = at_stages("fusion=activations,in_place");
    let mut steps = Vec::new();
    while let Some(event) = browser.reply() {
        let told = matches!(&event, Event::Worker(it) if matches!(**it, Reply::Progress { .. }));
        browser.take(event);
        if told {
            steps.push(found(&browser).clone());
        }
        if steps.len() == 2 {
            break;
        }
    }
    assert_eq!(steps, [Answer::Working(0, 3), Answer::Working(1, 3)]);
    browser.act(Action::Stages(StagesAction::Stop));
    browser.settle();
    assert_eq!(*found(&browser), Answer::Stopped);
    browser.act(Action::Stages(StagesAction::Again));
    browser.settle();
    assert_eq!(there(&browser).rows.len(), 3);
}

#[test]
fn a_table_has_no_stages() {
    let mut browser = Browser::open("");
    browser.give("a.csv", "id,lower,upper,size\na,0,3,100\n", Where::Instead);
    browser.settle();
    browser.act(Action::Turn(Tab::STAGES));
    browser.settle();
    assert_eq!(*found(&browser), Answer::Nothing);
}

/// A slider that is held goes over many stages: Back leads to where it was taken up.
#[test]
fn a_drag_over_the_stages_is_one_entry() {
    let mut browser = at_stages("fusion=activations,in_place");
    browser.settle();
    let entries = browser.history.len();
    for row in there(&browser).rows.iter().rev() {
        let slide = StagesAction::Slide(Some(row.until()));
        browser.act(Action::Stages(slide));
        browser.settle();
    }
    assert_eq!(names(&browser), ["t", "u", "e"]);
    assert_eq!(browser.history.len(), entries);
    browser.act(Action::Stages(StagesAction::Rest));
    browser.settle();
    assert_eq!(browser.history.len(), entries + 1);
    browser.back();
    browser.settle();
    assert_eq!(names(&browser), ["u", "e"]);
}

/// A slider that is gone while it is held, as when its tab is left, does not hold the address.
#[test]
fn whatever_else_is_done_lets_go_of_the_slider() {
    let mut browser = at_stages("fusion=activations,in_place");
    browser.settle();
    let entries = browser.history.len();
    let slide = StagesAction::Slide(Some(there(&browser).rows[0].until()));
    browser.act(Action::Stages(slide));
    browser.settle();
    assert_eq!(browser.history.len(), entries);
    browser.act(Action::Turn(Tab::COMPARE));
    browser.settle();
    assert_eq!(browser.history.len(), entries + 1);
    let (link, _) = browser.history.last().expect("an address");
    assert!(link.contains("&stage=fold"), "{link}");
}
