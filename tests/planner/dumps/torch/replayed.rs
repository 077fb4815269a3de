//! The requests of a trace under other settings, against the generator's allocator that ran
//! the same program under them.

use planner::advice::{Replayed, Surroundings, reserved_under, surroundings};
use planner::deployed::{Arena, LaneKind};
use planner::{AllocatorSettings, Bytes, Step};
use tests::snapshot::allocator::Settings;
use tests::snapshot::{Made, Spec, USUAL};

use super::{at as in_lane, read};

/// Room for everything that the program asks for but what no device can meet.
const ROOMY: Settings = Settings {
    capacity: 8 << 30,
    ..USUAL
};

/// Every setting that the model knows.
fn settings() -> Vec<Settings> {
    let expandable = |expandable| Settings {
        expandable,
        ..ROOMY
    };
    let mut all = vec![expandable(false), expandable(true)];
    all.extend([16, 32, 64].map(|mib| Settings {
        max_split: Some(mib << 20),
        ..ROOMY
    }));
    all.extend([4, 8, 16].map(|divisions| Settings { divisions, ..ROOMY }));
    // So little that a training run of some hundred mebibytes is above it.
    all.extend([5, 20].map(|collect_above| Settings {
        collect_above,
        ..ROOMY
    }));
    all.push(Settings {
        expandable: true,
        divisions: 8,
        ..ROOMY
    });
    all
}

fn ours(settings: Settings) -> AllocatorSettings {
    AllocatorSettings {
        expandable: settings.expandable,
        max_split: settings.max_split.unwrap_or(u64::MAX),
        divisions: [settings.divisions; 16],
        collect_above: AllocatorSettings::collects_above(settings.collect_above as f64 / 1000.0),
    }
}

fn made(seed: u64, settings: Settings) -> Made {
    Spec {
        devices: vec![settings],
        ..Spec::of(seed, 1200)
    }
    .make()
}

fn arena(made: &Made) -> Arena {
    let (mut found, _) = read(&made.bytes(4));
    found.arenas.remove(0)
}

/// When the cache was emptied, as the books have it, and the device's capacity.
fn known(made: &Made, settings: Settings) -> Surroundings {
    let emptied = made.allocators[0].books.emptied.iter();
    Surroundings {
        capacity: Some(Bytes(settings.capacity)),
        emptied: emptied.map(|&events| Step(events as u64 + 1)).collect(),
        ..Surroundings::default()
    }
}

/// The events that hand out a block or may use one again, which are the same under all settings.
fn requests(made: &Made) -> Vec<usize> {
    let entries = made.allocators[0].books.entries.iter().enumerate();
    let requests = entries.filter(|(_, it)| matches!(it.action, "alloc" | "free_completed"));
    requests.map(|(event, _)| event).collect()
}

fn at(replayed: &Replayed, event: usize) -> u64 {
    let after = replayed
        .reserved
        .partition_point(|point| point.0 <= Step(event as u64 + 1));
    after
        .checked_sub(1)
        .map_or(0, |last| replayed.reserved[last].1.0)
}

/// Every trace under every setting, to the byte after every request.
#[test]
fn a_replay_equals_the_run_under_these_settings() {
    let (mut compared, mut differing, mut peaks) = (0, 0, 0);
    for seed in [3, 8, 21] {
        for from in settings() {
            let before = made(seed, from);
            let arena = arena(&before);
            let events = requests(&before);
            for to in settings() {
                let after = made(seed, to);
                let around = known(&before, to);
                let found = reserved_under(&arena.lifetimes, &arena.plan, ours(to), &around);
                assert_eq!(found.failed, 0);
                let lines = &after.allocators[0].books.lines;
                for (number, (&event, &its)) in events.iter().zip(&requests(&after)).enumerate() {
                    assert_eq!(
                        at(&found, event),
                        lines[its].reserved,
                        "seed {seed}, request {number}: {from:?} under {to:?}"
                    );
                    compared += 1;
                    let own = before.allocators[0].books.lines[event].reserved;
                    differing += u64::from(own != lines[its].reserved);
                }
                // Where its run is as long, so is the peak.
                if let Some(&last) = requests(&after).get(events.len() - 1) {
                    let most = lines[..=last].iter().map(|line| line.reserved).max();
                    assert_eq!(
                        Some(found.peak.0),
                        most,
                        "seed {seed}: {from:?} under {to:?}"
                    );
                    peaks += 1;
                }
            }
        }
    }
    // The settings do matter.
    assert!(differing * 2 > compared, "{differing} of {compared}");
    assert!(peaks > 100, "{peaks}");
}

/// Settings on a device that is too small for the program, so that what is cached goes back to it.
fn tight() -> [Settings; 4] {
    let tight = Settings {
        capacity: 200 << 20,
        ..USUAL
    };
    let (max_split, divisions, collect_above) = (Some(32 << 20), 8, 600);
    [
        tight,
        Settings { max_split, ..tight },
        Settings { divisions, ..tight },
        Settings {
            collect_above,
            ..tight
        },
    ]
}

/// The requests that were met are met again, with what went back in between.
#[test]
fn what_a_full_device_had_given_back_is_given_back_again() {
    let mut retried = 0;
    for seed in [3, 8, 21, 34] {
        for settings in tight() {
            let made = made(seed, settings);
            let arena = arena(&made);
            let around = known(&made, settings);
            let own = ours(settings);
            let found = reserved_under(&arena.lifetimes, &arena.plan, own, &around);
            assert_eq!(found.failed, 0);
            let books = &made.allocators[0].books;
            for event in requests(&made) {
                let reserved = books.lines[event].reserved;
                assert_eq!(at(&found, event), reserved, "{seed} {settings:?} {event}");
            }
            let entries = books.entries.windows(2);
            let retries = entries.filter(|pair| {
                (pair[0].action, pair[1].action) == ("segment_free", "segment_alloc")
            });
            retried += retries.count();
        }
    }
    assert!(retried > 20, "{retried}");
}

/// What the trace alone shows of device and program is enough for its own settings.
#[test]
fn the_own_settings_reserve_what_the_trace_says() {
    let mut limited = 0;
    for seed in [3, 8, 21, 34] {
        // When blocks were collected, a trace does not say.
        let settings = settings().into_iter().chain(tight());
        for settings in settings.filter(|it| it.collect_above == 0) {
            let made = made(seed, settings);
            let arena = arena(&made);
            let segments = arena
                .plan
                .segments
                .as_ref()
                .expect("every block lies in one");
            assert_eq!(segments.settings, ours(settings));
            let around = surroundings(&arena.lifetimes, &arena.plan, &arena.refused, None);
            limited += u32::from(around.capacity.is_some());
            let own = ours(settings);
            let found = reserved_under(&arena.lifetimes, &arena.plan, own, &around);
            for event in requests(&made) {
                let said = in_lane(&arena, LaneKind::Reserved, event as u64 + 1);
                assert_eq!(at(&found, event), said, "{seed} {settings:?} {event}");
            }
        }
    }
    assert!(limited > 4, "{limited}");
}

/// As people write them into the environment.
#[test]
fn settings_read_as_the_variable_has_them() {
    let settings = AllocatorSettings {
        expandable: true,
        max_split: 128 << 20,
        divisions: [8; 16],
        collect_above: AllocatorSettings::collects_above(0.8),
    };
    assert_eq!(
        settings.to_string(),
        "expandable_segments:True,max_split_size_mb:128,roundup_power2_divisions:8,\
         garbage_collection_threshold:0.8"
    );
    assert_eq!(AllocatorSettings::DEFAULT.to_string(), "default");
}
