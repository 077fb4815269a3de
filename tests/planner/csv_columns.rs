//! Tables as people have them: delimiters, quotes, numbers with units, columns of other names.

#![expect(clippy::panic_in_result_fn, reason = "a panic is how a test fails")]

use planner::load::{Columns, Document, Fault, Files, LoadError, Meaning, Part, table};
use planner::{Buffer, Lifetimes, Offset, Span};
use tests::chinese::{load, load_files};
use tests::deployed::only_plan;

fn problem(text: &str) -> Result<Lifetimes, LoadError> {
    match load(&text.as_bytes().to_vec())? {
        (_, Document::Problem(lifetimes), _) => Ok(lifetimes),
        other => panic!("{other:?}"),
    }
}

fn with(text: &str, columns: &[(Meaning, &str)]) -> Result<Document, LoadError> {
    let columns = columns.iter().map(|(it, name)| (*it, (*name).to_owned()));
    let source = text.as_bytes().to_vec();
    let part = Part {
        name: "file",
        source: &source,
    };
    let loaded = load_files(&Files {
        columns: &Columns(columns.collect()),
        ..Files::new(&[part])
    })?;
    Ok(loaded.1)
}

fn place(error: &LoadError) -> (Fault, String) {
    (error.kind, error.place.to_string())
}

#[test]
fn any_of_three_delimiters_separates_cells() {
    let expected = [
        Buffer::new("a", 4, Span::new(0, 3)),
        Buffer::new("b", 8, Span::new(2, 9)),
    ];
    for text in [
        "id;lower;upper;size\na;0;3;4\nb;2;9;8\n",
        "id\tlower\tupper\tsize\r\na\t0\t3\t4\r\nb\t2\t9\t8",
        "\"id\",\"lower\",\"upper\",\"size\"\n\"a\",\"0\",\"3\",\"4\"\n\"b\",2,9,8\n",
        // More columns of its name are known by another delimiter than there are commas.
        "id;lower;upper;size;\"x, y, z, u, v, w\"\na;0;3;4;-\nb;2;9;8;-\n",
        // Rows without any cell, as spreadsheets leave them.
        "id,lower,upper,size\n,,,\na,0,3,4\nb,2,9,8\n,,,\n",
    ] {
        assert_eq!(problem(text).unwrap().buffers, expected, "{text}");
    }
}

#[test]
fn quotes_hold_delimiters_quotes_and_lines() {
    let text = "id,lower,upper,size\n\"a, \"\"b\"\"\",0,3,4\n\"c\nd\",2,9,8\n";
    let lifetimes = problem(text).unwrap();
    let names: Vec<&str> = lifetimes
        .buffers
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["a, \"b\"", "c\nd"]);
    // The row of three lines begins on the second, and the next one is the fifth.
    let rows = |third: &str| format!("id,lower,upper,size\n\"a\n\nb\",0,3,4\n{third}\n");
    let error = problem(&rows("c,0,x,4")).unwrap_err();
    assert_eq!(
        place(&error),
        (Fault::Malformed, "line 5, column \"upper\"".into())
    );
    let long = "id,lower,upper,size\n\"a\n\nb\",0,x,4\n";
    let error = problem(long).unwrap_err();
    assert_eq!(
        place(&error),
        (Fault::Malformed, "line 2, column \"upper\"".into())
    );
    // What is never closed swallows the rest, and is said of the row that opens it.
    let error = problem("id,lower,upper,size\na,0,3,4\n\"b,0,3,4\nc,0,3,4\n").unwrap_err();
    assert_eq!(place(&error), (Fault::Malformed, "line 3".into()));
    assert!(
        error.message.to_string().contains("quotation mark"),
        "{error}"
    );
}

/// KiB is 1024 bytes and kB 1000, as IEC 80000-13 and SI have them.
#[test]
fn numbers_are_read_exactly_or_not_at_all() {
    let size = |cell: &str| {
        let text = format!("id,lower,upper,size\na,0,1,{cell}\n");
        problem(&text).map(|it| it.buffers[0].size.0)
    };
    for (cell, bytes) in [
        ("0x1F", 31),
        ("0X_40", 64),
        ("1_000_000", 1_000_000),
        ("1 000 000", 1_000_000),
        ("1\u{a0}024 KiB", 1 << 20),
        ("3.0", 3),
        ("392KiB", 401_408),
        ("392 kib", 401_408),
        ("392kB", 392_000),
        ("392 KB", 392_000),
        ("1.5MiB", 1_572_864),
        ("0.125 KiB", 128),
        ("2 GiB", 1 << 31),
        ("7B", 7),
    ] {
        assert_eq!(size(cell).ok(), Some(bytes), "{cell}");
    }
    for (cell, fault) in [
        // A tenth of 1024 is no whole number.
        ("0.1KiB", Fault::Malformed),
        ("1.5", Fault::Malformed),
        // 1536 bytes in English, 1 536 000 to who writes thousands with points.
        ("1.500KiB", Fault::Malformed),
        ("1.024", Fault::Malformed),
        ("\"1,024\"", Fault::Malformed),
        ("1 0240", Fault::Malformed),
        ("10 24", Fault::Malformed),
        ("1234 567", Fault::Malformed),
        ("0x", Fault::Malformed),
        ("4 K", Fault::Malformed),
        ("-4", Fault::Malformed),
        ("+4", Fault::Malformed),
        ("1e3", Fault::Malformed),
        ("KiB", Fault::Malformed),
        ("18446744073709551616", Fault::Limit),
        ("16777216TiB", Fault::Limit),
    ] {
        let error = size(cell).unwrap_err();
        assert_eq!(
            place(&error),
            (fault, "line 2, column \"size\"".into()),
            "{cell}"
        );
    }
    // Steps have no unit.
    let error = problem("id,lower,upper,size\na,0,3KiB,4\n").unwrap_err();
    assert_eq!(
        place(&error),
        (Fault::Malformed, "line 2, column \"upper\"".into())
    );
}

/// A unit in the header is that of the cells that have none of their own.
#[test]
fn a_header_names_the_unit_of_its_cells() {
    for (header, cell, bytes) in [
        ("size (KiB)", "2", 2048),
        ("Size [MB]", "1.5", 1_500_000),
        ("size_bytes", "2", 2),
        ("size_kib", "3 B", 3),
    ] {
        let text = format!("id,lower,upper,{header}\na,0,1,{cell}\n");
        assert_eq!(problem(&text).unwrap().buffers[0].size.0, bytes, "{header}");
    }
    // A step has no unit, so that this is another column.
    let error = problem("id,lower,upper (MB),size\na,0,1,2\n").unwrap_err();
    assert_eq!(error.kind, Fault::Columns);
}

#[test]
fn rows_without_an_id_have_their_number() {
    let lifetimes = problem("name,lower,upper,size\nx,0,1,4\nx,0,1,4\n,0,1,4\n").unwrap();
    let names: Vec<&str> = lifetimes
        .buffers
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["x", "x (2)", "3"]);
}

const FOREIGN: &str = "tensor,first_use,last_use,kilobytes,addr\nx,0,2,4,8\ny,2,3,4,16\n";

#[test]
fn a_table_with_other_names_says_which_there_are() {
    let error = problem(FOREIGN).unwrap_err();
    assert_eq!(place(&error), (Fault::Columns, "line 1".into()));
    for name in ["tensor", "first_use", "last_use", "kilobytes", "addr"] {
        assert!(
            error.message.to_string().contains(&format!("\"{name}\"")),
            "{error}"
        );
    }
    let error = problem("id,lower,upper\na,0,3\n").unwrap_err();
    assert_eq!(place(&error), (Fault::Columns, "line 1".into()));
    // Prose, numbers without a header and tables without three columns of numbers are none.
    for text in [
        "one,two\n1,2\n",
        "1,2,3\n4,5,6\n",
        "a,b,c\nx,y,z\n",
        "who,what,when,where\nme,1,2,x\n",
        "one,two,three\n1,2\n",
        "one,two,three\n",
        "a, b, c\nand so on, and on, and on\n",
    ] {
        assert_eq!(
            problem(text).unwrap_err().kind,
            Fault::UnknownFormat,
            "{text}"
        );
    }
}

#[test]
fn columns_mean_what_somebody_says() {
    let lower = (Meaning::Lower, "first_use");
    let size = (Meaning::Size, "kilobytes");
    let spans = |end: Meaning| {
        let document = with(FOREIGN, &[lower, (end, "last_use"), size]).unwrap();
        let Document::Problem(lifetimes) = document else {
            panic!("{document:?}")
        };
        let spans = lifetimes.buffers.iter().map(|it| it.span);
        (lifetimes.buffers[0].name.clone(), spans.collect::<Vec<_>>())
    };
    let name = "x".to_owned();
    let exclusive = vec![Span::new(0, 2), Span::new(2, 3)];
    assert_eq!(spans(Meaning::Upper), (name.clone(), exclusive));
    let inclusive = vec![Span::new(0, 3), Span::new(2, 4)];
    assert_eq!(spans(Meaning::End), (name, inclusive));
    let end = (Meaning::End, "last_use");
    let offset = (Meaning::Offset, "addr");
    let (_, plan) = only_plan(with(FOREIGN, &[lower, end, size, offset]).unwrap());
    assert_eq!(plan.offsets, [Offset(8), Offset(16)]);
    // What is said outdoes what a name says.
    let swapped = "id,lower,upper,size,end\na,0,9,4,3\n";
    let document = with(swapped, &[(Meaning::End, "end")]).unwrap();
    assert!(matches!(document, Document::Problem(it) if it.buffers[0].span == Span::new(0, 4)));
    // A meaning without a column has none, whatever the names say.
    let plan = "id,lower,upper,size,offset\na,0,9,4,3\n";
    let document = with(plan, &[(Meaning::Offset, "")]).unwrap();
    assert!(matches!(document, Document::Problem(_)));
    // A column that is not there is said.
    let error = with(FOREIGN, &[lower, end, (Meaning::Size, "bites")]).unwrap_err();
    assert_eq!(place(&error), (Fault::Columns, "line 1".into()));
    assert!(error.message.to_string().contains("\"bites\""), "{error}");
}

#[test]
fn meanings_are_guessed_from_names() {
    let guess = |header: &str| {
        let source = header.as_bytes().to_vec();
        let part = Part {
            name: "file",
            source: &source,
        };
        let table = table(&[part]).unwrap();
        let pairs = table.guess.0.into_iter();
        let pairs = pairs.map(|(meaning, column)| format!("{}={column}", meaning.name()));
        let mut pairs: Vec<String> = pairs.collect();
        pairs.sort_unstable();
        pairs.join(",")
    };
    for (header, guessed) in [
        // The last use is a step at which the buffer is needed.
        (
            "tensor,first_use,last_use,nbytes",
            "end=last_use,lower=first_use,name=tensor,size=nbytes",
        ),
        (
            "id,alloc_time,free_time,bytes,address",
            "id=id,lower=alloc_time,offset=address,size=bytes,upper=free_time",
        ),
        (
            "Start Time;End Time;Size (KiB);align",
            "alignment=align,lower=Start Time,size=Size (KiB),upper=End Time",
        ),
        // What is known comes before what is only likely, and no column is taken twice.
        (
            "first,start,last,end,len,size",
            "end=end,lower=start,size=size",
        ),
        ("one,two,three", ""),
    ] {
        assert_eq!(guess(header), guessed, "{header}");
    }
}
