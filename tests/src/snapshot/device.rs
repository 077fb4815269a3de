//! The addresses that a device gives out.

use std::collections::BTreeMap;

use super::allocator::Piece;
use crate::random::Random;

const MIB: u64 = 1 << 20;
/// In any order, segments lie in places of this size.
const PLACE: u64 = 1 << 28;
const PLACES: u64 = 1 << 12;

/// A device's addresses.
#[derive(Clone, Debug)]
pub struct Device {
    /// The next address that is given out for the first time.
    pub fresh: u64,
    /// Addresses that were given back, with how many bytes there.
    pub vacant: BTreeMap<u64, u64>,
    /// Chance, where addresses are given out in any order.
    pub shuffled: Option<Random>,
}

impl Device {
    /// Addresses from `base` on, ascending.
    #[must_use]
    pub fn new(base: u64) -> Self {
        Self {
            fresh: base,
            vacant: BTreeMap::new(),
            shuffled: None,
        }
    }

    /// Addresses for so many bytes: those that were given back first; `pieces` are in use.
    pub fn address(&mut self, bytes: u64, pieces: &BTreeMap<u64, Piece>) -> u64 {
        let vacant = self.vacant.iter().map(|(&address, &size)| (size, address));
        let fitting = vacant.filter(|&(size, _)| size >= bytes);
        let found = match &mut self.shuffled {
            None => fitting.min(),
            Some(random) => any(random, &fitting.collect::<Vec<_>>()),
        };
        if let Some((size, address)) = found {
            self.vacant.remove(&address);
            if size > bytes {
                self.vacant.insert(address + bytes, size - bytes);
            }
            return address;
        }
        if let Some(random) = &mut self.shuffled {
            let places = (0..PLACES).map(|place| self.fresh + place * PLACE);
            let free = places.filter(|&place| {
                let all = place..place + PLACE;
                pieces.range(all.clone()).next().is_none()
                    && self.vacant.range(all).next().is_none()
            });
            return any(random, &free.collect::<Vec<_>>()).expect("a free place");
        }
        let address = self.fresh;
        // The device leaves gaps of all sizes, sometimes none.
        self.fresh += bytes + (self.fresh / (2 * MIB) % 3) * 32 * MIB;
        address
    }
}

/// One of `all`, by chance.
fn any<T: Copy>(random: &mut Random, all: &[T]) -> Option<T> {
    (!all.is_empty()).then(|| all[random.index(all.len())])
}
