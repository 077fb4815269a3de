//! Workloads drawn from a seed, and the text of any workload.

use std::fmt::Write as _;

use super::{Request, Workload};
use crate::random::Random;

/// Whole numbers from one to the other, both among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least, at least 1.
    pub from: u64,
    /// The most.
    pub to: u64,
}

/// What a seeded workload is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeded {
    /// Equal seeds give equal requests.
    pub seed: u64,
    /// How many requests.
    pub count: usize,
    /// Steps from one arrival to the next: each from 0 to twice this is as likely as another.
    pub every: u64,
    /// Tokens of prompts. Each doubling is as likely as another, as lengths of conversations
    /// spread over orders of magnitude.
    pub prompt: Range,
    /// Tokens of outputs, likewise.
    pub output: Range,
}

/// The requests that `from` describes, called r0, r1, … in the order of their arrival.
#[must_use]
pub fn seeded(from: &Seeded) -> Vec<Request> {
    let mut random = Random::new(from.seed);
    let mut arrival = 0_u64;
    let mut request = |index: usize| {
        if index > 0 {
            arrival = arrival.saturating_add(within(&mut random, 0, from.every.saturating_mul(2)));
        }
        Request {
            id: format!("r{index}"),
            arrival,
            prompt: spread(&mut random, from.prompt),
            output: spread(&mut random, from.output),
            prefix: None,
        }
    };
    (0..from.count).map(&mut request).collect()
}

/// A number from `low` to `high`.
fn within(random: &mut Random, low: u64, high: u64) -> u64 {
    let many = high.saturating_sub(low).saturating_add(1).min(1 << 31);
    low.saturating_add(random.index(usize::try_from(many).unwrap_or(usize::MAX)) as u64)
}

/// A doubling of the least first, then a number within it.
fn spread(random: &mut Random, range: Range) -> u64 {
    let from = range.from.max(1);
    let to = range.to.max(from);
    let doublings = (to / from).ilog2() as usize + 1;
    let low = from << random.index(doublings);
    within(random, low, low.saturating_mul(2).saturating_sub(1).min(to))
}

impl Workload {
    /// It as a table that [`load`](crate::load::load) reads.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::from("# arenascope requests\n");
        let mut say = |key: &str, value: Option<u64>| {
            if let Some(value) = value {
                // A string never fails.
                _ = writeln!(text, "# {key}={value}");
            }
        };
        say("bytes_per_token", Some(self.token.0));
        say("page", Some(self.page));
        say("longest", Some(self.longest));
        say("window", self.window);
        say("capacity", self.capacity.map(|it| it.0));
        let prefixes = self.requests.iter().any(|it| it.prefix.is_some());
        text.push_str("id,arrival,prompt,output");
        text.push_str(if prefixes {
            ",prefix,prefix_tokens\n"
        } else {
            "\n"
        });
        for request in &self.requests {
            let Request {
                id,
                arrival,
                prompt,
                output,
                prefix,
            } = request;
            _ = write!(text, "{id},{arrival},{prompt},{output}");
            if prefixes {
                let none = (String::new(), 0);
                let (name, tokens) = prefix.as_ref().unwrap_or(&none);
                _ = write!(text, ",{name},{tokens}");
            }
            text.push('\n');
        }
        text
    }
}
