//! What a trace keeps is bounded, and what it keeps is true.

use planner::internals::{Limits, REASONS};
use planner::trace::{
    Choice, Event, Fit, Picture, Reason, Recorder, Refusal, Search, Taken, survey,
};
use planner::{Bytes, Observer, Offset, Plan, Span, Step};
use tests::lifetimes::of;

use super::{is_the_plan, options, placed, recorded};

/// b3 to b43, 1 byte each, leave 40 ranges of 4 bytes and one of 9 below the last: b2, 5 bytes,
/// is put on top of them all. What is said of it stays its own when b0 is placed before it.
#[test]
fn reasons_belong_to_their_buffer_and_are_bounded() {
    let mut all = vec![
        (1, Span::new(0, 1)),
        (1, Span::new(1, 2)),
        (5, Span::new(2, 3)),
    ];
    all.extend([(1, Span::new(2, 3)); 41]);
    let lifetimes = of(all);
    let at = |number: u64| 5 * number + if number == 40 { 9 } else { 4 };
    let mut offsets = vec![0, 1, 300];
    offsets.extend((0..41).map(at));
    let plan = Plan {
        offsets: offsets.iter().copied().map(Offset).collect(),
        arena: Bytes(305),
        ..Plan::default()
    };
    let chosen = |buffer: usize, taken| Event::Chosen {
        buffer,
        choice: Choice {
            search: Search::Free(Fit::OnTop),
            bytes: lifetimes.buffers[buffer].size,
            until: lifetimes.buffers[buffer].span.end,
            alignment: Bytes(1),
            taken,
        },
    };
    let mut events: Vec<Event> = (3..44)
        .map(|buffer| placed(buffer, offsets[buffer]))
        .collect();
    events.push(chosen(2, Taken::Open));
    events.extend([placed(0, 0), placed(2, 300), placed(1, 1)]);
    let trace = recorded(&lifetimes, &plan, &events);
    assert_eq!(trace.reasons(41), [], "it is another buffer's");
    assert_eq!(trace.reasons(42).len(), REASONS);
    assert_eq!(trace.frames()[42].unlisted, 41 - 16);
    let decisive = |reason: &Reason| {
        matches!(
            reason,
            Reason::FreeRange {
                why: Refusal::Overlooked,
                ..
            }
        )
    };
    assert!(
        trace.reasons(42).iter().any(decisive),
        "what says most is kept"
    );
    assert_eq!(
        (trace.reasons(43), trace.frames()[43].unlisted),
        (&[][..], 0)
    );
}

/// A choice on top of everything for a buffer that is live at the step of its index.
fn on_top(buffer: usize) -> Event {
    let choice = Choice {
        search: Search::Free(Fit::OnTop),
        bytes: Bytes(1),
        until: Step(buffer as u64 + 1),
        alignment: Bytes(1),
        taken: Taken::Open,
    };
    Event::Chosen { buffer, choice }
}

/// Buffer i mod 1000 is put at address i, a million times.
#[test]
fn a_long_film_is_sampled_says_so_and_stays_true() {
    const COUNT: usize = 1000;
    const DECISIONS: u64 = 1_000_000;
    let lifetimes = of([(1, Span::new(0, 1)); COUNT]);
    let mut recorder = Recorder::new(&lifetimes);
    for number in 0..DECISIONS {
        let buffer = usize::try_from(number).unwrap_or(0) % COUNT;
        let _ = recorder.observe(placed(buffer, number));
    }
    let plan = Plan {
        offsets: (0..COUNT as u64)
            .map(|buffer| Offset(DECISIONS - COUNT as u64 + buffer))
            .collect(),
        arena: Bytes(DECISIONS),
        ..Plan::default()
    };
    let trace = recorder.finish(&options(1), &plan);
    assert_eq!((trace.decisions, trace.sampled), (DECISIONS + 1, Some(16)));
    let frames = trace.frames();
    assert!(
        frames.len() <= 100_000 && frames.len() > 50_000,
        "{}",
        frames.len()
    );
    let bytes = postcard::to_allocvec(&trace).expect("a film has a length");
    assert!(bytes.len() < 32 << 20, "{} bytes", bytes.len());
    let mut picture = Picture::new(COUNT);
    for step in (0..frames.len())
        .step_by(997)
        .chain([0, frames.len() - 2, frames.len() - 1])
    {
        picture.show(&trace, step + 1);
        let made = frames[step].decision.min(DECISIONS);
        let offsets = picture.layout(&lifetimes, Bytes(1)).offsets;
        for (buffer, offset) in (0..).zip(offsets) {
            // The last of the decisions 0 to made - 1 that was about this buffer.
            let last = (made > buffer).then(|| (made - 1 - buffer) / 1000 * 1000 + buffer);
            assert_eq!(offset.map(|at| at.0), last, "buffer {buffer} after {made}");
        }
    }
    assert_eq!(
        survey(&trace, &lifetimes, Bytes(1)).decisive,
        None,
        "it may be left out"
    );
}

/// Every decision changes another of many buffers: what is kept of changes is bounded too, by
/// a few for each buffer.
#[test]
fn a_film_of_many_buffers_is_bounded() {
    const COUNT: usize = 3000;
    let limits = Limits {
        frames: 400,
        changes: 100,
        reasons: 50,
    };
    // The last lies above them all at 100 all the time: the range below it is named each time.
    let steps = COUNT as u64;
    let others = (0..steps).map(|step| (1, Span::new(step, step + 1)));
    let lifetimes = of(others.chain([(1, Span::new(0, steps))]));
    let mut recorder = Recorder::within(&lifetimes, limits);
    let _ = recorder.observe(placed(COUNT, 100));
    for turn in 0..9 {
        for buffer in 0..COUNT {
            let _ = recorder.observe(on_top(buffer));
            let _ = recorder.observe(placed(buffer, turn));
        }
    }
    assert_eq!(recorder.decisions(), 27_001);
    let plan = Plan {
        offsets: [vec![Offset(8); COUNT], vec![Offset(100)]].concat(),
        arena: Bytes(101),
        ..Plan::default()
    };
    let trace = recorder.finish(&options(1), &plan);
    let kept = trace.frames().len();
    assert!((2..=50).contains(&kept), "{kept} decisions, a reason each");
    let bytes = postcard::to_allocvec(&trace).expect("a film has a length");
    // A change is a tag, two bytes of index and one of address; a frame is no more than 20.
    assert!(
        bytes.len() < 4 * COUNT * 4 + 50 * 20,
        "{} bytes",
        bytes.len()
    );
    let mut picture = Picture::new(COUNT + 1);
    picture.show(&trace, kept);
    is_the_plan(&picture, &lifetimes, &options(1), &plan, "the end");
}
