//! The judge catches planted faults: for each rule one plan that breaks it.

mod figures;
mod given_bytes;
mod objects;
mod pools;
mod sentences;

use planner::{
    Buffer, Bytes, Lifetimes, Offset, Options, Plan, Span, Step, VIOLATIONS_LISTED as LISTED,
    Violation, check,
};

use self::objects::two_objects;
use self::sentences::check_sentence;

const OPTIONS: Options = Options::aligned(Bytes(8));

fn lifetimes(buffers: &[(u64, u64, u64)]) -> Lifetimes {
    let buffer = |&(size, start, end): &(u64, u64, u64)| {
        Buffer::new(format!("[{start}, {end})"), size, Span::new(start, end))
    };
    Lifetimes {
        buffers: buffers.iter().map(buffer).collect(),
        horizon: Step(10),
        ..Lifetimes::default()
    }
}

/// 0 and 1 are live together at step 1; 2 follows 0.
fn three() -> Lifetimes {
    lifetimes(&[(16, 0, 2), (8, 1, 4), (16, 2, 4)])
}

fn plan(offsets: &[u64], arena: u64) -> Plan {
    Plan {
        origin: "by hand".into(),
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(arena),
        ..Plan::default()
    }
}

#[track_caller]
fn caught(lifetimes: &Lifetimes, plan: &Plan, expected: &[Violation]) {
    assert_eq!(check(lifetimes, plan, &OPTIONS), expected);
    for violation in expected {
        check_sentence(violation, lifetimes, &[]);
    }
}

#[test]
fn valid_plans_pass() {
    caught(&three(), &plan(&[0, 16, 0], 24), &[]);
    caught(&three(), &two_objects(), &[]);
    caught(&lifetimes(&[]), &plan(&[], 0), &[]);
    // Neither a buffer of no bytes nor one of no steps collides with anything.
    let weightless = lifetimes(&[(16, 0, 2), (0, 0, 2), (16, 1, 1)]);
    caught(&weightless, &plan(&[0, 8, 0], 16), &[]);
    // Half-open: what ends at a step leaves its bytes to what starts there.
    caught(&lifetimes(&[(8, 0, 3), (8, 3, 5)]), &plan(&[0, 0], 8), &[]);
}

#[test]
fn offset_count() {
    let expected = Violation::OffsetCount {
        offsets: 2,
        buffers: 3,
    };
    caught(&three(), &plan(&[0, 16], 24), &[expected]);
}

#[test]
fn overlap_in_steps_and_bytes() {
    let overlap = |first, second| Violation::Overlap { first, second };
    caught(&three(), &plan(&[0, 8, 16], 32), &[overlap(0, 1)]);
    caught(
        &three(),
        &plan(&[0, 0, 0], 16),
        &[overlap(0, 1), overlap(1, 2)],
    );
    // One inside another, and a pair hidden behind a first overlap.
    let nested = lifetimes(&[(64, 0, 9), (8, 1, 2), (8, 3, 5), (8, 4, 6)]);
    let found = [overlap(0, 1), overlap(0, 2), overlap(0, 3), overlap(2, 3)];
    caught(&nested, &plan(&[0, 8, 16, 16], 64), &found);
}

#[test]
fn behind_the_arena() {
    let expected = Violation::BehindArena {
        buffer: 1,
        end: Offset(24),
        arena: Bytes(16),
    };
    caught(&three(), &plan(&[0, 16, 0], 16), &[expected]);
}

#[test]
fn misaligned() {
    let misaligned = |buffer, offset, alignment| Violation::Misaligned {
        buffer,
        offset: Offset(offset),
        alignment: Bytes(alignment),
    };
    caught(&three(), &plan(&[0, 20, 0], 28), &[misaligned(1, 20, 8)]);
    let mut strict = three();
    strict.buffers[1].alignment = Bytes(32);
    caught(&strict, &plan(&[0, 16, 0], 24), &[misaligned(1, 16, 32)]);
}

#[test]
fn fixed_address_not_honoured() {
    let mut pinned = three();
    pinned.buffers[1].fixed = Some(Offset(32));
    let expected = Violation::NotFixed {
        buffer: 1,
        offset: Offset(16),
        fixed: Offset(32),
    };
    caught(&pinned, &plan(&[0, 16, 0], 24), &[expected]);
    caught(&pinned, &plan(&[0, 32, 0], 40), &[]);
}

#[test]
fn address_overflow() {
    let huge = lifetimes(&[(u64::MAX, 0, 1)]);
    let expected = Violation::AddressOverflow { buffer: 0 };
    caught(&huge, &plan(&[8], u64::MAX), &[expected]);
}

/// ExecuTorch and Vela reserve more than their last byte on purpose: no rule is broken.
#[test]
fn a_reserved_tail_breaks_no_rule() {
    caught(&three(), &plan(&[0, 16, 0], 40), &[]);
}

#[test]
fn a_flood_is_cut_off() {
    let many = lifetimes(&vec![(8, 0, 1); 2000]);
    assert_eq!(
        check(&many, &plan(&vec![0; 2000], 8), &OPTIONS).len(),
        LISTED
    );
}
