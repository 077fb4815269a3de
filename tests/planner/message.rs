//! Messages: a template and its arguments, in English, in Chinese and between parts of a program.

use planner::message::Argument;
use planner::{Message, message};

fn line(number: u32) -> Message {
    message!("line {}", number)
}

#[test]
fn arguments_stand_in_their_holes() {
    let name = "a {} b";
    let said = message!("two columns mean {}", format_args!("{:?}", "say \"x\""));
    assert_eq!(said, "two columns mean \"say \\\"x\\\"\"");
    // A hole in an argument is none of the template.
    assert_eq!(message!("{}: {}", name, line(3)), "a {} b: line 3");
    assert_eq!(message!("{}", format_args!("{:.1}", 0.25)), "0.2");
    assert_eq!(message!("the cell is empty"), "the cell is empty");
    // One of them is a byte.
    let [one, ten] = [1, 10].map(|count| message!("more than {} bytes in one line", count));
    assert_eq!(one, "more than 1 byte in one line");
    assert_eq!(ten, "more than 10 bytes in one line");
    assert!(Message::verbatim("").is_empty() && !line(0).is_empty());
    let list = Message::list([line(1), line(2)], "; ");
    assert_eq!(list, "line 1; line 2");
    assert_eq!(Message::list([], "; "), "");
}

#[test]
fn a_sentence_within_a_sentence_stays_one() {
    let said = message!("{}: more than {} rows", line(3), 7);
    let [Argument::Message(at), Argument::Verbatim(rows)] = said.arguments() else {
        panic!("{said:?}");
    };
    assert_eq!((at, rows.as_str()), (&line(3), "7"));
    // So does a reference to one.
    let at = &line(3);
    assert_eq!(message!("{}: more than {} rows", at, 7), said);
}

/// Between page and worker with its parts, in files as people read it.
#[test]
fn it_goes_over_with_its_parts() {
    let said = message!("\"{}\" is no list of gaps: {}", "x", line(3));
    let bytes = postcard::to_allocvec(&said).expect("bytes");
    assert_eq!(postcard::from_bytes::<Message>(&bytes).as_ref(), Ok(&said));
    let json = serde_json::to_string(&said).expect("text");
    assert_eq!(json, r#""\"x\" is no list of gaps: line 3""#);
    let read: Message = serde_json::from_str(&json).expect("a text");
    assert_eq!(read, *said.to_string());
}

/// What a file says stays as it is, also where it looks like a sentence of ours.
#[test]
fn chinese_comes_from_the_template() {
    let said = message!("there is no column \"{}\" among {}", "line 3", "a; b");
    let chinese = error_texts::in_chinese(&said);
    assert_eq!(chinese, "a; b 中没有列 \"line 3\"");
    let said = message!(
        "\"{}\" is no list of gaps: {}",
        "x",
        message!("the cell is empty")
    );
    assert_eq!(
        error_texts::in_chinese(&said),
        "\"x\" 不是间隙列表：单元格为空"
    );
    // Without a row it stays in English; of a list the signs go over.
    let list = Message::list([line(1), message!("nobody says {}", 2)], "; ");
    assert_eq!(error_texts::in_chinese(&list), "第 1 行；nobody says 2");
    // What a library says has no parts.
    let library = Message::verbatim("missing field `size`");
    assert_eq!(error_texts::in_chinese(&library), "缺少字段 `size`");
    assert_eq!(error_texts::in_chinese(&Message::verbatim("map")), "map");
}
