//! Films: each is held against the bound that is shown beside its plan.

use conversation::{Action, Column, FilmAction, FilmState, Progress, Tab, Where};
use planner::{Bytes, Strategy};
use tests::networks;

use super::browser::Browser;

/// U-Net: 64 MiB are live at most, and whole objects cannot do with less than 81,788,928 bytes.
/// Both are said by their names, and the plan's own figures are held against the first.
#[test]
fn a_film_of_shared_objects_has_the_bound_of_its_pane() {
    let mut browser = Browser::open("");
    browser.give("unet.onnx", networks::unet(), Where::Instead);
    browser.settle();
    let [column, other] = [Strategy::GreedyInOrder, Strategy::Best].map(Column::Strategy);
    browser.act(Action::Turn(Tab::FILM));
    for (slot, strategy) in [Strategy::GreedyInOrder, Strategy::Best]
        .into_iter()
        .enumerate()
    {
        browser.act(Action::Film(FilmAction::Choose(slot, Some(strategy))));
    }
    browser.settle();
    let case = browser.cases()[0];
    let bounds = &case.prepared.as_ref().expect("it is prepared").bounds;
    assert_eq!(bounds.offsets, Bytes(64 << 20));
    assert_eq!(bounds.objects, Bytes(81_788_928));
    for (column, objects) in [(column, Some(bounds.objects)), (other, None)] {
        let Some(FilmState::Done(recording)) = case.films.states.get(&column) else {
            panic!("{column}: {:?}", case.films.states.keys());
        };
        let Some(Progress::Done(planned)) = case.plans.get(&column) else {
            panic!("{column} has no plan");
        };
        let metrics = planned.judged.metrics;
        assert_eq!(recording.bound, metrics.bound, "{column}");
        assert_eq!(recording.objects, objects, "{column}");
        assert_eq!(metrics.model_bound, objects.unwrap_or(metrics.bound));
    }
}
