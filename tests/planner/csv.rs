//! MiniMalloc CSV: synonyms, ends, faults with line and column, round trips.

#![expect(
    clippy::panic_in_result_fn,
    clippy::unwrap_used,
    reason = "a panic is how a test fails"
)]

use planner::load::{Document, Fault, Format, LoadError, Warning};
use planner::save::csv;
use planner::{Buffer, Bytes, Lifetimes, Offset, Pause, Plan, Span, Step};
use tests::chinese::load;
use tests::deployed::only_plan;
use tests::shared;

fn read(text: &str) -> Result<(Document, Vec<Warning>), LoadError> {
    let (format, document, warnings) = load(&text.as_bytes().to_vec())?;
    assert_eq!(format, Format::Csv);
    Ok((document, warnings))
}

fn problem(text: &str) -> (Lifetimes, Vec<Warning>) {
    match read(text).unwrap() {
        (Document::Problem(lifetimes), warnings) => (lifetimes, warnings),
        other => panic!("{other:?}"),
    }
}

fn two() -> Vec<Buffer> {
    vec![
        Buffer::new("a", 4, Span::new(0, 3)),
        Buffer::new("b", 8, Span::new(2, 9)),
    ]
}

#[test]
fn synonyms_order_and_line_ends_do_not_matter() {
    for text in [
        "id,lower,upper,size\na,0,3,4\nb,2,9,8\n",
        "size,end,begin,buffer\n4,2,0,a\n8,8,2,b",
        "\u{feff}Buffer_ID, Start, Upper, Size\r\n\r\na, 0, 3, 4\r\n# note\r\nb, 2, 9, 8\r\n",
        "# a problem\n\nbuffer,lower,end,size,hint,gaps,alignment,offset\na,0,2,4,-1,,,\n\
         b,2,8,8,-1,,1,-1\n",
    ] {
        let (lifetimes, warnings) = problem(text);
        assert_eq!(lifetimes.buffers, two(), "{text}");
        assert_eq!((lifetimes.horizon, warnings), (Step(9), vec![]), "{text}");
    }
}

#[test]
fn offsets_in_every_row_make_a_plan() {
    let (document, _) = read("id,lower,upper,size,offset\na,0,3,4,16\nb,2,9,8,0\n").unwrap();
    let (lifetimes, plan) = only_plan(document);
    assert_eq!(lifetimes.buffers, two());
    assert_eq!(plan.offsets, [Offset(16), Offset(0)]);
    assert_eq!(plan.arena, Bytes(20));
    let (_, warnings) = problem("id,lower,upper,size,offset\na,0,3,4,16\nb,2,9,8,\n");
    assert_eq!(warnings[0].message, "only in 1 of 2 rows: ignored");
}

#[test]
fn what_is_not_honoured_is_said() {
    let (lifetimes, warnings) = problem(
        "id,lower,upper,size,hint,gaps,colour\na,0,3,4,64,,red\nb,2,9,8,-1,,\nc,5,5,1,-1,,\n\
         d,5,6,0,-1,,\n",
    );
    let names: Vec<_> = lifetimes
        .buffers
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "d"]);
    assert!(lifetimes.buffers.iter().all(|it| it.fixed.is_none()));
    let warnings: Vec<_> = warnings
        .iter()
        .map(|it| format!("{}: {}", it.place, it.message))
        .collect();
    assert_eq!(
        warnings,
        [
            "line 1: the column \"colour\" is unknown and ignored",
            "line 2: 1 row has a hint, which is ignored: no address is fixed",
            "line 5: 1 row has size 0",
            "line 4: 1 row ends when it starts and is left out",
        ]
    );
}

/// Pauses are half-open in steps and bytes, whatever the end of the row means.
#[test]
fn pauses_fixed_addresses_and_pools_are_read() {
    let (lifetimes, warnings) = problem(
        "id,lower,end,size,gaps,fixed,pools\na,0,9,64,1-3@16:48 4-5  7-8@0:64,32,\nb,2,8,8,,-1,1 0\n",
    );
    assert_eq!(warnings, []);
    let pause = |lower, upper, window: Option<(u64, u64)>| Pause {
        span: Span::new(lower, upper),
        window: window.map(|(start, end)| (Bytes(start), Bytes(end))),
    };
    let [a, b] = &lifetimes.buffers[..] else {
        panic!("{lifetimes:?}")
    };
    let pauses = [
        pause(1, 3, Some((16, 48))),
        pause(4, 5, None),
        pause(7, 8, Some((0, 64))),
    ];
    assert_eq!(a.pauses, pauses);
    assert_eq!((a.fixed, a.pools.as_slice()), (Some(Offset(32)), &[][..]));
    assert_eq!((b.fixed, b.pools.as_slice()), (None, &[1, 0][..]));
    assert_eq!(b.pauses, []);
}

#[test]
fn faults_of_constraints_name_their_column() {
    let many = vec!["1-2"; 1025].join(" ");
    for (pauses, fault) in [
        ("1", Fault::Malformed),
        ("1-2@3", Fault::Malformed),
        ("1-2;3-4", Fault::Malformed),
        ("-1-2", Fault::Malformed),
        ("+1-2", Fault::Malformed),
        ("2-2", Fault::Malformed),
        ("3-2", Fault::Malformed),
        ("0-5", Fault::Malformed),
        ("8-10", Fault::Malformed),
        ("4-6 2-3", Fault::Malformed),
        ("2-4 3-5", Fault::Malformed),
        ("2-4@4:4", Fault::Malformed),
        ("2-4@0:65", Fault::Malformed),
        ("2-18446744073709551616", Fault::Malformed),
        (&many, Fault::Limit),
    ] {
        let text = format!("id,lower,upper,size,gaps\na,1,9,64,{pauses}\n");
        let error = read(&text).unwrap_err();
        let place = "line 2, column \"gaps\"";
        assert_eq!(
            (error.kind, error.place.to_string().as_str()),
            (fault, place),
            "{pauses}"
        );
    }
    for (column, cell, fault) in [
        ("fixed", "-2", Fault::Malformed),
        ("fixed", "18446744073709551616", Fault::Limit),
        ("pools", "0 x", Fault::Malformed),
        ("pools", "0,1", Fault::Malformed),
        ("pools", "1 0 1", Fault::Duplicate),
        ("pools", "64", Fault::Dangling),
    ] {
        let text = format!("id,lower,upper,size,{column}\na,1,9,64,{cell}\n");
        let error = read(&text).unwrap_err();
        assert_eq!(error.kind, fault, "{column} {cell}: {error}");
        assert!(error.place.to_string().starts_with("line 2"), "{error}");
    }
    // A cell that cannot be read shows how it is written.
    for (column, cell, example) in [
        ("gaps", "3..5", "\"3-5 7-9@0:64\""),
        ("fixed", "4k", "\"4096\""),
        ("pools", "fast", "counted from 0"),
        ("pools", "1/0", "\"1 0\""),
    ] {
        let text = format!("id,lower,upper,size,{column}\na,1,9,64,{cell}\n");
        let error = read(&text).unwrap_err();
        assert_eq!(error.place, *format!("line 2, column \"{column}\""));
        let quoted = format!("\"{cell}\"");
        let says = &error.message;
        assert!(
            says.to_string().contains(&quoted) && says.to_string().contains(example),
            "{says}"
        );
    }
    // The examples are read.
    let examples = "id,lower,upper,size,gaps,fixed,pools\na,1,9,64,3-5 7-9@0:64,4096,1 0\n";
    read(examples).unwrap();
    // A comma inside a list makes a cell of its own.
    let commas = read("id,lower,upper,size,pools\na,1,9,64,0,1\n").unwrap_err();
    assert!(
        commas.message.to_string().contains("separated by spaces"),
        "{commas}"
    );
    // All sizes, paddings and fixed addresses together stay below 2^62.
    let far = "id,lower,upper,size,fixed\na,0,1,64,4611686018427387904\n";
    assert_eq!(read(far).unwrap_err().kind, Fault::Limit);
}

#[test]
fn constraints_that_are_written_read_back() {
    let text = "id,lower,upper,size,alignment,offset,gaps,fixed,pools\n\
                a,0,9,64,1,32,1-3@16:48 4-5,32,\nb,2,8,8,1,0,,-1,1 0\n";
    let (document, _) = read(text).unwrap();
    let (lifetimes, plan) = only_plan(document);
    assert_eq!(csv(&lifetimes, &plan), text);
}

#[test]
fn faults_name_line_and_column() {
    for (text, fault, place) in [
        (
            "id,lower,upper,size\na,0,3,4\na,1,2,3\n",
            Fault::Duplicate,
            "line 3, column \"id\"",
        ),
        (
            "id,lower,upper,size\na,0,x,4\n",
            Fault::Malformed,
            "line 2, column \"upper\"",
        ),
        (
            "id,lower,upper,size\na,0,3,-4\n",
            Fault::Malformed,
            "line 2, column \"size\"",
        ),
        (
            "id,lower,upper,size\na,0,3,\n",
            Fault::Malformed,
            "line 2, column \"size\"",
        ),
        (
            "id,lower,upper,size\n\na,5,3,4\n",
            Fault::Malformed,
            "line 3, column \"upper\"",
        ),
        ("id,lower,upper,size\na,0,3\n", Fault::Malformed, "line 2"),
        (
            "id,lower,upper,size\na,0,3,4,5\n",
            Fault::Malformed,
            "line 2",
        ),
        ("id,upper,size\na,3,1\n", Fault::Columns, "line 1"),
        ("id,lower,size\na,0,3\n", Fault::Columns, "line 1"),
        ("id,lower,upper,end,size\n", Fault::Duplicate, "line 1"),
        ("id,lower,start,upper,size\n", Fault::Duplicate, "line 1"),
        (
            "id,lower,upper,size\na,0,3,18446744073709551616\n",
            Fault::Limit,
            "line 2, column \"size\"",
        ),
        (
            "id,lower,upper,size\na,0,18446744073709551615,1\n",
            Fault::Limit,
            "line 2, column \"upper\"",
        ),
        (
            "id,lower,upper,size\na,0,3,4611686018427387904\n",
            Fault::Limit,
            "a",
        ),
        (
            "id,lower,upper,size\na,0,3,2305843009213693952\nb,7,9,2305843009213693952\n",
            Fault::Limit,
            "b",
        ),
        (
            "id,lower,upper,size,offset\na,0,3,4,18446744073709551615\n",
            Fault::Limit,
            "a",
        ),
        ("one,two\n1,2\n", Fault::UnknownFormat, "line 1"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(
            (error.kind, error.place.to_string().as_str()),
            (fault, place),
            "{text}: {error}"
        );
    }
}

#[test]
fn every_prefix_returns() {
    let text = "\u{feff}id,lower,upper,size,offset\r\na,0,3,4,16\r\nb,2,9,8,0\r\n";
    for end in 0..text.len() {
        let _ = load(&text.as_bytes()[..end].to_vec());
    }
}

#[test]
fn what_is_written_reads_back() {
    let mut lifetimes = Lifetimes::of(two());
    for (name, size) in [("a,b", 64), ("a\"b", 128), ("#c", 7), ("  ", 0), ("b", 1)] {
        let mut buffer = Buffer::new(name, size, Span::new(1, 4));
        buffer.alignment = Bytes(16);
        lifetimes.buffers.push(buffer);
    }
    let offsets: Vec<_> = (0..7).map(|index| Offset(1000 * index)).collect();
    let plan = Plan {
        origin: "test".into(),
        offsets,
        arena: Bytes(6001),
        ..Plan::default()
    };
    let (document, _) = read(&csv(&lifetimes, &plan)).unwrap();
    let (read, found) = only_plan(document);
    assert_eq!((found.offsets, found.arena), (plan.offsets, plan.arena));
    assert_eq!(read.horizon, lifetimes.horizon);
    let names: Vec<_> = read.buffers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "a_b", "a_b_3", "_c", "_5", "b_6"]);
    for (read, written) in read.buffers.iter().zip(&lifetimes.buffers) {
        assert_eq!((read.size, read.span), (written.size, written.span));
        assert_eq!(read.alignment, written.alignment);
    }
}

#[test]
fn real_problems_load() {
    for (name, content) in shared::files("data/minimalloc", ".csv") {
        let text = String::from_utf8(content).unwrap();
        let (lifetimes, warnings) = problem(&text);
        let rows = text.lines().count() - 1;
        assert_eq!(
            (lifetimes.buffers.len(), warnings),
            (rows, vec![]),
            "{name}"
        );
    }
}
