//! `HloLiveRange:` the order of the instructions, and when each value lives.

use super::assignment::{start, whole};
use crate::{Message, message};

/// Most steps and most lifetimes.
const MAX_ROWS: usize = crate::load::dump::draft::MAX_BUFFERS;

/// When the values live.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// The moment after the last instruction.
    pub(super) end: u64,
    /// The instructions, in order.
    pub(super) steps: Vec<String>,
    /// Value, first and last step (both belong to it), line.
    pub(super) lives: Vec<(String, u64, u64, u64)>,
    /// Value, bytes and line of those that are live at the peak.
    pub(super) peak: Vec<(String, u64, u64)>,
}

/// `HloLiveRange (max 21):`
pub(super) fn begin(line: &str) -> Result<Ranges, Message> {
    let max = line.trim().strip_prefix("HloLiveRange (max ");
    let max = max.and_then(|rest| rest.strip_suffix("):"));
    let end = max.and_then(|max| max.parse().ok());
    let end = end.ok_or_else(|| message!("`{}` has no last step", start(line)))?;
    Ok(Ranges {
        end,
        ..Ranges::default()
    })
}

impl Ranges {
    /// `    8:conv_general_dilated.6`
    pub(super) fn step(&mut self, line: &str) -> Result<(), Message> {
        let step = self.steps.len();
        let found = line.trim().split_once(':');
        let name = found.and_then(|(number, name)| Some((number.parse::<usize>().ok()?, name)));
        match name {
            Some((number, name)) if number == step && step < MAX_ROWS => {
                self.steps.push(name.to_owned());
                Ok(())
            }
            _ => Err(message!("`{}` is not step {}", start(line), step)),
        }
    }

    /// `    conv_general_dilated.6{}:8-11`
    pub(super) fn life(&mut self, number: u64, line: &str) -> Result<(), Message> {
        let life = || {
            let (name, range) = line.trim().rsplit_once(':')?;
            let (first, last) = range.split_once('-')?;
            Some((name, first.parse::<u64>().ok()?, last.parse::<u64>().ok()?))
        };
        let (name, first, last) =
            life().ok_or_else(|| message!("`{}` is no live range", start(line)))?;
        if first > last || last > self.end {
            let end = self.end;
            return Err(message!(
                "{} lives from {} to {}, of 0 to {}",
                name,
                first,
                last,
                end
            ));
        }
        if self.lives.len() == MAX_ROWS {
            return Err(message!("more than {} live ranges", MAX_ROWS));
        }
        self.lives
            .push((whole(name).to_owned(), first, last, number));
        Ok(())
    }

    /// `    conv_general_dilated.6{}: 589824 bytes (cumulative: 589824 bytes)`
    pub(super) fn peak(&mut self, number: u64, line: &str) -> Result<(), Message> {
        let found = || {
            let (name, rest) = line.trim().split_once(": ")?;
            let bytes = rest.split_once(" bytes")?.0.parse::<u64>().ok()?;
            Some((whole(name).to_owned(), bytes, number))
        };
        let found = found().ok_or_else(|| message!("`{}` is no size of a value", start(line)))?;
        self.peak.push(found);
        Ok(())
    }
}
