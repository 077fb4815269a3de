//! The largest batch, sequence or model that fits.

use clap::ValueEnum;
use planner::generate::Mode;
use planner::load::Described;
use planner::training::advisor::{Advice, Kind, Wanted, largest};

use serde_json::json;

use super::Failure;
use super::opened::Opened;
use crate::cli::args::Output;
use crate::cli::report::lines;

/// What is to be as large as can be.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Max {
    /// Samples of a step.
    Batch,
    /// Tokens of a sequence.
    Context,
    /// Layers of the model.
    Layers,
}

/// The most that is looked for.
const MOST: u64 = 1 << 24;

impl Max {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Context => "context",
            Self::Layers => "layers",
        }
    }

    /// The largest number with which it fits, with what is asked then and what comes of it; `None`
    /// where nothing does.
    pub(super) fn largest(
        self,
        opened: &Opened,
        wanted: &Wanted,
    ) -> Result<Option<(u64, Wanted, Advice)>, Failure> {
        if self != Self::Batch && opened.described.is_none() {
            let message = "--max context and layers need the description of a transformer";
            return Err(Failure::Usage(message.to_owned()));
        }
        let step = self.step(wanted.devices);
        let own = opened.graphs(opened.described.as_ref().filter(|_| self == Self::Batch))?;
        // Of micro-batches any number fits where one does.
        let asked = |number: u64| match self {
            Self::Batch => Wanted {
                batch: number,
                kinds: wanted.kinds.without(Kind::Micro),
                ..*wanted
            },
            _ => *wanted,
        };
        let graphs = |number| match self {
            Self::Batch => Ok(own.clone()),
            _ => opened.graphs(self.described(opened, number).as_ref()),
        };
        let fits = &mut |number: u64| {
            let number = number.saturating_mul(step);
            // What is too large to be made does not fit.
            let Ok(graphs) = graphs(number) else {
                return false;
            };
            opened.fits(&graphs, &asked(number)).unwrap_or(false)
        };
        let number = largest(MOST / step, fits).saturating_mul(step);
        if number == 0 {
            return Ok(None);
        }
        let found = opened.advice(&graphs(number)?, &asked(number))?;
        Ok(Some((number, asked(number), found)))
    }

    /// What is said where not even 1 fits.
    pub(super) fn nothing(self, name: &str, format: Output) -> String {
        match format {
            Output::Json => lines(&json!({
                "file": name,
                "fits": false,
                "max": {"of": self.name(), "largest": 0, "limit": null},
            })),
            Output::Csv => String::new(),
            Output::Table => {
                let one = match self {
                    Self::Batch => "one sample for each device",
                    Self::Context => "one token",
                    Self::Layers => "one layer",
                };
                format!(
                    "largest {}: 0\n{name}: nothing fits, not even {one}\n",
                    self.name()
                )
            }
        }
    }

    /// What numbers are multiples of: each device has as many samples.
    fn step(self, devices: u32) -> u64 {
        match self {
            Self::Batch => devices.into(),
            Self::Context | Self::Layers => 1,
        }
    }

    /// What ends at a number that is not memory: what is tried, or what the model can be.
    pub(super) fn limit(self, opened: &Opened, number: u64, devices: u32) -> Option<&'static str> {
        let next = number.saturating_add(self.step(devices));
        if next > MOST {
            return Some("the most that is tried");
        }
        let described = self
            .described(opened, next)
            .filter(|_| self != Self::Batch)?;
        let made = opened.graphs(Some(&described));
        made.is_err().then_some("the model cannot be larger")
    }

    /// The transformer with so many tokens or layers.
    fn described(self, opened: &Opened, number: u64) -> Option<Described> {
        let mut of = opened.described.clone()?;
        match self {
            Self::Batch => {}
            Self::Context => of.execution.mode = Mode::Forward(number),
            Self::Layers => of.transformer.layers = number,
        }
        Some(of)
    }
}
