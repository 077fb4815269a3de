//! A scene as far as a run has gone: what comes later is neither seen nor hit.

use planner::bounds::bounds;
use planner::storage::StorageId;
use planner::{Buffer, Lifetimes, Offset, Plan, Span, Step, profile};
use timeline::hit::hit;
use timeline::scene::{Fill, Scene};

/// A storage that is away from 2 to 5, and another that is there from 3 to 6.
fn scene() -> Scene {
    let stays = |name: &str, storage, start, end| Buffer {
        storage: Some(StorageId::at(storage)),
        ..Buffer::new(name.to_owned(), 8, Span::new(start, end))
    };
    let lifetimes = Lifetimes {
        buffers: vec![
            stays("a", 0, 0, 2),
            stays("b", 1, 3, 6),
            stays("a", 0, 5, 7),
        ],
        horizon: Step(7),
        ..Lifetimes::default()
    };
    let offsets = [0, 8, 0].map(Offset).to_vec();
    let plan = Plan {
        offsets,
        arena: planner::Bytes(16),
        ..Plan::default()
    };
    let figures = (&bounds(&lifetimes), &profile(&lifetimes));
    Scene::new(&lifetimes, &plan, figures, &|_| Fill::default())
}

#[test]
fn what_comes_later_is_out_of_sight() {
    let whole = scene();
    assert_eq!(hit(&whole, 5.5, 4.0), Some(2));
    assert_eq!(hit(&whole, 5.5, 12.0), Some(1));
    let part = scene().until(4.0);
    assert_eq!(part.extents, whole.extents);
    assert_eq!(hit(&part, 0.5, 4.0), Some(0));
    assert_eq!(hit(&part, 3.5, 12.0), Some(1));
    assert_eq!(hit(&part, 4.5, 12.0), None);
    assert_eq!(hit(&part, 5.5, 4.0), None);
    // Rectangles keep their numbers.
    assert_eq!(part.len(), whole.len());
}
