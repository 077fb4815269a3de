//! Deployed plans: where their bytes go, and what lies at any place.

mod arenas;
mod overview;
mod samples;
mod space;
mod waste;

use planner::deployed::{Held, Hold, Note};
use planner::{Bytes, Lifetimes, Options, Plan, Silent, Span, Strategy, plan};
use tests::arbitrary::{Shape, lifetimes};
use tests::random::Random;

/// Small plans of every kind of lifetimes, and notes that make some buffers held.
fn plans() -> impl Iterator<Item = (Lifetimes, Vec<Note>, Plan)> {
    let mut random = Random::new(0xD0_0D);
    (0..200).map(move |round| {
        let some = |kind| if round % 3 == kind { 40 } else { 0 };
        let shape = Shape {
            buffers: random.below(14),
            steps: 1 + random.below(12),
            size: 1 + random.below(40),
            alignments: random.below(2) * 4,
            pauses: some(1),
            handovers: some(2),
            ..Shape::default()
        };
        let mut made = lifetimes(&mut random, shape);
        for buffer in &mut made.buffers {
            buffer.payload = Bytes(buffer.size.0 - random.below(1 + buffer.size.0 / 2));
        }
        let notes = made.buffers.iter().map(|buffer| Note {
            held: held(&mut random, buffer.span),
            ..Note::default()
        });
        let notes = notes.collect();
        let strategy = [Strategy::OffsetsInOrder, Strategy::Naive][random.index(2)];
        let plan = plan(strategy, &made, &Options::aligned(Bytes(1)), &mut Silent);
        let plan = plan.expect("small lifetimes can be planned");
        (made, notes, plan)
    })
}

fn held(random: &mut Random, span: Span) -> Option<Held> {
    let holds = [Hold::Pinned, Hold::WholeLife, Hold::Pending];
    let why = holds.get(random.index(4)).copied()?;
    (!span.is_empty()).then(|| {
        let start = span.start.0 + random.below(span.len());
        let end = start + 1 + random.below(span.end.0 - start);
        let needed = Span::new(start, end);
        Held { why, needed }
    })
}
