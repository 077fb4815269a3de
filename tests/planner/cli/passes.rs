//! `arenascope passes`, and what is said of choices that change nothing.

use super::{PROBLEM, failure, file, output};

const RECOMPUTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/recomputed.json");

/// a twice, b, c and d, 256 B each; c may lie on b, and d on c; two at a time without that.
#[test]
fn a_program_as_written_takes_only_what_keeps_its_operators() {
    let args = ["--in-place", "--fuse", "--parallel", "free"];
    let (text, warnings) =
        output(&[&["passes", RECOMPUTED, "--format", "csv"], &args[..]].concat());
    let expected =
        "pass,changes,operators,tensors,buffers,naive,bound\nin_place,2,5,6,5,1280,512\n";
    assert_eq!(text, expected);
    let said: Vec<&str> = warnings.lines().collect();
    let operators = "the pass fusion is not run: its operators are planned as written";
    let parallel = "--parallel changes nothing: a schedule that does more than compute runs one \
                    step after the other";
    assert_eq!(said.len(), 2, "{warnings}");
    assert!(said[0].ends_with(operators), "{warnings}");
    assert!(said[1].ends_with(parallel), "{warnings}");
    // Planning says the same.
    let (_, planned) = output(&[&["bounds", RECOMPUTED], &args[..]].concat());
    assert_eq!(planned, warnings);
}

#[test]
fn a_problem_has_no_operators_to_pass_over() {
    let problem = file("passes.csv", PROBLEM);
    let text = failure(&["passes", &problem], 1);
    assert!(
        text.contains("there are no operators in this file"),
        "{text}"
    );
    let args = ["bounds", &problem, "--fuse", "--parallel", "free"];
    let (_, warnings) = output(&args);
    assert_eq!(
        warnings
            .matches("there are no operators in this file")
            .count(),
        2
    );
}
