//! The prototype's own logs: one JSON object a line.
//!
//! | instruction | says |
//! |---|---|
//! | `CONSTANT` NAME, then `MEMORY` | a tensor that is always there |
//! | `CALL` NAME, ARGS, RESULT, TIME, then `MEMORY` and `ALIAS` of each result | an operator runs; TIME is nanoseconds; ALIAS is the argument whose bytes the result shares, or -1 |
//! | `MUTATE` NAME, ARGS, MUTATE, TIME | an operator writes over these arguments: taken as new tensors that take their names |
//! | `COPY` DST, SRC; `COPY_FROM` DST, SRC | a further name; a name that changes hands |
//! | `RELEASE` NAME | the program lets go of a name |
//! | `ANNOTATE` ANNOTATION | `START`: what stands before does not count; `BACKWARD` |
//!
//! What is still held at the end has to be there then.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::log::{Call, Event, Log, Made};
use crate::schedule::Phase;
use crate::{Message, impl_message, message};

/// The most lines.
const MAX_LINES: usize = 1 << 21;
/// The most bytes of one tensor, and the most that a call costs: sums of 2^21 of them fit 64 bits.
const MOST: u64 = 1 << 42;
/// The most tensors that calls read and make, all together.
const MAX_OPERANDS: usize = 1 << 22;

/// Why a text is no log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: Message,
}

impl LogError {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("line {}: {}", self.line, self.message)
    }
}

impl_message!(LogError);
impl std::error::Error for LogError {}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct Line {
    instruction: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    memory: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    result: Vec<String>,
    #[serde(default)]
    time: Option<String>,
    #[serde(default)]
    alias: Option<String>,
    #[serde(default)]
    dst: String,
    #[serde(default)]
    src: String,
    #[serde(default)]
    annotation: String,
    #[serde(default)]
    mutate: Vec<usize>,
}

/// Whether a text begins as such a log does.
#[must_use]
pub fn is_log(head: &str) -> bool {
    let first = head.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with('{') && line.contains("\"INSTRUCTION\""))
}

/// Reads a log.
///
/// # Errors
/// The first line that is no instruction, or too much.
pub fn read(text: &str) -> Result<Log, LogError> {
    let mut reader = Reader::new(text)?;
    while let Some((number, line)) = reader.next()? {
        reader.line(number, &line)?;
    }
    reader.end();
    Ok(reader.log)
}

fn fault(line: usize, message: Message) -> LogError {
    LogError { line, message }
}

struct Reader<'t> {
    lines: std::iter::Peekable<std::iter::Zip<std::ops::RangeFrom<usize>, std::str::Lines<'t>>>,
    log: Log,
    /// The names in the order in which they came.
    names: Vec<String>,
    tensors: BTreeMap<String, usize>,
    /// Bytes of each tensor's storage, and how often the program holds it.
    bytes: Vec<u64>,
    held: Vec<i64>,
    operands: usize,
    phase: Phase,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Result<Self, LogError> {
        let count = text.lines().count();
        if count > MAX_LINES {
            let message = message!("{} lines, of which we read at most {}", count, MAX_LINES);
            return Err(fault(1, message));
        }
        let started = text.lines().position(|line| line.contains("\"START\""));
        let mut lines = (1..).zip(text.lines()).peekable();
        for _ in 0..started.map_or(0, |line| line + 1) {
            lines.next();
        }
        Ok(Self {
            lines,
            log: Log::default(),
            names: Vec::new(),
            tensors: BTreeMap::new(),
            bytes: Vec::new(),
            held: Vec::new(),
            operands: 0,
            phase: Phase::Forward,
        })
    }

    /// The next line that says something.
    fn next(&mut self) -> Result<Option<(usize, Line)>, LogError> {
        while self
            .lines
            .peek()
            .is_some_and(|(_, line)| line.trim().is_empty())
        {
            self.lines.next();
        }
        let Some((number, line)) = self.lines.next() else {
            return Ok(None);
        };
        let read = serde_json::from_str(line);
        read.map(|read| Some((number, read)))
            .map_err(|error: serde_json::Error| {
                let error = Message::verbatim(error.to_string());
                fault(number, message!("no instruction: {}", error))
            })
    }

    fn line(&mut self, number: usize, line: &Line) -> Result<(), LogError> {
        match line.instruction.as_str() {
            "CONSTANT" => self.constant(number, &line.name)?,
            "CALL" => self.call(number, line)?,
            "MUTATE" => self.mutate(number, line)?,
            "COPY" => {
                let tensor = self.find(number, &line.src)?;
                self.called(&line.dst, tensor);
                self.hold(tensor);
            }
            "COPY_FROM" => {
                let old = self.find(number, &line.dst)?;
                let new = self.find(number, &line.src)?;
                self.called(&line.dst, new);
                self.release(old);
                self.hold(new);
            }
            "RELEASE" => {
                if let Some(&tensor) = self.tensors.get(&line.name) {
                    self.release(tensor);
                }
            }
            "ANNOTATE" if line.annotation == "BACKWARD" => self.phase = Phase::Backward,
            "ANNOTATE" => {}
            other => {
                return Err(fault(
                    number,
                    message!("no instruction is called {}", other),
                ));
            }
        }
        Ok(())
    }

    fn constant(&mut self, number: usize, name: &str) -> Result<(), LogError> {
        let bytes = self.memory(number, name)?;
        let tensor = self.tensor(name, bytes);
        self.push(name.to_owned(), 0, Vec::new(), vec![(tensor, bytes, None)]);
        if let Some(call) = self.log.calls.last_mut() {
            call.constant = true;
        }
        self.log.events.push(Event::Pin(tensor));
        Ok(())
    }

    fn call(&mut self, number: usize, line: &Line) -> Result<(), LogError> {
        self.count(number, line.args.len() + line.result.len())?;
        if line.name.contains("backward") {
            self.phase = Phase::Backward;
        }
        let reads = line.args.iter().map(|name| self.find(number, name));
        let reads = reads.collect::<Result<Vec<usize>, LogError>>()?;
        let mut makes = Vec::new();
        for name in &line.result {
            let bytes = self.memory(number, name)?;
            let alias = self.alias(number, name)?;
            let of =
                match alias {
                    None => None,
                    Some(index) => Some(*reads.get(index).ok_or_else(|| {
                        fault(number, message!("there is no argument {}", index))
                    })?),
                };
            let bytes = of.map_or(bytes, |of| self.bytes[of]);
            if self.tensors.contains_key(name) {
                return Err(fault(number, message!("\"{}\" is there already", name)));
            }
            makes.push((self.tensor(name, bytes), bytes, of));
        }
        let cost = number_of(number, line.time.as_deref(), "TIME")?;
        self.push(line.name.clone(), cost, reads, makes);
        Ok(())
    }

    fn mutate(&mut self, number: usize, line: &Line) -> Result<(), LogError> {
        self.count(number, line.args.len() + line.mutate.len())?;
        if line.name.contains("backward") {
            self.phase = Phase::Backward;
        }
        let reads = line.args.iter().map(|name| self.find(number, name));
        let reads = reads.collect::<Result<Vec<usize>, LogError>>()?;
        let mut makes = Vec::new();
        let mut released = Vec::new();
        for &index in &line.mutate {
            let old = *reads
                .get(index)
                .ok_or_else(|| fault(number, message!("there is no argument {}", index)))?;
            let bytes = self.bytes[old];
            let new = self.tensor(&line.args[index], bytes);
            makes.push((new, bytes, None));
            released.push(old);
        }
        let cost = number_of(number, line.time.as_deref(), "TIME")?;
        self.push(line.name.clone(), cost, reads, makes);
        released.into_iter().for_each(|old| self.release(old));
        Ok(())
    }

    /// The bytes that the next line gives the tensor.
    fn memory(&mut self, number: usize, name: &str) -> Result<u64, LogError> {
        let line = self.about(number, name, "MEMORY")?;
        number_of(number, line.memory.as_deref(), "MEMORY")
    }

    /// The argument that the tensor is an alias of, as the next line has it.
    fn alias(&mut self, number: usize, name: &str) -> Result<Option<usize>, LogError> {
        let line = self.about(number, name, "ALIAS")?;
        match line.alias.as_deref() {
            Some("-1") => Ok(None),
            alias => {
                let index = number_of(number, alias, "ALIAS")?;
                Ok(Some(usize::try_from(index).unwrap_or(usize::MAX)))
            }
        }
    }

    fn about(&mut self, number: usize, name: &str, what: &str) -> Result<Line, LogError> {
        let next = self.next()?.map(|(_, line)| line);
        let said = next.filter(|line| line.instruction == what && line.name == name);
        said.ok_or_else(|| {
            fault(
                number,
                message!("{} of \"{}\" is missing behind it", what, name),
            )
        })
    }

    fn count(&mut self, number: usize, operands: usize) -> Result<(), LogError> {
        self.operands += operands;
        match self.operands > MAX_OPERANDS {
            false => Ok(()),
            true => Err(fault(
                number,
                message!("more than {} arguments and results", MAX_OPERANDS),
            )),
        }
    }

    fn find(&self, number: usize, name: &str) -> Result<usize, LogError> {
        let found = self.tensors.get(name).copied();
        found.ok_or_else(|| fault(number, message!("there is no tensor \"{}\"", name)))
    }

    /// A new tensor, which this name means from now on.
    fn tensor(&mut self, name: &str, bytes: u64) -> usize {
        let tensor = self.bytes.len();
        self.bytes.push(bytes);
        self.held.push(1);
        self.log.tensors.push(name.to_owned());
        self.called(name, tensor);
        tensor
    }

    fn called(&mut self, name: &str, tensor: usize) {
        if self.tensors.insert(name.to_owned(), tensor).is_none() {
            self.names.push(name.to_owned());
        }
    }

    fn hold(&mut self, tensor: usize) {
        self.held[tensor] += 1;
        self.log.events.push(Event::Hold(tensor));
    }

    fn release(&mut self, tensor: usize) {
        self.held[tensor] -= 1;
        self.log.events.push(Event::Release(tensor));
    }

    fn push(
        &mut self,
        name: String,
        cost: u64,
        reads: Vec<usize>,
        makes: Vec<(usize, u64, Option<usize>)>,
    ) {
        let makes = makes.into_iter().map(|(tensor, bytes, alias)| Made {
            tensor,
            bytes: if alias.is_some() { 0 } else { bytes },
            alias,
        });
        self.log.events.push(Event::Call(self.log.calls.len()));
        self.log.calls.push(Call {
            name,
            cost,
            reads,
            makes: makes.collect(),
            phase: self.phase,
            constant: false,
        });
    }

    /// What is held at the end has to be there.
    fn end(&mut self) {
        for name in &self.names {
            let tensor = self.tensors[name];
            if self.held[tensor] > 0 {
                self.log.events.push(Event::Pin(tensor));
            }
        }
    }
}

fn number_of(line: usize, text: Option<&str>, what: &str) -> Result<u64, LogError> {
    let number = text.and_then(|text| text.parse::<u64>().ok());
    number.filter(|number| *number <= MOST).ok_or_else(|| {
        fault(
            line,
            message!("{} has to be a whole number up to {}", what, MOST),
        )
    })
}
