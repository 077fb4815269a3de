//! Functions of elements of 16 bits, between values at the ends of stretches, as LiteRT's
//! reference kernels have them (`kernels/internal/common.h`, `reference/integer_ops`).

use super::Steps;

/// How far activations of 16 bits go.
const ENDS: [i32; 2] = [-32_768, 32_767];

/// A function at the ends of 512 stretches of 128 elements each.
pub(super) struct Stretches(pub(super) Vec<i32>);

impl Stretches {
    /// With half of what straight lines miss of the function in their middle (`LUTPopulate`).
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "it computes so, and brings it into range"
    )]
    pub(super) fn of(x: Steps, y: Steps, function: impl Fn(f32) -> f32) -> Self {
        let real = |of: Steps| ENDS.map(|end| of.scale * (end - of.zero) as f32);
        let ([first, last], [low, high]) = (real(x), real(y));
        let step = (last - first) / 512.0;
        let element = |at: f32| function(at) * (65_536.0 / (high - low));
        let start = |index: u16| first + f32::from(index) * step;
        let within = |y: f32| y.clamp(ENDS[0] as f32, ENDS[1] as f32) as i32;
        let value = |index: u16| {
            let own = element(start(index)).round();
            let line = ((element(start(index + 1)) + own) / 2.0).round();
            let middle = element(start(index) + step / 2.0).round();
            within(own - ((line - middle) / 2.0).round())
        };
        let ends = (0..512).map(value).chain([within(element(last).round())]);
        Self(ends.collect())
    }

    /// At an element, on the line between two ends (`LUTLookup`).
    pub(super) fn at(&self, x: i32) -> i32 {
        let stretch = usize::try_from(256 + (x >> 7)).unwrap_or_default();
        let (low, high) = (self.0[stretch], self.0[stretch + 1]);
        low + (((high - low) * (x & 0x7f) + 64) >> 7)
    }
}

/// The logistic function of the numbers i / 24 in 16 binary places, as tanh uses it, too.
pub(super) struct Logistic {
    ends: Vec<i64>,
    factor: i64,
    places: u32,
}

impl Logistic {
    /// Of elements with this scale; by `most` places at most it is a power of two that needs no
    /// rounding (`LogisticPrepare`, `TanhPrepare`).
    pub(super) fn of(scale: f32, most: i32) -> Self {
        let real = |at: f64| 65_536.0 / (1.0 + (-at / 24.0).exp());
        let end = |index: u8| {
            let at = f64::from(index);
            // Half of what a line misses in the middle.
            let missed = real(at + 0.5) - f64::midpoint(real(at), real(at + 1.0));
            #[expect(clippy::cast_possible_truncation, reason = "it is of 16 bits")]
            let end = (real(at) + missed / 2.0).round() as i64;
            end
        };
        let (factor, places) = Self::factor(scale, most);
        Self {
            ends: (0..255).map(end).chain([0xffff]).collect(),
            factor,
            places,
        }
    }

    /// What makes elements numbers of three quarters of 2^-12, and its binary places.
    fn factor(scale: f32, most: i32) -> (i64, u32) {
        #[expect(clippy::cast_possible_truncation, reason = "powers of two are small")]
        let power = scale.log2().round() as i32;
        let whole = (scale.log2() - scale.log2().round()).abs() < 1e-3;
        if let Ok(left) = u32::try_from(12 + power)
            && whole
            && 12 + power <= most
        {
            return (3 << left, 0);
        }
        let (mut factor, mut places) = (f64::from(scale) * 4096.0 * 3.0, 0);
        while factor <= 32_767.0 / 2.0 && places <= 30 {
            (factor, places) = (factor * 2.0, places + 1);
        }
        #[expect(clippy::cast_possible_truncation, reason = "it has 16 bits there")]
        let narrow = factor as i16;
        (narrow.into(), places)
    }

    /// An element by the factor, and the function of its size with `bits` more places.
    fn size(&self, x: i32, bits: u32, most: i64) -> (i64, i64) {
        let half = if self.places > 0 {
            1 << (self.places - 1)
        } else {
            0
        };
        let x = (i64::from(x) * self.factor + half) >> self.places;
        let stretch = usize::try_from(x.abs() >> bits).unwrap_or(usize::MAX);
        let y = match self.ends.get(stretch..).unwrap_or_default() {
            [low, high, ..] => (low << bits) + (x.abs() & ((1 << bits) - 1)) * (high - low),
            _ => most,
        };
        (x, y)
    }

    /// In 15 binary places.
    pub(super) fn at(&self, x: i32) -> i32 {
        let (x, y) = self.size(x, 9, 0x7fff << 10);
        let y = match x >= 0 {
            true => y + (1 << 9),
            false => (1 << 25) - y + (1 << 9) - 1,
        };
        i32::try_from(y >> 10).unwrap_or_default()
    }

    /// tanh in 15 binary places: 2·logistic(2x) − 1.
    pub(super) fn tanh(&self, x: i32) -> i32 {
        let (x, y) = self.size(x, 8, 0xffff << 8);
        let y = match x >= 0 {
            true => y - (1 << 23) + (1 << 7),
            false => (1 << 23) - y + (1 << 7) - 1,
        };
        i32::try_from(y >> 8).unwrap_or_default()
    }
}
