//! What is wrong with a text, and where.

use super::error;
use planner::load::{Fault, load};

/// Text, line and column, and a part of the message.
const WRONG: [(&str, &str, &str); 48] = [
    ("x = Relu(y)", "line 1, column 10", "nothing defines \"y\""),
    (
        "\n\ninput x: f32[1]\n  output y",
        "line 4, column 10",
        "nothing defines \"y\"",
    ),
    (
        "input x: f32[1]\ny = Relu(x) captures=[x, z]",
        "line 2, column 26",
        "nothing defines \"z\"",
    ),
    (
        "y = Relu() a=@z",
        "line 1, column 15",
        "nothing defines \"z\"",
    ),
    (
        "input x: f32[1]\ninput x: f32[2]",
        "line 2, column 7",
        "line 1 defines \"x\" already",
    ),
    (
        "input x: f32[1]\ny = Relu(x)\na, y = Relu(x)",
        "line 3, column 4",
        "line 2 defines \"y\" already",
    ),
    (
        "input x: f32[1]\n\"x\" = Relu(x)",
        "line 2, column 1",
        "line 1 defines \"x\" already",
    ),
    (
        "y, y = Split()",
        "line 1, column 4",
        "line 1 defines \"y\" already",
    ),
    (
        "graph a\ngraph b",
        "line 2, column 1",
        "line 1 defines \"graph\" already",
    ),
    (
        "let N = 1, N = 2",
        "line 1, column 12",
        "line 1 defines \"N\" already",
    ),
    (
        "input x: f32[1]\noutput x, x",
        "line 2, column 11",
        "listed twice among the outputs",
    ),
    (
        "x = Relu() a=1 a=2",
        "line 1, column 16",
        "attribute \"a\" is given twice",
    ),
    (
        "x = Relu() name=a name=b",
        "line 1, column 19",
        "attribute \"name\" is given twice",
    ),
    (
        "input x: f31[1]",
        "line 1, column 10",
        "here should be an element type such as f32, not `f31`",
    ),
    ("input x: [1]", "line 1, column 10", "an element type"),
    (
        "input x",
        "line 1, column 7",
        "it needs an element type and a shape",
    ),
    (
        "const x",
        "line 1, column 7",
        "it needs an element type and a shape",
    ),
    (
        "input x: f32[N]",
        "line 1, column 14",
        "no dimension is called \"N\"",
    ),
    (
        "input x: f32[1, 2",
        "line 1, column 18",
        "the line ends where there should be `,` or `]`",
    ),
    (
        "input x: f32[-1]",
        "line 1, column 14",
        "a whole number from 0 up, not `-1`",
    ),
    (
        "input x: f32[1.5]",
        "line 1, column 14",
        "a whole number from 0 up, not `1.5`",
    ),
    (
        "input x: f32[18446744073709551616]",
        "line 1, column 14",
        "a whole number from 0 up",
    ),
    ("x = Relu(", "line 1, column 10", "a name, elements or `_`"),
    ("x = Relu(y", "line 1, column 11", "`,` or `)`"),
    (
        "x = Relu y",
        "line 1, column 10",
        "here should be `(`, not `y`",
    ),
    (
        "x = ",
        "line 1, column 4",
        "the line ends where there should be an operator such as Relu(x)",
    ),
    (
        "x Relu(y)",
        "line 1, column 3",
        "here should be `=`, not `Relu`",
    ),
    (
        "x = 3",
        "line 1, column 5",
        "an operator such as Relu(x), not `3`",
    ),
    (
        "x = Relu() 3",
        "line 1, column 12",
        "an attribute such as axis=1",
    ),
    (
        "x = Relu() axis",
        "line 1, column 16",
        "there should be `=`",
    ),
    (
        "x = Relu() axis=",
        "line 1, column 17",
        "a value: numbers, a text or `@` and a name",
    ),
    (
        "x = Relu() axis=[1, a]",
        "line 1, column 21",
        "here should be a number, not `a`",
    ),
    (
        "x = Relu() axis=[a, 1]",
        "line 1, column 21",
        "here should be a text, not `1`",
    ),
    (
        "x = If() then=graph(3)",
        "line 1, column 15",
        "here should be `floats[]`, `texts[]` or `subgraph(1)`, not `graph`",
    ),
    (
        "x = Relu() axis=floats[1]",
        "line 1, column 24",
        "here should be `]`, not `1`",
    ),
    (
        "x = Relu() axis=3x",
        "line 1, column 17",
        "`3x` is no number that fits here",
    ),
    (
        "x = Relu() axis=9223372036854775808 b=1",
        "line 1, column 17",
        "",
    ),
    (
        "output",
        "line 1, column 7",
        "the line ends where there should be a name",
    ),
    (
        "graph a b",
        "line 1, column 9",
        "here should be the end of the line, not `b`",
    ),
    (
        "graph onnx x",
        "line 1, column 12",
        "a whole number from 0 up",
    ),
    (
        "const x: f32[3] = [1, 2]",
        "line 1, column 19",
        "2 elements do not fill this shape",
    ),
    (
        "const x: f32[?] = [1]",
        "line 1, column 19",
        "1 elements do not fill this shape",
    ),
    (
        "const x: i8[2] = [127, 128]",
        "line 1, column 24",
        "`128` is no number that fits here",
    ),
    (
        "const x: f16[1] = [1]",
        "line 1, column 19",
        "elements of f16 cannot be written",
    ),
    (
        "input x: i8[1] q([1, 2], 3)",
        "line 1, column 18",
        "2 scales and 1 zero points",
    ),
    (
        "input \"x: f32[1]",
        "line 1, column 7",
        "a quotation mark opens a text and nothing closes it",
    ),
    (
        "input \"größe\\x\": f32",
        "line 1, column 13",
        "this escape is unknown",
    ),
    (
        "input x: f32[1]\na = Add(b, x)\nb = Relu(a)",
        "line 2, column 1",
        "it depends on its own result",
    ),
];

#[test]
fn every_fault_is_told_with_its_place() {
    for (text, place, message) in WRONG {
        let found = error(text);
        assert_eq!(found.kind, Fault::Text, "{text}");
        assert_eq!(found.place, place, "{text}: {}", found.message);
        assert!(
            found.message.to_string().contains(message),
            "{text}: {}",
            found.message
        );
    }
}

/// Stated limits: a line, what is in all lines, dimensions, attributes, and the whole file.
#[test]
fn what_is_too_much_is_refused() {
    let line = format!("output {}", "x".repeat(1 << 20));
    let tokens = format!("output x{}\n", ",x".repeat(1 << 18)).repeat(9);
    let rank = format!("input x: f32[{}1]", "1, ".repeat(64));
    let attributes: String = (0..257).map(|it| format!(" a{it}=1")).collect();
    let attributes = format!("x = Relu(){attributes}");
    for (text, place, message) in [
        (
            line,
            "line 1, column 1",
            "more than 1048576 bytes in one line",
        ),
        (
            tokens,
            "line 8",
            "more than 4194304 names, numbers and signs",
        ),
        (rank, "line 1, column 7", "more than 64 dimensions"),
        (attributes, "line 1, column", "more than 256 attributes"),
    ] {
        let found = error(&text);
        assert!(
            found.place.to_string().starts_with(place),
            "{}: {}",
            found.place,
            found.message
        );
        assert_eq!(found.message, message);
        assert_eq!(found.kind, Fault::Limit);
    }
    let long = format!("graph\n{}", "\n".repeat(64 << 20)).into_bytes();
    let found = load(&long).expect_err("it is too long");
    assert_eq!(
        (found.kind, found.place.to_string().as_str()),
        (Fault::Limit, "file")
    );
}
