//! `arenascope requests`: the key-value cache under each placement.

use super::{failure, file, json, output};

/// By hand: two requests of 3 + 2 tokens at once, 10 bytes a token. Each has one block of 5 tokens;
/// in pages of 4 tokens each has two.
const TABLE: &[u8] =
    b"# bytes_per_token=10\n# page=4\nid,arrival,prompt,output\na,0,3,2\nb,0,3,2\n";

#[test]
fn placements_are_what_they_are_by_hand() {
    let path = file("requests.csv", TABLE);
    let report = json(&["requests", &path, "--format", "json"]);
    let rows = report["placements"].as_array().expect("rows");
    let of = |name: &str| {
        let row = rows.iter().find(|it| it["placement"] == name);
        let row = row.unwrap_or_else(|| panic!("{name} in {rows:?}"));
        [&row["bytes"], &row["most_running"], &row["last_end"]].map(|it| it.as_u64())
    };
    let expected = |bytes| [Some(bytes), Some(2), Some(2)];
    assert_eq!(of("longest"), expected(2 * 50));
    // Two pages are a power of two.
    assert_eq!(of("buddy"), expected(2 * 80));
    assert_eq!(of("paged"), expected(2 * 80));
    assert_eq!(rows.len(), 3);
}

/// What is drawn from a seed comes back as it was written.
#[test]
fn a_seeded_workload_is_a_table_that_opens() {
    let seeded = [
        "requests",
        "--seed",
        "7",
        "--count",
        "20",
        "--capacity",
        "2GiB",
    ];
    let (text, _) = output(&[&seeded[..], &["--format", "csv"]].concat());
    let path = file("seeded.csv", text.as_bytes());
    let [drawn, read] = [&seeded[..], &["requests", path.as_str()]]
        .map(|args| json(&[args, &["--format", "json"]].concat()));
    assert_eq!(drawn, read);
    let checked = json(&["check", &path, "--format", "json"]);
    let arenas = checked["arenas"].as_array().map(Vec::len);
    assert_eq!(arenas, Some(4), "{checked}");
}

/// More memory never holds fewer requests.
#[test]
fn how_many_fit_is_a_rising_curve() {
    let (text, _) = output(&[
        "requests", "--count", "60", "--every", "1", "--format", "fit",
    ]);
    let rows: Vec<Vec<u64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            line.split_whitespace()
                .map(|it| it.parse().unwrap_or(0))
                .collect()
        })
        .collect();
    assert_eq!(rows.len(), 16);
    for pair in rows.windows(2) {
        assert!(
            pair[0]
                .iter()
                .zip(&pair[1])
                .all(|(less, more)| less <= more),
            "{text}"
        );
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    for args in [
        &["--bytes-per-token", "0"][..],
        &["--count", "0"],
        &["--page", "0"],
        &["--prompt", "9..3"],
        &["--prompt", "0..3"],
    ] {
        failure(&[&["requests"], args].concat(), 2);
    }
    let path = file("broken.csv", b"id,arrival,prompt,output\na,0,0,1\n");
    assert!(failure(&["requests", &path], 1).contains("line 2"));
}
