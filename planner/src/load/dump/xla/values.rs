//! `Used values:` which instruction makes each value, and which read it.

use std::collections::BTreeMap;

use super::assignment::{name, start};
use super::hlo::Made;
use crate::{Message, message};

/// Most lines that say what reads a value.
const MAX_USES: usize = 1 << 24;

/// What reads the values.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// By name.
    pub(super) of: BTreeMap<String, Used>,
    /// The value that is being read.
    current: String,
    list: List,
    uses: usize,
}

/// What reads one value.
#[derive(Debug, Default)]
pub(super) struct Used {
    /// The instructions whose result it is a part of.
    pub(super) positions: Vec<String>,
    /// The instructions that read it.
    pub(super) uses: Vec<String>,
    /// The instruction that makes it.
    pub(super) made: Made,
}

/// What a line with two spaces in front belongs to.
#[derive(Clone, Copy, Debug, Default)]
enum List {
    #[default]
    None,
    Positions,
    Uses,
}

impl Values {
    /// Reads one line of the section.
    pub(super) fn line(&mut self, line: &str) -> Result<(), Message> {
        let fault = || message!("`{}` says nothing of a used value", start(line));
        match line.trim_end() {
            " positions:" => self.list = List::Positions,
            " uses:" => self.list = List::Uses,
            "  (none)" => {}
            text if text.starts_with(" from instruction:") => {
                let text = text.trim_start_matches(" from instruction:").trim_start();
                self.used().made = Made::of(text);
                self.list = List::None;
                // Older builds begin the next value in the same line.
                if let Some(inside) = next(text) {
                    self.begin(inside).ok_or_else(fault)?;
                }
            }
            text if text.starts_with("  ") => self.entry(text.trim()).ok_or_else(fault)?,
            text => {
                let inside = text.strip_prefix('<').and_then(|it| it.strip_suffix('>'));
                inside.and_then(|it| self.begin(it)).ok_or_else(fault)?;
            }
        }
        Ok(())
    }

    fn used(&mut self) -> &mut Used {
        self.of.entry(self.current.clone()).or_default()
    }

    fn begin(&mut self, inside: &str) -> Option<()> {
        self.current = name(inside)?.to_owned();
        self.list = List::None;
        self.used();
        Some(())
    }

    /// `tuple.7 {1}` among the positions, `fusion.3, operand 0 {1}` among the uses.
    fn entry(&mut self, text: &str) -> Option<()> {
        self.uses += 1;
        if self.uses > MAX_USES {
            return None;
        }
        match self.list {
            List::None => return None,
            List::Positions => {
                let name = text.split(' ').next()?.to_owned();
                self.used().positions.push(name);
            }
            List::Uses => {
                let (name, _) = text.split_once(", operand ")?;
                let name = name.to_owned();
                self.used().uses.push(name);
            }
        }
        Some(())
    }
}

/// The value that begins at the end of an instruction: `...}<42 copy.1 @0>`.
fn next(text: &str) -> Option<&str> {
    let inside = text.strip_suffix('>')?;
    let (_, inside) = inside.rsplit_once('<')?;
    let known = inside.split_once(' ')?.0.parse::<u64>().is_ok() && inside.contains(" @");
    known.then_some(inside)
}
