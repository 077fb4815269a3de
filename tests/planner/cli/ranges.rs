//! A range of a recording's events, whatever is asked of it.

use serde_json::json as value;

use super::dumps::{BEFORE, sample};
use super::{failure, file, json, run};

/// Whoever is told to choose a range can do so in the command that was called: one that reads files
/// and has no option for it is not there.
#[test]
fn every_command_has_the_range_that_a_refusal_asks_for() {
    let said = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let help = said(&["--help"]);
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let names = commands
        .lines()
        .filter_map(|it| it.split_whitespace().next());
    // A description of a transformer is no recording, nor are requests.
    let others = ["help", "transformer", "requests"];
    let names: Vec<&str> = names.filter(|name| !others.contains(name)).collect();
    assert!(names.contains(&"diff") && names.len() > 12, "{names:?}");
    for name in names {
        assert!(
            said(&[name, "--help"]).contains("--range <FIRST..END>"),
            "{name}"
        );
    }
}

/// By hand of `snapshot.py`: 512 and 1,024 bytes are there before event 0, and the second is given
/// back by event 1; event 3 takes 3 MiB and event 4 1,024 bytes. Segments have 2 MiB, and 22 MiB
/// from event 2 on.
#[test]
fn a_part_of_a_recording_is_judged_listed_and_compared() {
    let snapshot = sample("torch/protocol4.pickle");
    let found = json(&["check", &snapshot, "--range", "0..2", "--format", "json"]);
    assert_eq!(
        (&found["buffers"], &found["valid"]),
        (&2.into(), &true.into())
    );
    assert!(failure(&["check", &snapshot, "--range", "50..60"], 1).contains("8 events"));

    let table = file("ranges.csv", BEFORE);
    let files = [
        "overview", &snapshot, &table, "--range", "0..2", "--format", "json",
    ];
    let rows = json(&files)["cases"].clone();
    let arenas = |at: usize| rows[at]["arenas"]["bytes"].clone();
    // A table has no events: 50 bytes at 100.
    assert_eq!((arenas(0), arenas(1)), (value!(2 << 20), value!(150)));

    let diff = [
        "diff", "--before", &snapshot, "--after", &snapshot, "--format", "json",
    ];
    let bounds = |ranges: &[&str]| {
        let ranges = ranges.iter().flat_map(|it| ["--range", it]);
        let found = json(&diff.iter().copied().chain(ranges).collect::<Vec<_>>());
        (
            found["before"]["bound"].clone(),
            found["after"]["bound"].clone(),
        )
    };
    let (first, last) = (value!(512 + 1024), value!(512 + 1024 + (3 << 20)));
    assert_eq!(bounds(&["0..2"]), (first.clone(), first.clone()));
    assert_eq!(bounds(&["0..2", "2..5"]), (first, last));
    let thrice = ["--range", "0..2", "--range", "0..2", "--range", "0..2"];
    assert!(failure(&[&diff[..], &thrice].concat(), 2).contains("at most twice"));
}
