//! The price of parallel safety: each way of running is a case, whose figures are compared.

use conversation::{Action, CaseAction};
use conversation::{Column, Price, Priced, Pricing, Where};
use planner::{Bytes, Parallel, Strategy};

use super::browser::Browser;

const RECOMPUTED: &str = include_str!("../../data/recomputed.json");

/// A1 → A2 → A3 → A4 and A1 → A5 → A6 → A7, then A8 = A4 + A7, 64 B each; A8 is the output and
/// lies beside the arena.
fn branches() -> String {
    let edges = [
        (1, "[\"x\"]"),
        (2, "[\"A1\"]"),
        (3, "[\"A2\"]"),
        (4, "[\"A3\"]"),
        (5, "[\"A1\"]"),
        (6, "[\"A5\"]"),
        (7, "[\"A6\"]"),
        (8, "[\"A4\",\"A7\"]"),
    ];
    let tensors = (1..8).map(|at| format!("{{\"name\":\"A{at}\",\"shape\":[16]}}"));
    let tensors: Vec<String> = tensors.collect();
    let operators = edges.map(|(at, inputs)| {
        let kind = if at == 8 { "Add" } else { "Relu" };
        format!(
            "{{\"name\":\"{at}\",\"kind\":\"{kind}\",\"inputs\":{inputs},\"outputs\":[\"A{at}\"]}}"
        )
    });
    format!(
        "{{\"arenascope_program\":1,\"tensors\":[{{\"name\":\"x\",\"shape\":[16],\"role\":\"input\"}},\
         {{\"name\":\"A8\",\"shape\":[16],\"role\":\"output\"}},{}],\"operators\":[{}]}}",
        tensors.join(","),
        operators.join(",")
    )
}

fn priced(file: impl AsRef<[u8]>) -> (Browser, Pricing) {
    let mut browser = Browser::open("");
    browser.give("program.json", file, Where::Instead);
    browser.settle();
    assert!(*browser.state.page.idle);
    let pricing = *browser.cases()[0].planning.price;
    (browser, pricing)
}

fn figures(priced: Priced) -> (Bytes, Bytes) {
    (priced.bound, priced.arena)
}

#[test]
fn a_schedule_that_only_computes_has_a_price() {
    let (mut browser, pricing) = priced(branches());
    let Pricing::Measured(price) = pricing else {
        panic!("{pricing:?}");
    };
    assert_eq!(price.parallel, Parallel::Free);
    // One after the other: A1, and the ends of both branches or one end and what follows.
    assert_eq!(figures(price.serial), (Bytes(3 * 64), Bytes(3 * 64)));
    assert_eq!(price.serial.unwaiting, None);
    // Every partition of the seven into places was tried: five add no wait.
    assert_eq!(price.safe.unwaiting, Some(Bytes(5 * 64)));
    assert_eq!(price.safe.arena, Bytes(6 * 64));
    can_be_shown(&mut browser, price);
}

/// The case that was there for its figures is shown, and planned as any other.
fn can_be_shown(browser: &mut Browser, price: Price) {
    assert_eq!(browser.ids(), [price.serial.case]);
    browser.act(CaseAction::Reveal(price.safe.case));
    browser.settle();
    assert_eq!(browser.ids(), [price.serial.case, price.safe.case]);
    let best = Column::Strategy(Strategy::Best);
    assert_eq!(browser.arena(price.safe.case, best), Some(6 * 64));
    let naive = Column::Strategy(Strategy::Naive);
    assert!(browser.arena(price.safe.case, naive).is_some());
    let settings = &browser.state.case(price.safe.case).settings;
    assert_eq!(settings.parallel, Parallel::Free);
}

#[test]
fn a_schedule_that_recomputes_has_none() {
    // It is not measured unasked.
    assert_eq!(priced(RECOMPUTED).1, Pricing::Unmeasured);
}

/// Two branches, each a tensor of 1600 B that is reduced to 4 B, in blocks of 64 B: one after
/// the other, one large tensor and both small ones are live at most; at the same time, all.
#[test]
fn the_price_of_branches_at_the_same_time_is_their_sum() {
    let tensor =
        |name: &str, elements: u32| format!("{{\"name\":\"{name}\",\"shape\":[{elements}]}}");
    let tensors = [
        ("left.wide", 400),
        ("left.sum", 1),
        ("right.wide", 400),
        ("right.sum", 1),
    ];
    let tensors: Vec<String> = tensors.map(|(name, size)| tensor(name, size)).into();
    let file = format!(
        "{{\"arenascope_program\":1,\"tensors\":[\
         {{\"name\":\"x\",\"shape\":[100],\"role\":\"input\"}},\
         {{\"name\":\"sum\",\"shape\":[1],\"role\":\"output\"}},{}],\"operators\":[\
         {{\"name\":\"1\",\"kind\":\"Concat\",\"inputs\":[\"x\"],\"outputs\":[\"left.wide\"]}},\
         {{\"name\":\"2\",\"kind\":\"ReduceSum\",\"inputs\":[\"left.wide\"],\"outputs\":[\"left.sum\"]}},\
         {{\"name\":\"3\",\"kind\":\"Concat\",\"inputs\":[\"x\"],\"outputs\":[\"right.wide\"]}},\
         {{\"name\":\"4\",\"kind\":\"ReduceSum\",\"inputs\":[\"right.wide\"],\"outputs\":[\"right.sum\"]}},\
         {{\"name\":\"5\",\"kind\":\"Add\",\"inputs\":[\"left.sum\",\"right.sum\"],\"outputs\":[\"sum\"]}}]}}",
        tensors.join(",")
    );
    let (_, pricing) = priced(&file);
    let Pricing::Measured(price) = pricing else {
        panic!("{pricing:?}");
    };
    let both = |bytes| (Bytes(bytes), Bytes(bytes));
    assert_eq!(figures(price.serial), both(1600 + 2 * 64));
    assert_eq!(figures(price.safe), both(2 * 1600 + 2 * 64));
}

/// A model's price is measured unasked, and then nothing is at work any longer.
#[test]
fn a_model_has_a_price_unasked() {
    let (browser, pricing) = priced(tests::networks::blazeface());
    let Pricing::Measured(price) = pricing else {
        panic!("{pricing:?}");
    };
    assert!(price.safe.arena > price.serial.arena);
    let case = browser.cases()[0];
    assert!(case.plans.values().all(|plan| !plan.is_open()));
}

/// Whatever changes while a price is measured: the page comes to rest.
#[test]
fn back_while_it_is_measured_comes_to_rest() {
    const BRANCHES: &str = "\
graph branches onnx 17
let n = 2
input x: f32[n, 4]
a = Exp(x)
b = Neg(x)
y = Add(a, b)
output y
";
    for replies in 0..40 {
        let mut browser = Browser::open("");
        browser.give("branches.graph", BRANCHES, Where::Instead);
        browser.settle();
        browser.act(Action::Bind("n".into(), Some(3)));
        for _ in 0..replies {
            if let Some(event) = browser.reply() {
                browser.take(event);
            }
        }
        browser.back();
        browser.settle();
        assert!(
            *browser.state.page.idle,
            "after {replies}: {:?}",
            *browser.state.page.work
        );
    }
}
