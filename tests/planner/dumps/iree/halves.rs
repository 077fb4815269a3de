//! One side of the pass alone, and two sides that are of different functions.

use planner::load::{Document, Fault, Part, documents};

use super::{CHAIN, LOOP, joined, only, opened, read};

#[test]
fn lifetimes_alone_are_a_problem() {
    let (_, document, warnings) = read(&only(CHAIN, "Before")).expect("a problem");
    let Document::Problem(problem) = document else {
        panic!("no problem");
    };
    let (whole, _) = opened(CHAIN);
    assert_eq!(problem, whole.arenas[0].lifetimes);
    let message = &warnings[0].message;
    assert!(
        message
            .to_string()
            .contains("--mlir-print-ir-after=iree-stream-layout-slices"),
        "{message}"
    );

    let (_, document, warnings) = read(&only(LOOP, "Before")).expect("a problem");
    let Document::Problem(problem) = document else {
        panic!("no problem");
    };
    // Of three packs the one that needs most at once: 3,648 bytes twice, as the whole dump says.
    assert_eq!(problem, opened(LOOP).0.arenas[2].lifetimes);
    let told: Vec<_> = warnings
        .iter()
        .map(|it| (it.place.to_string(), it.message.to_string()))
        .collect();
    let told: Vec<_> = told.iter().map(|it| (&*it.0, &*it.1)).collect();
    let [(_, chosen), second, first] = told[..] else {
        panic!("{told:?}");
    };
    let expected = ", those of loop, pack 3, which needs most of 3 packs: 7296 bytes;";
    assert!(chosen.contains(expected), "{chosen}");
    assert_eq!(
        second,
        ("loop, pack 2", "it is left out: it needs 3712 bytes")
    );
    assert_eq!(first, ("loop, pack 1", "it is left out: it needs 64 bytes"));
}

/// Both sides of the pass of one program are a document, and another program is one of its own.
#[test]
fn halves_find_each_other_among_strangers() {
    let texts = [only(CHAIN, "After"), LOOP.to_owned(), only(CHAIN, "Before")];
    let bytes = texts.map(String::into_bytes);
    let parts = bytes.iter().map(|source| Part { name: "a", source });
    assert_eq!(documents(&parts.collect::<Vec<_>>()), [vec![0, 2], vec![1]]);
}

/// Without the headers that the compiler prints over them, as people paste them.
fn pasted(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("// -----//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn pasted_lifetimes_are_a_problem() {
    let Ok((_, Document::Problem(problem), _)) = read(&pasted(&only(CHAIN, "Before"))) else {
        panic!("no problem");
    };
    assert_eq!(problem, opened(CHAIN).0.arenas[0].lifetimes);
}

#[test]
fn halves_of_different_functions_are_told() {
    let (chain, loop_) = (only(CHAIN, "Before"), only(LOOP, "After"));
    let both = "before the pass stands @chain, behind it @loop";
    let same = only(CHAIN, "After").replace("_dispatch_0_vecmat", "_dispatch_0_matvec");
    let refused = [
        (joined([&chain, &loop_]), both),
        (joined([&pasted(&loop_), &pasted(&chain)]), both),
        (read(&(chain.clone() + &loop_)), both),
        // The same function of another build.
        (
            read(&pasted(&(chain.clone() + &same))),
            "before the pass stands @chain, behind it @chain",
        ),
    ];
    for (read, says) in refused {
        let error = read.expect_err("two programs");
        assert_eq!(error.kind, Fault::Apart, "{error}");
        assert!(error.message.to_string().starts_with(says), "{error}");
    }
    // In one text without headers the other may be a function that shares nothing.
    let (_, document, warnings) = read(&pasted(&(chain + &loop_))).expect("a problem");
    assert!(matches!(document, Document::Problem(_)));
    assert_eq!(warnings[0].place, "@loop", "{warnings:?}");
}
