//! Operators of which only a run finds how much they give: bounds on the command line.

use super::{failure, file, json, output};

/// Twelve elements: two rows of at most twelve places of 8 bytes.
const TEXT: &str = "input x: f32[3, 4]\nplaces = NonZero(x)\nn = Identity(places)\noutput n\n";

#[test]
fn a_count_is_bound_as_dimensions_are() {
    let path = file("places.graph", TEXT.as_bytes());
    let plan = ["plan", &path, "--strategy", "best", "--align", "1"];
    let (table, _) = output(&plan);
    assert!(
        table.contains("at most 12: NonZero in \"places\", by the sizes of what it reads"),
        "{table}"
    );
    for (bind, most, by) in [
        ("places=5", 5, "set"),
        ("at_most=7", 7, "set"),
        ("places=99", 12, "shapes"),
    ] {
        let args = [&plan[..], &["--bind", bind, "--format", "json"]].concat();
        let report = json(&args);
        let count = &report["counts"][0];
        assert_eq!(
            (&count["at_most"], &count["by"]),
            (&most.into(), &by.into()),
            "{bind}"
        );
        assert_eq!(report["plans"][0]["arena"], most * 2 * 8, "{bind}");
    }
    let wrong = failure(&[&plan[..], &["--bind", "place=5"]].concat(), 2);
    assert!(wrong.contains("the file has: places, at_most"), "{wrong}");
    let (sweep, _) = output(&[
        "sweep",
        &path,
        "--over",
        "places=1,2",
        "--strategy",
        "best",
        "--align",
        "1",
        "--format",
        "csv",
    ]);
    assert!(
        sweep.contains("\n1,16,16,0,16,\n2,32,32,0,32,\n"),
        "{sweep}"
    );
}
