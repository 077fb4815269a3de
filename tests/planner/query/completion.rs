//! What may come next.

use planner::Step;
use planner::deployed::{Note, Stacks};
use planner::query::{Facts, Sources, complete, parse};
use tests::lifetimes::named;

fn facts() -> Facts {
    let mut lifetimes = named(&[
        ("conv1/out", 8, 0, 2),
        ("conv2/out", 8, 1, 3),
        ("add out", 8, 2, 3),
    ]);
    lifetimes.step_names = ["first", "second one"].map(str::to_owned).into();
    let notes = ["Conv", "Conv", "Add"].map(|op| Note {
        op: op.to_owned(),
        ..Note::default()
    });
    Facts::new(Sources {
        lifetimes: &lifetimes,
        program: None,
        notes: &notes,
        scopes: &[],
        stacks: &Stacks::default(),
        peak: Step(0),
        waste: None,
    })
}

/// The cursor stands at `|`; what is offered, and the text once the first is taken.
fn offered(written: &str) -> (Vec<String>, String) {
    let cursor = written.find('|').expect("a cursor");
    let text = written.replacen('|', "", 1);
    let completion = complete(&text, cursor, &facts());
    let texts: Vec<String> = completion
        .candidates
        .into_iter()
        .map(|it| it.text)
        .collect();
    let mut taken = text;
    if let Some(first) = texts.first() {
        taken.replace_range(completion.range, first);
    }
    (texts, taken)
}

#[test]
fn each_place_offers_what_may_stand_there() {
    let table = [
        ("si|", "size"),
        ("SI|", "size"),
        ("size |", "size ="),
        ("size >= 4|", "size >= 4B"),
        ("size >= 4 Mi|", "size >= 4 MiB"),
        ("size >= 4k|", "size >= 4KiB"),
        ("op = |", "op = Conv"),
        ("op = a|", "op = Add"),
        ("op = \"co|", "op = Conv"),
        ("name = \"add|", "name = \"add out\""),
        ("live |", "live at"),
        ("live at |", "live at peak"),
        ("live at sec|", "live at \"second one\""),
        ("is pa|", "is padded"),
        ("conv and si| > 3", "conv and size > 3"),
        ("(op = Conv) o|", "(op = Conv) or"),
        ("op = Conv a|", "op = Conv and"),
        ("si|z > 3", "size > 3"),
        ("conv2|", "conv2/out"),
        ("not le|", "not length"),
        ("层 and si|", "层 and size"),
    ];
    for (written, taken) in table {
        assert_eq!(
            offered(written).1,
            taken,
            "{written}: {:?}",
            offered(written).0
        );
    }
}

#[test]
fn nothing_is_offered_that_is_there_or_leads_nowhere() {
    for written in [
        "size|",
        "live at peak|",
        "size > |",
        "start > 3|",
        "at offset |",
    ] {
        let offered = offered(written).0;
        let whole = written
            .trim_end_matches('|')
            .rsplit(' ')
            .next()
            .expect("a word");
        assert!(
            !offered.iter().any(|it| it == whole),
            "{written}: {offered:?}"
        );
    }
    assert_eq!(offered("size > |").0, Vec::<String>::new());
    // No file with stacks, so nothing about functions.
    assert!(
        !offered("f|")
            .0
            .iter()
            .any(|it| it == "function" || it == "frame")
    );
    assert!(offered("f|").0.iter().any(|it| it == "fixed"));
}

/// The texts of most buffers come first, and what is taken can be read.
#[test]
fn values_come_with_their_counts_and_are_quoted() {
    assert_eq!(offered("op = |").0, ["Conv", "Add"]);
    let names = offered("name ~ |").0;
    assert_eq!(names, ["\"add out\"", "conv1/out", "conv2/out"]);
    for name in names {
        assert!(parse(&format!("name = {name}")).is_ok(), "{name}");
    }
}
