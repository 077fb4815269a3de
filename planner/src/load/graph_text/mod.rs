//! Text graphs: a small language for graphs, one operator a line, shapes inferred.
//!
//! ```text
//! # A convolution over an image of any height.
//! graph tiny onnx 17
//! let H = 224
//! input x: f32[1, 3, H, 224]
//! const w: f32[16, 3, 3, 3]
//! y = Conv(x, w) strides=[2, 2] pads=[1, 1, 1, 1]
//! a, _ = Split(y) axis=1 num_outputs=2
//! z = Slice(a, [0], [4], [1])
//! output z
//! ```
//!
//! | line | what it says |
//! |---|---|
//! | `graph NAME onnx N`, `graph NAME tflite` | the name, which may be left out, and the operators' dialect: of ONNX the version, [`OPSET`] where nothing is said |
//! | `let NAME = N, …` | a symbolic dimension and its value unless it is bound |
//! | `input TENSOR, …` | what the caller feeds, in its order |
//! | `const TENSOR`, `const TENSOR = ELEMENTS` | a constant without its elements, or with them: a number, or a list in row-major order |
//! | `state TENSOR, …` | what is kept from one run to the next; operators may write it |
//! | `TENSOR, … = CALL`, `CALL` | an operator and what it writes; `_` for an output that nobody wants |
//! | `output NAME, …` | what the caller reads, in its order |
//! | `order NAME, …` | tensors in the order in which the file has them, where that is not the order of these lines: planners break ties by it |
//!
//! - A TENSOR is `NAME: TYPE`, such as `x: f32[1, H, ?]`. `H<=64` is H, but at most 64. `?` is an unknown dimension, `?=8` one
//!   of which the file gives an example. A constant without brackets has no dimensions, any
//!   other tensor an unknown rank. What an operator writes needs no type, unless its shape cannot
//!   be inferred; in TFLite it has the element type of the first input. After the type there may
//!   be `q(SCALE, ZERO_POINT)`, or lists of both and the axis, for quantised elements, and
//!   `@BYTES` for the offset that the file gives.
//! - A CALL is `KIND(INPUT, …)` or `DOMAIN::KIND(INPUT, …)`, and then attributes. An INPUT is a
//!   name, `_` for one that is left out, or elements: integers are i64 in ONNX and i32 in
//!   TFLite, numbers with a point or an exponent f32.
//! - An attribute is `KEY=VALUE`: `3`, `[1, 2]`, `0.5`, `[0.5, 1.0]`, `linear`, `"a text"`,
//!   `["a", "b"]`, `floats[]`, `texts[]`, `@NAME` of a constant, or `subgraph(N)`, a subgraph of N operators.
//!   `name=`, `stream=` and `captures=[NAME, …]` (what subgraphs read) belong to the operator
//!   itself, unless they are quoted. The `value` of an ONNX `Constant` is its elements.
//! - A name is a word of letters, digits, `_` and `.` that begins with a letter or `_`, or
//!   quoted: `"conv/BiasAdd:0"`, with `\"`, `\\`, `\n`, `\r`, `\t` and `\u{hex}`.
//! - Lines may stand in any order; operators keep theirs as far as it can run.

mod assemble;
mod base;
mod elements;
mod lexer;
mod operators;
mod parser;
mod statement;

use super::text::BYTE_ORDER_MARK;
use super::{Fault, LoadError, Source, Warning, text};
use crate::graph::Graph;
use crate::{Message, message};
use parser::Parser;
use statement::Statement;

pub(crate) use elements::{decoded, element_count, natural};
pub(crate) use lexer::is_plain;
pub(crate) use operators::default_name;

/// The version of ONNX's operators where the text names none: none newer differs in anything
/// that is planned.
pub(crate) const OPSET: u32 = 21;
/// The most bytes of a text.
const MAX_TEXT: u64 = 64 << 20;
/// The most bytes of a line.
const MAX_LINE: usize = 1 << 20;
/// The most names, numbers and signs.
const MAX_TOKENS: usize = 1 << 22;

/// Whether a file that begins with `head` is a text graph: its first line that is no comment
/// says what only a text graph says.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.skip_while(|line| line.is_empty() || line.starts_with(b"#"));
    let line = lines.next().unwrap_or_default();
    let end = line.iter().position(|byte| !byte.is_ascii_lowercase());
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    let spaced = rest.first().is_some_and(u8::is_ascii_whitespace);
    match word {
        b"graph" => rest.is_empty() || spaced && !rest.contains(&b'{') && !rest.contains(&b'('),
        b"input" | b"state" => spaced && rest.contains(&b':'),
        b"const" => spaced && (rest.contains(&b':') || rest.contains(&b'=')),
        b"let" => spaced && rest.contains(&b'='),
        _ => false,
    }
}

/// Reads the text in `source`.
///
/// # Errors
/// See [`parse`].
pub(super) fn read(source: &dyn Source) -> Result<(Graph, Vec<Warning>), LoadError> {
    text::limited(source, MAX_TEXT)?;
    parse(&text::read(source)?, None)
}

/// Reads a graph. What a text does not hold, the elements of large constants and how elements
/// are quantised, is that of the tensor of `base` with the same name, type and shape.
///
/// # Errors
/// [`Fault::Text`] with line and column, or [`Fault::Limit`].
pub fn parse(text: &str, base: Option<&Graph>) -> Result<(Graph, Vec<Warning>), LoadError> {
    let mut lines = Vec::new();
    let mut tokens = 0;
    // What is pasted may begin with the mark that files begin with.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1..).zip(text.lines()) {
        if line.len() > MAX_LINE {
            let message = message!("more than {} bytes in one line", MAX_LINE);
            return Err(limit(number, 1, message));
        }
        let mut parser = Parser::new(number, line)?;
        tokens += parser.len();
        if tokens > MAX_TOKENS {
            let message = message!("more than {} names, numbers and signs", MAX_TOKENS);
            return Err(limit(number, 1, message));
        }
        if parser.len() > 0 {
            lines.push((number, parser.statement()?));
        }
    }
    assemble::assemble(&lines, base)
}

/// The tensors that a line defines, in its order; none of a line that cannot be read.
#[must_use]
pub fn defined(line: &str) -> Vec<String> {
    let statement = Parser::new(1, line).and_then(|mut parser| parser.statement());
    let targets = match statement {
        Ok(Statement::Input(targets) | Statement::State(targets)) => targets,
        Ok(Statement::Const(target, _)) => vec![target],
        Ok(Statement::Call(call)) => call.outputs.into_iter().flatten().collect(),
        Ok(
            Statement::Graph { .. }
            | Statement::Let(_)
            | Statement::Output(_)
            | Statement::Order(_),
        )
        | Err(_) => Vec::new(),
    };
    targets.into_iter().map(|it| it.name.text).collect()
}

/// What is wrong at a place of the text; lines and columns count from 1, columns in characters.
fn fault(line: usize, column: usize, message: Message) -> LoadError {
    Fault::Text.at(message!("line {}, column {}", line, column), message)
}

/// What is too much there.
fn limit(line: usize, column: usize, message: Message) -> LoadError {
    LoadError {
        kind: Fault::Limit,
        ..fault(line, column, message)
    }
}
