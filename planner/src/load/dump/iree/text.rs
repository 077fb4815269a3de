//! MLIR's text as far as a pack needs it: functions, lines, and the values in a line.

use crate::load::{Fault, LoadError};
use crate::{Message, message};

/// What MLIR writes over each IR that it prints.
pub(super) const HEADER: &str = "// -----// IR Dump ";
/// What functions without a symbol are called.
pub(super) const INITIALIZER: &str = "initializer";
/// The pass whose work is read.
const PASS: &str = "iree-stream-layout-slices";

/// A function as it was printed once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function<'t> {
    /// Its symbol, or what it is where it has none.
    pub(super) name: &'t str,
    /// The line that it starts on, from 1.
    pub(super) line: usize,
    /// All its lines.
    pub(super) lines: &'t [&'t str],
}

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Printed<'t> {
    /// Every function that schedules or packs memory, in the text's order.
    pub(super) functions: Vec<Function<'t>>,
    /// Those that allocate memory without either.
    pub(super) allocating: Vec<Function<'t>>,
    /// Whether some IR was printed before the pass.
    pub(super) before: bool,
    /// Whether some IR was printed after the pass.
    pub(super) after: bool,
}

/// The functions in `lines` that schedule or pack memory.
///
/// # Errors
/// [`Fault::Truncated`] when one is not closed.
pub(super) fn printed<'t>(lines: &'t [&'t str]) -> Result<Printed<'t>, LoadError> {
    let mut found = Printed::default();
    let mut open: Option<(usize, &str)> = None;
    for (index, line) in lines.iter().enumerate() {
        if let Some(title) = line.strip_prefix(HEADER) {
            if let Some((start, _)) = open {
                return Err(unclosed(start));
            }
            found.before |= title.starts_with("Before") && title.contains(PASS);
            found.after |= title.starts_with("After") && title.contains(PASS);
        }
        match open {
            None if opens(line) => open = Some((index, indent(line))),
            Some((start, margin)) if line.strip_prefix(margin) == Some("}") => {
                open = None;
                let body = lines.get(start..=index).unwrap_or_default();
                let function = Function {
                    name: title(lines.get(start).copied().unwrap_or_default()),
                    line: start + 1,
                    lines: body,
                };
                if body.iter().any(|line| schedules(line)) {
                    found.functions.push(function);
                } else if body
                    .iter()
                    .any(|line| line.contains("stream.resource.alloca "))
                {
                    found.allocating.push(function);
                }
            }
            _ => {}
        }
    }
    match open {
        Some((start, _)) => Err(unclosed(start)),
        None => Ok(found),
    }
}

fn unclosed(start: usize) -> LoadError {
    fault(
        Fault::Truncated,
        start + 1,
        message!("this function is not closed"),
    )
}

/// Whether a function with a body starts on this line.
fn opens(line: &str) -> bool {
    const KINDS: [&str; 3] = ["util.func ", "func.func ", "util.initializer"];
    let text = line.trim_start();
    KINDS.iter().any(|kind| text.starts_with(kind)) && text.ends_with('{')
}

/// Whether the line executes commands or packs their memory.
fn schedules(line: &str) -> bool {
    line.contains("stream.resource.pack ") || line.contains("stream.cmd.execute ")
}

/// The white space that a line starts with.
pub(super) fn indent(line: &str) -> &str {
    let width = line.len() - line.trim_start().len();
    line.get(..width).unwrap_or_default()
}

/// What a function is called that starts on this line.
fn title(line: &str) -> &str {
    match line.trim_start().starts_with("util.initializer") {
        true => INITIALIZER,
        false => symbol(line),
    }
}

/// The first symbol of a line without its `@`.
pub(super) fn symbol(line: &str) -> &str {
    let end = |text: &str| {
        let stop = |letter: char| !(letter.is_alphanumeric() || "_$.-".contains(letter));
        text.find(stop).unwrap_or(text.len())
    };
    let (_, text) = line.split_once('@').unwrap_or_default();
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => text.get(..end(text)).unwrap_or_default(),
    }
}

/// A value in a line: its name with the `%`, and which of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value<'t> {
    /// Its name, `%` included.
    pub(super) name: &'t str,
    /// The number after `#`; 0 where there is none.
    pub(super) result: usize,
    /// Where in the line it starts.
    pub(super) start: usize,
    /// Where in the line it ends.
    pub(super) end: usize,
}

/// The values in a line, from left to right.
pub(super) fn values(line: &str) -> impl Iterator<Item = Value<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + line.get(from..)?.find('%')?;
        let part = |letter: char| letter.is_ascii_alphanumeric() || "_$.-".contains(letter);
        let rest = line.get(start + 1..)?;
        let stop = rest.find(|letter| !part(letter)).unwrap_or(rest.len());
        // A dash belongs to a name only inside: `%a->` would be an arrow.
        let stop = rest.get(..stop)?.trim_end_matches('-').len();
        let mut end = start + 1 + stop;
        let name = line.get(start..end)?;
        let mut result = 0;
        if let Some(digits) = line.get(end..)?.strip_prefix('#') {
            let digit = |letter: char| !letter.is_ascii_digit();
            let digits = digits.get(..digits.find(digit).unwrap_or(digits.len()))?;
            end += 1 + digits.len();
            result = digits.parse().unwrap_or(usize::MAX);
        }
        from = end;
        Some(Value {
            name,
            result,
            start,
            end,
        })
    })
}

/// The pieces of a line between its values: two lines with the same pieces are the same
/// operation on other values.
pub(super) fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut values = values(line);
    let mut from = Some(0);
    std::iter::from_fn(move || {
        let start = from?;
        let (end, next) = match values.next() {
            Some(value) => (value.start, Some(value.end)),
            None => (line.len(), None),
        };
        from = next;
        line.get(start..end)
    })
}

/// The operation of a line: what stands after the results.
pub(super) fn operation(line: &str) -> &str {
    let text = line.trim_start();
    match text.starts_with('%') {
        true => text.split_once(" = ").map_or(text, |(_, rest)| rest),
        false => text,
    }
}

/// The names that a line defines.
pub(super) fn results(line: &str) -> impl Iterator<Item = &str> {
    let text = line.trim_start();
    let left = text.starts_with('%').then(|| text.split_once(" = "));
    let left = left.flatten().map_or("", |(left, _)| left);
    values(left).map(|value| value.name)
}

/// The number of an index constant.
pub(super) fn constant(line: &str) -> Option<u64> {
    let text = operation(line).strip_prefix("arith.constant ")?;
    text.split(' ').next()?.parse().ok()
}

/// Whether a line only computes with numbers, which the pass adds as it likes.
pub(super) fn computes(line: &str) -> bool {
    let operation = operation(line);
    operation.starts_with("arith.") || operation.starts_with("util.align ")
}

/// A fault on a line.
pub(super) fn fault(kind: Fault, line: usize, message: Message) -> LoadError {
    kind.at(message!("line {}", line), message)
}
