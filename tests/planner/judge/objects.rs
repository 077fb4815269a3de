//! Plans of shared objects.

use planner::{Bytes, Objects, Offset, Plan, Violation};

use super::{caught, plan, three};

pub(crate) fn shared(mut plan: Plan, sizes: &[u64], offsets: &[u64], of_buffer: &[u32]) -> Plan {
    plan.objects = Some(Objects {
        sizes: sizes.iter().copied().map(Bytes).collect(),
        offsets: offsets.iter().copied().map(Offset).collect(),
        of_buffer: of_buffer.to_vec(),
    });
    plan
}

/// Two objects: 0 and 2 in the one, 1 in the other.
pub(crate) fn two_objects() -> Plan {
    shared(plan(&[0, 16, 0], 24), &[16, 8], &[0, 16], &[0, 1, 0])
}

#[test]
fn object_count() {
    let expected = |sizes, offsets, assigned| Violation::ObjectCount {
        sizes,
        offsets,
        assigned,
    };
    let place = plan(&[0, 16, 0], 24);
    let short = shared(place.clone(), &[16, 8], &[0, 16], &[0, 1]);
    caught(&three(), &short, &[expected(2, 2, 2)]);
    let unplaced = shared(place, &[16, 8], &[0], &[0, 1, 0]);
    caught(&three(), &unplaced, &[expected(2, 1, 3)]);
}

#[test]
fn no_such_object() {
    let mut dangling = two_objects();
    dangling.objects.as_mut().unwrap().of_buffer[1] = 2;
    let expected = Violation::NoSuchObject {
        buffer: 1,
        object: 2,
    };
    caught(&three(), &dangling, &[expected]);
}

#[test]
fn larger_than_its_object() {
    let mut small = two_objects();
    small.objects.as_mut().unwrap().sizes[1] = Bytes(4);
    let expected = Violation::LargerThanObject {
        buffer: 1,
        object: 1,
    };
    caught(&three(), &small, &[expected]);
}

#[test]
fn outside_its_object() {
    let outside = shared(plan(&[0, 16, 8], 24), &[16, 8], &[0, 16], &[0, 1, 0]);
    let elsewhere = Violation::OutsideObject {
        buffer: 2,
        object: 0,
    };
    let overlap = Violation::Overlap {
        first: 1,
        second: 2,
    };
    // What makes results wrong is said first.
    caught(&three(), &outside, &[overlap, elsewhere]);
}

#[test]
fn live_at_once_in_one_object() {
    let crowded = shared(plan(&[0, 0, 16], 32), &[16, 16], &[0, 16], &[0, 0, 1]);
    let expected = Violation::SharedObject {
        first: 0,
        second: 1,
        object: 0,
    };
    caught(&three(), &crowded, &[expected]);
}

#[test]
fn objects_that_overlap() {
    // Objects overlap although the buffers in them happen not to.
    let overlapping = shared(plan(&[0, 16, 0], 32), &[32, 16], &[0, 16], &[0, 1, 0]);
    let expected = Violation::ObjectsOverlap {
        first: 0,
        second: 1,
    };
    caught(&three(), &overlapping, &[expected]);
}

#[test]
fn object_behind_the_arena() {
    let beyond = shared(plan(&[0, 16, 0], 24), &[16, 64], &[0, 16], &[0, 1, 0]);
    let expected = Violation::ObjectBehindArena {
        object: 1,
        arena: Bytes(24),
    };
    caught(&three(), &beyond, &[expected]);
}
