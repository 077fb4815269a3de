//! Devices that training steps run on: what they compute in a second, what fits into them, and how
//! fast bytes come from the host.
//!
//! Figures of GPUs are their makers': 32-bit operations without matrix units, 16-bit products by
//! matrix units that add up in 32 bits, dense, and the nominal rate of each link in one direction.
//! Those of the microcontroller follow from its clock, a fused multiplication and addition a cycle;
//! the phone is an example in round numbers. No step reaches them, so that a time that follows is a
//! lower bound. They are a start: a person changes them.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::cost::needs;
use super::policies::keep_all;
use super::stage::{NoStep, step};
use super::swap::energy::CHIPS;
use super::{Lane, Link, Precision, Rates, Recipe};
use crate::graph::Graph;
use crate::units::Bytes;
use crate::{Message, impl_message, message};

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// 32-bit floating point operations in a second; a multiplication and an addition are two.
    pub flops: u64,
    /// Operations in a second of 16-bit products of matrices; as many as in 32 bits where there are
    /// no matrix units.
    pub products: u64,
    /// Its memory.
    pub memory: Bytes,
    /// Bytes in a second between it and the host, or what it swaps to.
    pub link: u64,
    /// Bytes in a second that it sends to the other devices of its host; 0 where there are none.
    pub peers: u64,
    /// Bytes in a second that it sends to devices of other hosts, its share of the host's network
    /// where [`HOST`] devices send; 0 where there are none.
    pub network: u64,
}

/// So many devices have one host.
pub const HOST: u32 = 8;

/// A device that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name in commands and on the page.
    pub name: &'static str,
    /// The device.
    pub device: Device,
}

const GIB: u64 = 1 << 30;
const GIGA: u64 = 1_000_000_000;

/// Devices by their names, the older ones first.
///
/// The links are PCI Express of 16 lanes (15.75, 31.5 and 63 GB/s for generations 3, 4 and 5), the
/// phone's memory (LPDDR5X, 68 GB/s), and a quad SPI of 133 MHz. The last three page to an SD card,
/// and their energy is known, see [`CHIPS`].
///
/// Of servers, rates between devices are those of NVIDIA's DGX-1 (NVLink of 300 GB/s in both
/// directions together, four adapters of 100 Gb/s), DGX A100 (600 GB/s, eight of 200 Gb/s) and DGX
/// H100 (900 GB/s, eight of 400 Gb/s). Other GPUs reach each other over PCI Express, and other hosts
/// over an Ethernet of 10 Gb/s, which is an example. 16-bit products are those of the whitepapers on
/// Volta (125 T), Turing (53.8 T, reference clock), Ampere (312 T; GA102 71 T), Ada (165.2 T) and of
/// the data sheet of the H100 (989.4 T).
pub const DEVICES: [Named; 12] = [
    gpu(
        "GTX 1080 Ti",
        (11_340, 11_340),
        11,
        (PCIE_3, PCIE_3, ETHERNET),
    ),
    gpu(
        "V100 32 GB",
        (15_700, 125_000),
        32,
        (PCIE_3, 150 * GIGA, 6_250_000_000),
    ),
    gpu(
        "RTX 2080 Ti",
        (13_450, 53_800),
        11,
        (PCIE_3, PCIE_3, ETHERNET),
    ),
    gpu(
        "A100 80 GB",
        (19_500, 312_000),
        80,
        (PCIE_4, 300 * GIGA, 25 * GIGA),
    ),
    gpu("RTX 3090", (35_600, 71_000), 24, (PCIE_4, PCIE_4, ETHERNET)),
    gpu(
        "RTX 4090",
        (82_600, 165_200),
        24,
        (PCIE_4, PCIE_4, ETHERNET),
    ),
    gpu(
        "H100 SXM",
        (67_000, 989_400),
        80,
        (63 * GIGA, 450 * GIGA, 50 * GIGA),
    ),
    alone("Phone, 8 GiB", 2_000 * GIGA, 8 * GIB, 68 * GIGA),
    alone("Cortex-M7, 480 MHz", 960_000_000, 1 << 20, 66_500_000),
    chip(0, 32 << 10),
    chip(1, 256 << 10),
    chip(2, 2 * GIB),
];

const PCIE_3: u64 = 15_750_000_000;
const PCIE_4: u64 = 31_500_000_000;

/// A device's share of 10 Gb/s.
const ETHERNET: u64 = 1_250_000_000 / HOST as u64;

/// One of [`CHIPS`] with the memory of its board: the Raspberry Pi is the 4B with 2 GiB.
const fn chip(at: usize, memory: u64) -> Named {
    let chip = CHIPS[at];
    alone(chip.name, chip.flops, memory, chip.out.0)
}

/// A device that computes by itself, without matrix units.
const fn alone(name: &'static str, flops: u64, memory: u64, link: u64) -> Named {
    let device = Device {
        flops,
        products: flops,
        memory: Bytes(memory),
        link,
        peers: 0,
        network: 0,
    };
    Named { name, device }
}

/// A GPU: operations in a second in thousands of millions, in 32 bits and of 16-bit products, GiB of
/// memory, and the rates to the host, to peers and to other hosts.
const fn gpu(
    name: &'static str,
    (flops, products): (u64, u64),
    memory: u64,
    (link, peers, network): (u64, u64, u64),
) -> Named {
    let device = Device {
        flops: flops * GIGA,
        products: products * GIGA,
        memory: Bytes(memory * GIB),
        link,
        peers,
        network,
    };
    Named { name, device }
}

/// A name that no device has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDevice(pub String);

impl UnknownDevice {
    /// The sentence.
    #[must_use]
    pub fn message(&self) -> Message {
        let names: Vec<&str> = DEVICES.iter().map(|it| it.name).collect();
        let names = names.join("; ");
        message!(
            "no device is called {}: give its bytes, or one of {}",
            self.0,
            names
        )
    }
}

impl_message!(UnknownDevice);
impl std::error::Error for UnknownDevice {}

impl FromStr for Device {
    type Err = UnknownDevice;

    /// By name or by a start of it that no other name has, in whatever case and with or without what
    /// stands between its letters.
    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let letters = |text: &str| -> String {
            let kept = text.chars().filter(char::is_ascii_alphanumeric);
            kept.map(|it| it.to_ascii_lowercase()).collect()
        };
        let wanted = letters(text);
        let starts = |it: &&Named| !wanted.is_empty() && letters(it.name).starts_with(&wanted);
        let found: Vec<&Named> = DEVICES.iter().filter(starts).collect();
        let whole = found.iter().find(|it| letters(it.name) == wanted);
        match (whole, &found[..]) {
            (Some(named), _) | (None, [named]) => Ok(named.device),
            _ => Err(UnknownDevice(text.to_owned())),
        }
    }
}

impl Device {
    /// Seconds that computing takes at least: a cost counts a multiplication with its addition
    /// once, which are two operations.
    #[must_use]
    pub fn seconds(self, cost: u64) -> f64 {
        2.0 * cost as f64 / self.flops.max(1) as f64
    }

    /// A device of which no more is known.
    #[must_use]
    pub const fn of_memory(memory: Bytes) -> Self {
        Self {
            flops: 0,
            products: 0,
            memory,
            link: 0,
            peers: 0,
            network: 0,
        }
    }

    /// The same device where all is computed at the rate that this precision has: in mixed precision
    /// that of 16-bit products.
    #[must_use]
    pub const fn computing_in(self, precision: Precision) -> Self {
        match precision {
            Precision::Full => self,
            Precision::Mixed => Self {
                flops: self.products,
                ..self
            },
        }
    }

    /// Seconds that so many bytes take over the link at least.
    #[must_use]
    pub fn link_seconds(self, bytes: Bytes) -> f64 {
        bytes.0 as f64 / self.link.max(1) as f64
    }

    /// Its link in units of cost, see [`link`].
    #[must_use]
    pub fn swaps_over(self) -> Link {
        link(self.rates())
    }

    /// How fast it computes and copies.
    #[must_use]
    pub const fn rates(self) -> Rates {
        Rates {
            flops: self.flops,
            link: self.link,
        }
    }
}

/// A link in units of cost: that of a chip of which energy is known, by its rates; else the same in
/// both directions and without latency.
#[must_use]
pub fn link(rates: Rates) -> Link {
    let chip = CHIPS
        .iter()
        .find(|it| (it.flops, it.out.0) == (rates.flops, rates.link));
    let usual = Link::both(Lane {
        bytes: rates.link,
        // So much is computed in a second.
        cost: rates.flops / 2,
        latency: 0,
    });
    chip.map_or(usual, |it| it.link())
}

/// The largest batches that fit into a device; 0 where no sample does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batches {
    /// With everything kept.
    pub keep_all: u64,
    /// No schedule fits a larger one: a node's working set is beyond the memory.
    pub any: u64,
}

/// The largest batches whose values and fixed bytes fit into `memory`. The loss of a sample takes
/// 4 bytes, so that there is a largest one.
///
/// # Errors
/// Why there is no training step of one sample.
pub fn batches(graph: &Graph, recipe: Recipe, memory: Bytes) -> Result<Batches, NoStep> {
    step(graph, 1, recipe)?;
    let fits = |batch: u64, all: bool| {
        let Ok(step) = step(graph, batch, recipe) else {
            return false;
        };
        let problem = step.problem;
        let values = match all {
            true => needs(&problem, &keep_all(&problem)).peak,
            false => problem.minimum().0,
        };
        let sum = problem.fixed.0.checked_add(values.0);
        sum.is_some_and(|sum| sum <= memory.0)
    };
    Ok(Batches {
        keep_all: largest(|batch| fits(batch, true)),
        any: largest(|batch| fits(batch, false)),
    })
}

/// The largest number below 2^63 that fits, where smaller ones do too.
fn largest(fits: impl Fn(u64) -> bool) -> u64 {
    let (mut below, mut above) = (0, 1);
    while above < 1 << 63 && fits(above) {
        below = above;
        above *= 2;
    }
    while above - below > 1 {
        let middle = below.midpoint(above);
        match fits(middle) {
            true => below = middle,
            false => above = middle,
        }
    }
    below
}
