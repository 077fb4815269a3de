//! What a query means.

use planner::bounds::aligned;
use planner::deployed::{Frame, Held, Hold, IrValue, Note, Stacks};
use planner::query::{Facts, Fault, Field, Known, Query, Sources, parse, parse_for};
use planner::waste::{Waste, WasteKind, waste};
use planner::{Buffer, Bytes, Handover, Lifetimes, Offset, Plan, Pool, Pools, Span, Step};
use tests::arbitrary::{Shape, lifetimes};
use tests::random::Random;

use super::oracle::passes;
use super::{arbitrary, query};

pub(super) struct World {
    pub(super) lifetimes: Lifetimes,
    pub(super) notes: Vec<Note>,
    pub(super) stacks: Stacks,
    pub(super) plan: Option<Plan>,
    pub(super) waste: Waste,
    pub(super) peak: Step,
}

impl World {
    fn facts(&self) -> Facts {
        Facts::new(Sources {
            lifetimes: &self.lifetimes,
            program: None,
            notes: &self.notes,
            scopes: &[],
            stacks: &self.stacks,
            peak: self.peak,
            waste: Some(&self.waste),
        })
    }

    fn matches(&self, query: &Query) -> Vec<usize> {
        query.matches(&Known {
            lifetimes: &self.lifetimes,
            facts: &self.facts(),
            plan: self.plan.as_ref(),
        })
    }
}

/// Two of the six buffers have values that a compiler describes.
fn describe(notes: &mut [Note]) {
    notes[1].value = Some(Box::new(IrValue {
        dtype: "f32".to_owned(),
        shape: Some(vec![5, 75_000]),
        computation: "main.4".to_owned(),
        source: "jit(net)/conv1".to_owned(),
    }));
    notes[3].value = Some(Box::new(IrValue {
        dtype: "bf16".to_owned(),
        shape: Some(Vec::new()),
        ..IrValue::default()
    }));
}

/// Six buffers by hand: a network of two convolutions with an input that is pinned.
fn small() -> World {
    let buffer = |name: &str, size, payload, start, end| Buffer {
        payload: Bytes(payload),
        ..Buffer::new(name, size, Span::new(start, end))
    };
    let mut lifetimes = Lifetimes::of([
        buffer("Input:0", 1 << 20, 1 << 20, 0, 4),
        buffer("conv1/out", 3 << 19, 1_500_000, 0, 2),
        buffer("relu1/out", 3 << 19, 1_500_000, 1, 3),
        buffer("conv2/out", 4096, 4096, 2, 4),
        buffer("weights*", 64, 60, 0, 4),
        buffer("nothing", 0, 0, 2, 2),
    ]);
    lifetimes.buffers[4].fixed = Some(Offset(8192));
    lifetimes.step_names = ["conv1", "relu1", "conv2", "end"].map(str::to_owned).into();
    lifetimes.handovers.push(Handover {
        before: 1,
        after: 2,
        shift: Bytes(0),
    });
    let note = |op: &str, role: &str, stack: u32| Note {
        op: op.to_owned(),
        role: role.to_owned(),
        stack,
        ..Note::default()
    };
    let mut notes = vec![
        note("", "input", 0),
        note("Conv", "temp", 1),
        note("Relu", "temp", 2),
        note("Conv", "output", 1),
        note("", "constant", 0),
        note("", "", 0),
    ];
    notes[0].held = Some(Held {
        why: Hold::Pinned,
        needed: Span::new(0, 1),
    });
    notes[2].aliases = vec!["view_of_relu".to_owned()];
    notes[1].uses = vec![Step(1)];
    describe(&mut notes);
    let frame = |function: &str, file: &str| Frame {
        function: function.to_owned(),
        file: file.to_owned(),
        line: 1,
    };
    let frames = vec![
        frame("conv2d", "conv.py"),
        frame("relu", "act.py"),
        frame("main", "run.py"),
    ];
    let stacks = vec![vec![], vec![0, 2], vec![1, 2]];
    let offsets = [16384, 2_000_000, 2_000_000, 0, 8192, 0]
        .map(Offset)
        .to_vec();
    let plan = Plan {
        offsets,
        arena: Bytes(4_000_000),
        ..Plan::default()
    };
    let bounds = aligned(&lifetimes, Bytes(1));
    let waste = waste(&lifetimes, &notes, &plan, &bounds);
    World {
        lifetimes,
        notes,
        stacks: Stacks { frames, stacks },
        plan: Some(plan),
        waste,
        peak: Step(2),
    }
}

/// Each answer was found by reading the six buffers above. The peak is step 2: before it the
/// first convolution's output is written over, which counts it once.
#[test]
fn a_network_by_hand_answers() {
    let world = small();
    let table: [(&str, &[usize]); 50] = [
        ("", &[0, 1, 2, 3, 4, 5]),
        ("size > 1MiB", &[1, 2]),
        ("size >= 1MiB", &[0, 1, 2]),
        ("size = 1.5MiB", &[1, 2]),
        ("size > 1.572863 MB", &[1, 2]),
        ("size > 1.572864 MB", &[]),
        ("payload < 64", &[4, 5]),
        ("padding > 0", &[1, 2, 4]),
        ("op = conv", &[1, 3]),
        ("op != Conv", &[0, 2, 4, 5]),
        ("op ~ ^c", &[1, 3]),
        ("op = \"\"", &[0, 4, 5]),
        ("conv", &[1, 3]),
        ("CONV?/", &[1, 3]),
        ("^*2/out$", &[3]),
        ("view_of", &[2]),
        ("\"weights\\*\"", &[4]),
        ("out not conv", &[2]),
        ("live at 0", &[0, 1, 4]),
        ("live at 2", &[0, 2, 3, 4]),
        ("live at relu1", &[0, 1, 2, 4]),
        ("live at \"RELU*\"", &[0, 1, 2, 4]),
        ("live at nowhere", &[]),
        ("live at peak", &[0, 2, 3, 4]),
        ("size > 1MiB and op = Conv and live at 1", &[1]),
        ("at offset 0", &[3]),
        ("at 4095", &[3]),
        ("over 4KiB", &[]),
        ("over 2000000", &[1, 2]),
        ("top = 4096", &[3]),
        ("fixed = 8KiB", &[4]),
        ("fixed != 8KiB", &[0, 1, 2, 3, 5]),
        ("is fixed or is pinned", &[0, 4]),
        ("held = pinned", &[0]),
        ("is in-place", &[1, 2]),
        ("is aliased", &[2]),
        ("last >= 3", &[0, 3, 4]),
        ("last >= 0", &[0, 1, 2, 3, 4]),
        ("length = 2", &[1, 2, 3]),
        ("producer = conv2", &[3, 5]),
        ("dtype = f32", &[1]),
        ("dtype ~ f", &[1, 3]),
        ("shape = 5x75000", &[1]),
        ("shape = scalar", &[3]),
        ("computation = main.4", &[1]),
        ("source ~ conv1", &[1]),
        ("consumer ~ relu", &[1]),
        ("frame = conv2d and function = main", &[1, 3]),
        ("file = act.py", &[2]),
        ("role = temp", &[1, 2]),
    ];
    for (written, meant) in table {
        let query = parse(written).expect(written);
        assert_eq!(world.matches(&query), meant, "{written}");
    }
}

/// The input is needed at step 0 alone but kept, so it is what pinning adds at the peak.
#[test]
fn waste_asks_for_the_parts_of_the_arena() {
    let world = small();
    for part in &world.waste.parts {
        let name = match part.kind {
            WasteKind::Needed => "needed",
            WasteKind::Padding => "padding",
            WasteKind::Pinned => "pinned",
            WasteKind::WholeLife => "whole-life",
            WasteKind::Pending => "pending",
            WasteKind::Alignment => "alignment",
            WasteKind::Fragmentation
            | WasteKind::Tail
            | WasteKind::NotListed
            | WasteKind::FreeSegments
            | WasteKind::FreeInside => continue,
        };
        let mut buffers = part.buffers.clone();
        buffers.sort_unstable();
        assert_eq!(
            world.matches(&Query::equal(Field::Waste, name)),
            buffers,
            "{name}"
        );
    }
    assert!(
        !world
            .matches(&Query::equal(Field::Waste, "needed"))
            .is_empty()
    );
}

#[test]
fn without_a_plan_nothing_lies_anywhere() {
    let world = World {
        plan: None,
        ..small()
    };
    for written in ["offset >= 0", "top >= 0", "at 0", "offset = 0"] {
        let query = parse(written).expect(written);
        assert!(
            query.needs_plan() && world.matches(&query).is_empty(),
            "{written}"
        );
    }
    assert!(!parse("size > 3 or conv").expect("a query").needs_plan());
}

/// A plan with these offsets, in two pools or in one.
fn placed(random: &mut Random, offsets: Vec<Offset>) -> Plan {
    let pools = Pools {
        declared: ["a b", "conv"]
            .map(|name| Pool {
                name: name.to_owned(),
                capacity: None,
            })
            .into(),
        of_buffer: offsets
            .iter()
            .map(|_| u32::try_from(random.below(3)).expect("3"))
            .collect(),
        ..Pools::default()
    };
    Plan {
        offsets,
        arena: Bytes(200),
        pools: Some(pools).filter(|_| random.below(2) == 0),
        ..Plan::default()
    }
}

/// Frames of the program's own, and stacks of them.
fn stacks(random: &mut Random, one_of: &dyn Fn(&mut Random) -> String) -> Stacks {
    let frames = (0..4).map(|_| Frame {
        function: one_of(random),
        file: one_of(random) + ".py",
        line: 1,
    });
    let frames: Vec<Frame> = frames.collect();
    let stacks = (0..5).map(|stack| match stack {
        0 => Vec::new(),
        _ => (0..random.below(3))
            .map(|_| u32::try_from(random.below(4)).expect("4"))
            .collect(),
    });
    let stacks = stacks.collect();
    Stacks { frames, stacks }
}

fn world(random: &mut Random) -> World {
    let shape = Shape {
        buffers: random.below(12),
        steps: 1 + random.below(10),
        size: 1 + random.below(60),
        alignments: 3,
        pauses: 30,
        handovers: 30,
        fixed: 20,
        pools: 0,
    };
    let mut lifetimes = lifetimes(random, shape);
    let one_of = |random: &mut Random| super::TEXTS[random.index(super::TEXTS.len())].to_owned();
    for buffer in &mut lifetimes.buffers {
        buffer.payload = Bytes(buffer.size.0 - random.below(1 + buffer.size.0 / 2));
        buffer.name = one_of(random) + &one_of(random);
    }
    lifetimes.step_names = (0..random.below(2) * shape.steps)
        .map(|_| one_of(random))
        .collect();
    let stacks = stacks(random, &one_of);
    let hold = |random: &mut Random, span: Span| {
        let holds = [Hold::Pinned, Hold::WholeLife, Hold::Pending];
        let why = holds.get(random.index(4)).copied()?;
        (!span.is_empty()).then_some(Held { why, needed: span })
    };
    let notes = lifetimes.buffers.iter().map(|buffer| Note {
        held: hold(random, buffer.span),
        aliases: (0..random.below(3)).map(|_| one_of(random)).collect(),
        op: one_of(random),
        uses: (0..random.below(3))
            .map(|_| Step(random.below(shape.steps)))
            .collect(),
        category: None,
        role: one_of(random),
        stream: Some(7).filter(|_| random.below(2) == 0),
        stack: u32::try_from(random.below(5)).expect("5"),
        forward: 0,
        filled: 0,
        several: 0,
        value: (random.below(2) == 0).then(|| {
            let rank = random.below(3);
            Box::new(IrValue {
                dtype: one_of(random),
                shape: (random.below(2) == 0).then(|| (0..rank).map(|_| random.below(3)).collect()),
                computation: one_of(random),
                source: one_of(random),
            })
        }),
    });
    let notes: Vec<Note> = notes.collect();
    let offsets: Vec<Offset> = lifetimes
        .buffers
        .iter()
        .map(|_| Offset(random.below(80)))
        .collect();
    let plan = placed(random, offsets);
    let bounds = aligned(&lifetimes, Bytes(1));
    let waste = waste(&lifetimes, &notes, &plan, &bounds);
    World {
        lifetimes,
        notes,
        stacks,
        plan: Some(plan).filter(|_| random.below(4) > 0),
        waste,
        peak: Step(random.below(shape.steps)),
    }
}

#[test]
fn arbitrary_queries_mean_what_the_oracle_says() {
    let mut random = Random::new(0x0_AC1E);
    let mut found = 0;
    for _ in 0..300 {
        let world = world(&mut random);
        for _ in 0..40 {
            let meant = query(arbitrary(&mut random, 2));
            let all = 0..world.lifetimes.buffers.len();
            let expr = meant.expr.as_ref().expect("a query");
            let wanted: Vec<usize> = all.filter(|&it| passes(expr, it, &world)).collect();
            assert_eq!(world.matches(&meant), wanted, "{meant}");
            found += wanted.len();
        }
    }
    assert!(found > 10_000, "the queries find something: {found}");
}

/// The steps of the small world are conv1, relu1, conv2 and end, so the last one is 3.
#[test]
fn a_step_that_is_not_there_is_refused() {
    let facts = small().facts();
    let wrong = |text: &str| {
        assert!(parse(text).is_ok(), "{text} is well written");
        let error = parse_for(text, &facts).expect_err(text);
        (error.fault, error.column, error.span, error.unfinished)
    };
    assert_eq!(wrong("live at zzz"), (Fault::NoStep, 9, 8..11, false));
    assert_eq!(wrong("live at \"a b\""), (Fault::NoStep, 9, 8..13, false));
    assert_eq!(wrong("live at z* or a"), (Fault::NoStep, 9, 8..10, false));
    assert_eq!(
        wrong("a and not live at 4"),
        (Fault::LastStep(3), 19, 18..19, false)
    );
    // The beginning of a name may only not be finished, but not before something else.
    assert_eq!(wrong("live at rel"), (Fault::NoStep, 9, 8..11, true));
    assert_eq!(wrong("live at rel a"), (Fault::NoStep, 9, 8..11, false));
    for text in [
        "live at 3",
        "live at CONV1",
        "live at c*",
        "live at peak",
        "size > 99999",
    ] {
        assert_eq!(parse_for(text, &facts), parse(text), "{text}");
    }
}
