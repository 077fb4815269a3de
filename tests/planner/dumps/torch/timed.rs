//! When each step of a snapshot began, against the books.

use planner::deployed::Clock;
use tests::snapshot::pickle::Writer;

use super::{read, specs};

#[test]
fn steps_begin_when_the_books_say() {
    let (mut timed, mut at_once) = (0, 0);
    for (spec, tick) in specs()
        .into_iter()
        .flat_map(|spec| [(spec.clone(), 1), (spec, 64)])
    {
        let mut made = spec.make();
        // A coarser clock: some events have the time of the one before.
        let entries = made.allocators.iter_mut().map(|it| &mut it.books.entries);
        for entry in entries.flatten() {
            entry.time -= entry.time % tick;
        }
        let (found, _) = read(&made.bytes(4));
        for (device, arena) in found.arenas.iter().enumerate() {
            let kept = &made.allocators[device].books.entries[made.lost[device]..];
            // Of one event nothing is to be told, and of none.
            if kept.len() < 2 {
                assert!(arena.clock.is_empty());
                continue;
            }
            let since = |time: i64| u64::try_from(time - kept[0].time).expect("later");
            // Step 0 is before the first event, and event i is step i + 1.
            let times = kept.iter().map(|entry| since(entry.time));
            assert!(
                arena
                    .clock
                    .times()
                    .iter()
                    .copied()
                    .eq([0].into_iter().chain(times))
            );
            let pairs = kept.windows(2);
            at_once += pairs.filter(|pair| pair[0].time == pair[1].time).count();
            timed += 1;
        }
    }
    assert!(timed > 10 && at_once > 100, "{timed}, {at_once}");
}

/// A snapshot of a block that is there all the time, with events at these times.
fn at_times(times: &[Option<i64>]) -> Vec<u8> {
    let mut writer = Writer::new(4);
    writer.dict(2);
    writer.key("segments");
    writer.list(1);
    writer.dict(3);
    writer.key("address");
    writer.size(1 << 40);
    writer.key("total_size");
    writer.size(512);
    writer.key("blocks");
    writer.list(1);
    writer.dict(3);
    writer.key("address");
    writer.size(1 << 40);
    writer.key("size");
    writer.size(512);
    writer.key("state");
    writer.text("active_allocated");
    writer.key("device_traces");
    writer.list(1);
    writer.list(times.len());
    for time in times {
        writer.dict(2 + usize::from(time.is_some()));
        writer.key("action");
        writer.text("snapshot");
        writer.key("addr");
        writer.int(0);
        if let Some(time) = time {
            writer.key("time_us");
            writer.int(*time);
        }
    }
    writer.finish()
}

#[test]
fn a_clock_is_there_where_every_event_has_a_time_and_never_goes_back() {
    let clock = |times: &[Option<i64>]| {
        let (found, _) = read(&at_times(times));
        found.arenas[0].clock.times().to_vec()
    };
    assert_eq!(clock(&[Some(7), Some(9), Some(9)]), [0, 0, 2, 2]);
    // The machine's clock was set back in between.
    assert_eq!(
        clock(&[Some(7), Some(12), Some(3), Some(20)]),
        [0, 0, 5, 5, 13]
    );
    assert_eq!(clock(&[Some(i64::MIN), Some(i64::MAX)]), [0, 0, u64::MAX]);
    assert_eq!(clock(&[Some(7), None, Some(9)]), [0_u64; 0]);
    assert_eq!(clock(&[Some(7), Some(7)]), [0_u64; 0]);
}

#[test]
fn a_moment_leads_to_the_last_step_that_began_then() {
    let clock = Clock::new(vec![0, 0, 10, 10, 30]).expect("they ascend");
    let cases = [
        // (step, its time), by hand.
        (0.0, 0.0),
        (0.5, 0.0),
        (1.0, 0.0),
        (1.5, 5.0),
        (2.75, 10.0),
        (3.5, 20.0),
        (4.0, 30.0),
        (5.0, 30.0),
        (9.0, 30.0),
        (-2.0, -2.0),
    ];
    for (step, time) in cases {
        assert!((clock.at(step) - time).abs() < 1e-12, "{step}");
    }
    let back = [
        (0.0, 1.0),
        (5.0, 1.5),
        (10.0, 3.0),
        (25.0, 3.75),
        (30.0, 4.0),
        (31.0, 5.0),
        (-2.0, -2.0),
    ];
    for (time, step) in back {
        assert!((clock.step(time) - step).abs() < 1e-12, "{time}");
    }
    // Without a clock a step is its own time, bit by bit.
    let none = Clock::default();
    for step in [0.1, 3.0, -7.25, 1e15 + 0.5] {
        assert_eq!(none.at(step).to_bits(), f64::to_bits(step));
        assert_eq!(none.step(step).to_bits(), f64::to_bits(step));
    }
    assert_eq!(Clock::new(vec![0, 3, 2]), None);
}
