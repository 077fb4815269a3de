//! Numbers as people write them, exact: `1.5MiB` is no float.

use std::cmp::Ordering;
use std::fmt;

/// The most digits after the point.
const DECIMALS: u8 = 9;

/// A number with its unit: `mantissa` / 10^`decimals` units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// All digits.
    pub mantissa: u64,
    /// How many of them stand after the point, at most 9.
    pub decimals: u8,
    /// Its unit; `None` for bytes that are not called so, and for steps.
    pub unit: Option<Unit>,
}

/// A unit of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is written as it is read")]
pub enum Unit {
    B,
    KB,
    MB,
    GB,
    TB,
    KiB,
    MiB,
    GiB,
    TiB,
}

/// Why a text is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoNumber {
    /// It does not look like one.
    Unlike,
    /// It has too many digits.
    TooLarge,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::B,
        Self::KiB,
        Self::MiB,
        Self::GiB,
        Self::TiB,
        Self::KB,
        Self::MB,
        Self::GB,
        Self::TB,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::B => "B",
            Self::KB => "KB",
            Self::MB => "MB",
            Self::GB => "GB",
            Self::TB => "TB",
            Self::KiB => "KiB",
            Self::MiB => "MiB",
            Self::GiB => "GiB",
            Self::TiB => "TiB",
        }
    }

    /// The unit of this name, large or small.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|unit| unit.name().eq_ignore_ascii_case(name))
    }

    /// How many bytes it is.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::B => 1,
            Self::KB => 1_000,
            Self::MB => 1_000_000,
            Self::GB => 1_000_000_000,
            Self::TB => 1_000_000_000_000,
            Self::KiB => 1 << 10,
            Self::MiB => 1 << 20,
            Self::GiB => 1 << 30,
            Self::TiB => 1 << 40,
        }
    }
}

impl Number {
    /// A whole number without a unit.
    #[must_use]
    pub const fn whole(value: u64) -> Self {
        Self {
            mantissa: value,
            decimals: 0,
            unit: None,
        }
    }

    /// How `value` compares to it.
    #[must_use]
    pub fn order(self, value: u64) -> Ordering {
        let unit = self.unit.map_or(1, Unit::bytes);
        let scale = 10_u128.pow(u32::from(self.decimals.min(DECIMALS)));
        // Both are below 2^64 · 2^40.
        (u128::from(value) * scale).cmp(&(u128::from(self.mantissa) * u128::from(unit)))
    }

    /// The whole number that it is, if it has neither a unit nor decimals.
    #[must_use]
    pub const fn as_whole(self) -> Option<u64> {
        match (self.decimals, self.unit) {
            (0, None) => Some(self.mantissa),
            _ => None,
        }
    }

    /// Reads `1_024`, `0x400`, `1.5` and any of these with a unit at once after it.
    pub(crate) fn read(text: &str) -> Result<Self, NoNumber> {
        let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        if let Some(hex) = hex {
            let digits: String = hex.chars().filter(|&sign| sign != '_').collect();
            if digits.is_empty() || !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(NoNumber::Unlike);
            }
            return match u64::from_str_radix(&digits, 16) {
                Ok(value) => Ok(Self::whole(value)),
                Err(_) => Err(NoNumber::TooLarge),
            };
        }
        if !text.starts_with(|sign: char| sign.is_ascii_digit()) {
            return Err(NoNumber::Unlike);
        }
        let numeric = |sign: char| sign.is_ascii_digit() || sign == '.' || sign == '_';
        let end = text.find(|sign| !numeric(sign)).unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        let unit = match unit {
            "" => None,
            name => Some(Unit::named(name).ok_or(NoNumber::Unlike)?),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let dotted = digits.contains('.');
        if fraction.contains('.') || (dotted && fraction.is_empty()) {
            return Err(NoNumber::Unlike);
        }
        let signs = whole.chars().chain(fraction.chars());
        let mut mantissa = 0_u64;
        for digit in signs.filter_map(|sign| sign.to_digit(10)) {
            let more = mantissa.checked_mul(10);
            let more = more.and_then(|more| more.checked_add(u64::from(digit)));
            mantissa = more.ok_or(NoNumber::TooLarge)?;
        }
        let decimals = fraction.chars().filter(char::is_ascii_digit).count();
        let decimals = u8::try_from(decimals).unwrap_or(u8::MAX);
        if decimals > DECIMALS {
            return Err(NoNumber::TooLarge);
        }
        Ok(Self {
            mantissa,
            decimals,
            unit,
        })
    }
}

/// A size as people write it in an option: `4096`, `0x1000`, `392KiB`, `1.5 MiB`.
///
/// # Errors
/// A sentence, for what is no whole number of bytes below 2^64.
pub fn size(text: &str) -> Result<u64, String> {
    let joined: String = text.split_whitespace().collect();
    let wrong = |what: &str| {
        Err(format!(
            "\"{text}\" {what}: write bytes, or such as 392KiB, 1.5MiB"
        ))
    };
    let number = match Number::read(&joined) {
        Ok(number) => number,
        Err(NoNumber::Unlike) => return wrong("is no size"),
        Err(NoNumber::TooLarge) => return wrong("has too many digits"),
    };
    // Both are below 2^64 · 2^40.
    let units = u128::from(number.mantissa) * u128::from(number.unit.map_or(1, Unit::bytes));
    let scale = 10_u128.pow(u32::from(number.decimals));
    if !units.is_multiple_of(scale) {
        return wrong("is no whole number of bytes");
    }
    match u64::try_from(units / scale) {
        Ok(bytes) => Ok(bytes),
        Err(_) => wrong("is beyond 64 bits"),
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = usize::from(self.decimals);
        let digits = format!("{:0>1$}", self.mantissa, decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        f.write_str(whole)?;
        if !fraction.is_empty() {
            write!(f, ".{fraction}")?;
        }
        f.write_str(self.unit.map_or("", Unit::name))
    }
}
