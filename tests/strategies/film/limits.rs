//! What a film keeps is bounded, and what it keeps is true.

use planner::trace::{Event, Limits, Picture, REASONS, Reason, Recorder, Refusal, survey};
use planner::{Bytes, Observer, Offset, Plan, Span};
use tests::lifetimes::of;

use super::{is_the_plan, options, placed, told};

#[test]
fn reasons_belong_to_their_buffer_and_are_bounded() {
    let lifetimes = of([(1, Span::new(0, 1)); 3]);
    let plan = Plan {
        offsets: [0, 1, 2].map(Offset).to_vec(),
        arena: Bytes(3),
        ..Plan::default()
    };
    let refused = |buffer, from, why| Event::Refused {
        buffer,
        from: Offset(from),
        size: Some(Bytes(9)),
        why,
    };
    let mut events = vec![refused(1, 5, Refusal::LooserFit), placed(0, 0)];
    events.push(placed(1, 1));
    events.extend((0..40).map(|from| refused(2, from, Refusal::TooSmall)));
    events.push(refused(2, 99, Refusal::Overlooked));
    events.push(placed(2, 2));
    let film = told(&lifetimes, &plan, &events);
    assert_eq!(film.reasons(0), []);
    assert_eq!(film.reasons(1).len(), 1);
    assert_eq!(film.reasons(2).len(), REASONS);
    assert_eq!(film.frames()[2].unlisted, 41 - 16);
    let telling = |reason: &Reason| {
        matches!(
            reason,
            Reason::Gap {
                why: Refusal::Overlooked,
                ..
            }
        )
    };
    assert!(
        film.reasons(2).iter().any(telling),
        "what says most is kept"
    );
    assert_eq!((film.reasons(3), film.frames()[3].unlisted), (&[][..], 0));
}

/// Buffer i mod 1000 is put at address i, a million times.
#[test]
fn a_long_film_is_sampled_says_so_and_stays_true() {
    const COUNT: usize = 1000;
    const DECISIONS: u64 = 1_000_000;
    let lifetimes = of([(1, Span::new(0, 1)); COUNT]);
    let mut recorder = Recorder::new();
    for number in 0..DECISIONS {
        let buffer = usize::try_from(number).unwrap_or(0) % COUNT;
        let why = Refusal::TooSmall;
        let (from, size) = (Offset(0), None);
        let _ = recorder.observe(Event::Refused {
            buffer,
            from,
            size,
            why,
        });
        let _ = recorder.observe(placed(buffer, number));
    }
    let plan = Plan {
        offsets: (0..COUNT as u64)
            .map(|buffer| Offset(DECISIONS - COUNT as u64 + buffer))
            .collect(),
        arena: Bytes(DECISIONS),
        ..Plan::default()
    };
    let film = recorder.finish(&lifetimes, &options(1), &plan);
    assert_eq!((film.decisions, film.sampled), (DECISIONS + 1, Some(16)));
    let frames = film.frames();
    assert!(
        frames.len() <= 100_000 && frames.len() > 50_000,
        "{}",
        frames.len()
    );
    let bytes = postcard::to_allocvec(&film).expect("a film has a length");
    assert!(bytes.len() < 32 << 20, "{} bytes", bytes.len());
    let mut picture = Picture::new(COUNT);
    for step in (0..frames.len())
        .step_by(997)
        .chain([0, frames.len() - 2, frames.len() - 1])
    {
        picture.show(&film, step + 1);
        let made = frames[step].decision.min(DECISIONS);
        let offsets = picture.layout(&lifetimes, Bytes(1)).offsets;
        for (buffer, offset) in (0..).zip(offsets) {
            // The last of the decisions 0 to made - 1 that was about this buffer.
            let last = (made > buffer).then(|| (made - 1 - buffer) / 1000 * 1000 + buffer);
            assert_eq!(offset.map(|at| at.0), last, "buffer {buffer} after {made}");
        }
    }
    assert_eq!(
        survey(&film, &lifetimes, Bytes(1)).decisive,
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
    let lifetimes = of([(1, Span::new(0, 1)); COUNT]);
    let mut recorder = Recorder::within(limits);
    for turn in 0..9 {
        for buffer in 0..COUNT {
            let (from, size, why) = (Offset(turn), None, Refusal::Overlooked);
            let _ = recorder.observe(Event::Refused {
                buffer,
                from,
                size,
                why,
            });
            let _ = recorder.observe(placed(buffer, turn));
        }
    }
    assert_eq!(recorder.decisions(), 27_000);
    let plan = Plan {
        offsets: vec![Offset(8); COUNT],
        arena: Bytes(9),
        ..Plan::default()
    };
    let film = recorder.finish(&lifetimes, &options(1), &plan);
    let kept = film.frames().len();
    assert!((2..=50).contains(&kept), "{kept} decisions, a reason each");
    let bytes = postcard::to_allocvec(&film).expect("a film has a length");
    // A change is a tag, two bytes of index and one of address; a frame is no more than 20.
    assert!(
        bytes.len() < 4 * COUNT * 4 + 50 * 20,
        "{} bytes",
        bytes.len()
    );
    let mut picture = Picture::new(COUNT);
    picture.show(&film, kept);
    is_the_plan(&picture, &lifetimes, &options(1), &plan, "the end");
}
