//! The text of `PYTORCH_ALLOC_CONF`, which is `PYTORCH_CUDA_ALLOC_CONF` in older versions.
//!
//! Its form is that of `c10/core/AllocatorConfig.cpp`: pairs of a key and a value between commas,
//! where a list of values has brackets.

use super::settings::MIB;
use super::{AllocatorSettings, LARGE_SEGMENT};
use crate::{Message, impl_message, message};
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

/// What of a text cannot be, for whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfFault {
    /// The pair as it is written.
    pub pair: String,
    /// What could stand there.
    pub wanted: Message,
}

impl ConfFault {
    /// It in words.
    #[must_use]
    pub fn message(&self) -> Message {
        message!("{}: {}", format_args!("{:?}", self.pair), self.wanted)
    }
}

impl_message!(ConfFault);

impl core::error::Error for ConfFault {}

impl AllocatorSettings {
    /// What `text` says, and the pairs in it that our allocator does not have. What is not said is
    /// as PyTorch has it by default. The name of the variable may stand before it.
    ///
    /// # Errors
    /// [`ConfFault`] where PyTorch would refuse it.
    pub fn said(text: &str) -> Result<(Self, Vec<String>), ConfFault> {
        let text = text.trim();
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        let value: String = value.chars().filter(|it| !it.is_whitespace()).collect();
        let value = value.trim_matches(['"', '\'']);
        // As it is displayed.
        let value = if value == "default" { "" } else { value };
        let mut settings = Self::DEFAULT;
        let mut others = Vec::new();
        for pair in pairs(value) {
            let fault = |wanted| ConfFault {
                pair: pair.to_owned(),
                wanted,
            };
            let (key, value) = pair
                .split_once(':')
                .ok_or_else(|| fault(message!("write KEY:VALUE")))?;
            match key {
                "expandable_segments" => {
                    let truth =
                        truth(value).ok_or_else(|| fault(message!("write True or False")))?;
                    settings.expandable = truth;
                }
                "max_split_size_mb" => {
                    let least = LARGE_SEGMENT / MIB;
                    let whole = value.parse().ok().filter(|&it: &u64| it > least);
                    let whole =
                        whole.ok_or_else(|| fault(message!("write a number of MiB above 20")))?;
                    settings.max_split = whole.saturating_mul(MIB);
                }
                "garbage_collection_threshold" => {
                    let share = value.parse().ok();
                    let share = share.filter(|&it: &f64| it > 0.0 && it < 1.0);
                    let share =
                        share.ok_or_else(|| fault(message!("write a number between 0 and 1")))?;
                    settings.collect_above = Self::collects_above(share);
                }
                "roundup_power2_divisions" => {
                    let wanted = || {
                        fault(message!(
                            "write a power of two, or a list such as [256:1,512:2,>:8]"
                        ))
                    };
                    settings.divisions = divisions(value).ok_or_else(wanted)?;
                }
                _ => others.push(pair.to_owned()),
            }
        }
        Ok((settings, others))
    }
}

/// The pairs of a text; commas between brackets are inside of one.
fn pairs(text: &str) -> impl Iterator<Item = &str> {
    let mut deep = false;
    let pairs = text.split(move |it: char| {
        deep = (deep || it == '[') && it != ']';
        it == ',' && !deep
    });
    pairs.filter(|pair| !pair.is_empty())
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        _ => None,
    }
}

/// Parts by class of mebibytes. Of a list the classes below the first have its parts, those after
/// ">" all that is above the last; what no one names is not divided.
fn divisions(text: &str) -> Option<[u64; 16]> {
    let power = |text: &str| text.parse().ok().filter(|it: &u64| it.is_power_of_two());
    let parts = |text: &str| (text == "0").then_some(0).or_else(|| power(text));
    let mut found = AllocatorSettings::DEFAULT.divisions;
    let Some(list) = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')) else {
        return parts(text).map(|parts| [parts; 16]);
    };
    let mut last = None;
    for pair in list.split(',') {
        let (size, value) = pair.split_once(':')?;
        let value = parts(value)?;
        let class = match size {
            ">" => None,
            size => Some((power(size)?.ilog2() as usize).min(found.len() - 1)),
        };
        let from = last.map_or(0, |last: usize| last + 1);
        let range = match (class, last) {
            (None, _) => from..found.len(),
            (Some(class), None) => 0..class + 1,
            (Some(class), Some(_)) => class..class + 1,
        };
        found.get_mut(range)?.fill(value);
        last = class.or(last);
    }
    Some(found)
}
