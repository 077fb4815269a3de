//! What rows of a table prove of each other, and that no row is better than the exact search's.

use planner::Bytes;
use planner::training::cost::Needs;
use planner::training::layers::{Layer, Layers};
use planner::training::table::{At, Part, PolicyTable, Row, prove, table};
use planner::training::{Policy, Problem};

use super::checkmate::all;

/// A chain of 24 layers that all take and cost one: 49 nodes, too many for the exact search.
fn linear24() -> Problem {
    let list = (0..24).map(|index: usize| Layer {
        name: format!("l{index}"),
        inputs: index.checked_sub(1).into_iter().collect(),
        flops: 1,
        bytes: 1,
        parameters: 0,
    });
    let layers = Layers {
        name: "linear24".to_owned(),
        batch: 1,
        list: list.collect(),
    };
    layers.problem(1).expect("a problem")
}

/// The table as a page asks for it, part by part.
fn rows(problem: &Problem, budget: u64) -> Vec<Row> {
    let mut whole = PolicyTable::default();
    for policy in Policy::ALL {
        let part = Part {
            policies: vec![policy],
            at: At::Chosen,
        };
        whole.add(table(problem, Some(Bytes(budget)), &part));
    }
    whole.rows
}

fn cost(row: &Row) -> Option<u64> {
    row.needs.map(|needs| needs.cost)
}

/// Budgets 8, 9 and 10 are those at which the exact row was worse than others; at 17 a bound is met.
#[test]
fn no_row_is_better_than_the_exact_one_and_a_bound_that_is_met_is_a_proof() {
    let mut proved = 0;
    for budget in [8, 9, 10, 17] {
        let rows = rows(&linear24(), budget);
        let least = rows.iter().filter_map(cost).min();
        let exact = rows.iter().find(|row| row.policy == Policy::Exact);
        assert_eq!(exact.and_then(cost), least, "{budget}");
        let bound = rows.iter().filter_map(|row| row.lower_bound).max();
        for row in rows.iter().filter(|row| row.needs.is_some()) {
            assert_eq!(row.optimal, cost(row) <= bound, "{budget}: {row:?}");
        }
        proved += usize::from(least <= bound);
    }
    assert!(proved > 0);
}

/// A search that is planned has more time than one for the table: the exact row beside it takes
/// what it finds, but not what another budget allows.
#[test]
fn a_planned_search_is_not_better_than_the_exact_row_beside_it() {
    let mut found = PolicyTable {
        rows: rows(&linear24(), 8),
        ..PolicyTable::default()
    };
    let of = |rows: &[Row], policy| rows.iter().find(|row| row.policy == policy).cloned();
    let exact = of(&found.rows, Policy::Exact).expect("an exact row");
    assert!(!exact.optimal);
    let mut planned = exact.clone();
    planned.policy = Policy::LocalSearch;
    planned.needs = planned.needs.map(|needs| Needs {
        cost: needs.cost - 1,
        ..needs
    });
    let beside = found.beside(Some(&planned));
    let shown = [Policy::Exact, Policy::LocalSearch].map(|it| of(&beside, it));
    assert_eq!(
        shown.map(|row| row.and_then(|row| row.needs)),
        [planned.needs; 2]
    );
    let other = Row {
        budget: None,
        ..planned.clone()
    };
    assert_eq!(
        of(&found.beside(Some(&other)), Policy::Exact),
        Some(exact.clone())
    );
    // Nor is a row that is not there yet in its way.
    found.rows.retain(|row| row.policy == Policy::Exact);
    let beside = found.beside(Some(&planned));
    assert_eq!(
        of(&beside, Policy::Exact).and_then(|it| it.needs),
        planned.needs
    );
    assert_eq!(found.beside(None), [exact]);
}

/// Of a chain of 8 the exact search knows the least cost at every budget, so that whatever costs as
/// much is optimal, at that budget and below, and at no larger one by that proof alone.
#[test]
fn a_bound_holds_for_smaller_budgets_only() {
    let (_, problem) = all().next().expect("a chain of 8");
    let row = |policy: Policy, budget: u64| {
        let found = policy.run(&problem, Some(Bytes(budget)), &mut |_, _| true);
        Row::new(&problem, policy, Some(Bytes(budget)), &found)
    };
    let minimum = problem.minimum().0.0;
    let mut exact = row(Policy::Exact, minimum + 1);
    let mut same = row(Policy::Exact, minimum + 1);
    same.policy = Policy::LocalSearch;
    (same.optimal, same.lower_bound) = (false, None);
    let (mut below, mut above) = (same.clone(), same.clone());
    below.budget = Some(Bytes(minimum));
    above.budget = None;
    prove(&mut [&mut exact, &mut same, &mut below, &mut above]);
    assert_eq!(
        [same.optimal, below.optimal, above.optimal],
        [true, true, false]
    );
}
