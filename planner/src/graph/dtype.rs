//! Element types.

use serde::{Deserialize, Serialize};

/// Element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each variant is named by its own text form")]
pub enum DType {
    F64,
    F32,
    F16,
    BF16,
    /// 8-bit float with 4 exponent bits, without infinities.
    F8E4M3,
    /// 8-bit float with 5 exponent bits.
    F8E5M2,
    /// The same with 4 exponent bits, without a minus zero, and half as large.
    F8E4M3FNUZ,
    /// The same with 5 exponent bits.
    F8E5M2FNUZ,
    /// Powers of two: 8 exponent bits and nothing else.
    F8E8M0,
    F4,
    I64,
    I32,
    I16,
    I8,
    I4,
    I2,
    U64,
    U32,
    U16,
    U8,
    U4,
    U2,
    Bool,
    C64,
    C128,
    /// Text: no fixed size.
    String,
    /// Handles, variants and types that we do not know: no fixed size.
    Other,
}

impl DType {
    /// All of them.
    const ALL: [Self; 27] = [
        Self::F64,
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::F8E4M3,
        Self::F8E5M2,
        Self::F8E4M3FNUZ,
        Self::F8E5M2FNUZ,
        Self::F8E8M0,
        Self::F4,
        Self::I64,
        Self::I32,
        Self::I16,
        Self::I8,
        Self::I4,
        Self::I2,
        Self::U64,
        Self::U32,
        Self::U16,
        Self::U8,
        Self::U4,
        Self::U2,
        Self::Bool,
        Self::C64,
        Self::C128,
        Self::String,
        Self::Other,
    ];

    /// The type with this [name](Self::name).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Bits of one element; `None` when elements have no fixed size.
    #[must_use]
    pub fn bits(self) -> Option<u64> {
        Some(match self {
            Self::C128 => 128,
            Self::F64 | Self::I64 | Self::U64 | Self::C64 => 64,
            Self::F32 | Self::I32 | Self::U32 => 32,
            Self::F16 | Self::BF16 | Self::I16 | Self::U16 => 16,
            Self::F8E4M3 | Self::F8E5M2 | Self::F8E4M3FNUZ => 8,
            Self::F8E5M2FNUZ | Self::F8E8M0 => 8,
            Self::I8 | Self::U8 | Self::Bool => 8,
            Self::F4 | Self::I4 | Self::U4 => 4,
            Self::I2 | Self::U2 => 2,
            Self::String | Self::Other => return None,
        })
    }

    /// Whether networks are trained in it: numbers of 16, 32 or 64 bits.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// Short name, as shown and saved: "f32", "i8", "bool".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F8E4M3 => "f8e4m3",
            Self::F8E5M2 => "f8e5m2",
            Self::F8E4M3FNUZ => "f8e4m3fnuz",
            Self::F8E5M2FNUZ => "f8e5m2fnuz",
            Self::F8E8M0 => "f8e8m0",
            Self::F4 => "f4",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::I4 => "i4",
            Self::I2 => "i2",
            Self::U64 => "u64",
            Self::U32 => "u32",
            Self::U16 => "u16",
            Self::U8 => "u8",
            Self::U4 => "u4",
            Self::U2 => "u2",
            Self::Bool => "bool",
            Self::C64 => "c64",
            Self::C128 => "c128",
            Self::String => "string",
            Self::Other => "other",
        }
    }
}
