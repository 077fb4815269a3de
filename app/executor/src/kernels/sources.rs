//! The WGSL of kernels: what each begins with, and what all of them share.

use super::{Id, Kernel};

/// What every shader begins with: the bindings.
const OPERANDS: &str = include_str!("../../shaders/operands.wgsl");
/// Access to words, and to operands of 32-bit floats.
const WORDS: [&str; 2] = [
    include_str!("../../shaders/plain_words.wgsl"),
    include_str!("../../shaders/floats.wgsl"),
];
/// The same for floats of any width, of which two may share a word.
const STORED: [&str; 2] = [ATOMIC, include_str!("../../shaders/stored_floats.wgsl")];
/// Words of which two threads may each write a part, for the shaders that do.
const ATOMIC: &str = include_str!("../../shaders/atomic_words.wgsl");
/// What shaders that move elements of any type have besides.
const ELEMENTS: &str = include_str!("../../shaders/elements.wgsl");

/// What the shaders of kernels with a fused activation begin with, too.
const ACTIVATION: &str = include_str!("../../shaders/activation.wgsl");
/// Functions of f32, for the shaders that use them.
const FUNCTIONS: &str = include_str!("../../shaders/functions.wgsl");
/// Elements of every type, for the shaders that use them.
const TYPES: &str = include_str!("../../shaders/element_types.wgsl");
/// Outputs of elements of every type.
const TYPED: &str = include_str!("../../shaders/typed.wgsl");
/// Scales along an axis.
const QUANTISING: &str = include_str!("../../shaders/quantising.wgsl");
/// Fixed-point arithmetic, for the shaders of quantised elements.
const FIXED_POINT: &str = include_str!("../../shaders/fixed_point.wgsl");
/// Quotients to nearest, beside [`TYPES`]: a division of WGSL may be wrong in its last bits.
const QUOTIENT: &str = include_str!("../../shaders/quotient.wgsl");
/// Floats as integers by their own range, beside [`QUOTIENT`].
const RANGED: &str = include_str!("../../shaders/ranged.wgsl");
/// What shaders that work along axes begin with.
const ROWS: &str = include_str!("../../shaders/rows.wgsl");
/// What shaders with a workgroup on each row begin with, too.
const ROW_SUMS: &str = include_str!("../../shaders/row_sums.wgsl");
/// What shaders of two inputs begin with.
const PAIRS: &str = include_str!("../../shaders/pairs.wgsl");
/// What shaders of products begin with.
const PRODUCTS: &str = include_str!("../../shaders/products.wgsl");
/// What shaders of attention begin with.
const ATTENDING: &str = include_str!("../../shaders/attending.wgsl");
/// What shaders of convolutions begin with.
const CONVOLUTIONS: &str = include_str!("../../shaders/convolutions.wgsl");
/// What shaders of pooling begin with.
const POOLING: &str = include_str!("../../shaders/pooling.wgsl");
/// What shaders that normalize rows begin with, too.
const NORMALIZING: &str = include_str!("../../shaders/normalizing.wgsl");
/// What shaders that make a number of each row begin with, too.
const REDUCING: &str = include_str!("../../shaders/reducing.wgsl");

impl Kernel {
    /// The whole WGSL module; of floats of any width if `stored` says so, else of 32 bits.
    #[must_use]
    pub fn source(self, stored: bool) -> String {
        let own = self.shared();
        let access = match stored {
            true => &STORED[..],
            false if own.contains(&ATOMIC) => &[],
            false => &WORDS[..],
        };
        let typed = stored || self.is_typed() || own.contains(&TYPES);
        let types = if typed { TYPES } else { "" };
        let shared = [OPERANDS, types].into_iter().chain(access.iter().copied());
        let parts = shared.chain(own.iter().copied().filter(|part| *part != TYPES));
        let parts = parts.filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.chain([self.shader]).collect();
        parts.join("\n")
    }

    /// Whether it takes elements of any type apart by itself.
    #[must_use]
    pub fn is_typed(self) -> bool {
        [TYPES, TYPED].iter().any(|it| self.shared().contains(it))
    }

    /// Whether it reads or writes elements as floats to compute with, rather than as bits.
    #[must_use]
    pub fn computes_floats(self) -> bool {
        let bits = [
            Id::Power,
            Id::Compare,
            Id::Select,
            Id::Cast,
            Id::Copy,
            Id::Fill,
            Id::StridedCopy,
            Id::Gather,
            Id::Trilu,
            Id::OneHot,
            Id::Scatter,
            Id::ReverseSequence,
        ];
        !bits.contains(&self.id)
    }

    /// What its shader begins with beside the access to operands.
    fn shared(self) -> &'static [&'static str] {
        match self.id {
            Id::Unary => &[FUNCTIONS, PAIRS],
            Id::Recurrent => &[FUNCTIONS],
            Id::ReverseSequence => &[ELEMENTS],
            Id::Svdf => &[FUNCTIONS, ACTIVATION],
            Id::TrainingStep => &[FUNCTIONS],
            Id::Determinant | Id::Inverse => &[],
            Id::DynamicLstm => &[TYPES, FUNCTIONS],
            Id::Binary => &[FUNCTIONS, ACTIVATION, PAIRS],
            Id::Power => &[FUNCTIONS, TYPED, PAIRS],
            Id::Integer | Id::Compare => &[TYPED, PAIRS],
            Id::Select | Id::Cast => &[TYPED],
            Id::Dequantize => &[TYPED, QUANTISING],
            Id::Quantize => &[TYPED, QUANTISING, QUOTIENT],
            Id::QuantisedTable => &[TYPED],
            Id::QuantisedPair => &[TYPED, FIXED_POINT, PAIRS],
            Id::QuantisedConv | Id::QuantisedPool => &[TYPED, FIXED_POINT],
            Id::QuantisedSoftmax | Id::QuantisedSvdf => &[TYPED, FIXED_POINT],
            Id::QuantisedLstm => &[ATOMIC, TYPES, FIXED_POINT],
            Id::StridedCopy | Id::Gather => &[ELEMENTS],
            Id::Conv | Id::Depthwise => &[FUNCTIONS, ACTIVATION, CONVOLUTIONS],
            Id::Pool | Id::GlobalPool => &[FUNCTIONS, ACTIVATION, POOLING],
            Id::Matmul | Id::MatmulTiled => &[FUNCTIONS, ACTIVATION, PRODUCTS],
            Id::Reduce => &[FUNCTIONS, ROWS, REDUCING],
            Id::ReduceRows => &[FUNCTIONS, ROWS, ROW_SUMS, REDUCING],
            Id::Normalize => &[ROWS, NORMALIZING],
            Id::NormalizeRows => &[ROWS, ROW_SUMS, NORMALIZING],
            Id::SoftmaxRows => &[FUNCTIONS, ROWS, ROW_SUMS],
            Id::Softmax => &[FUNCTIONS, ROWS],
            Id::ArgReduce => &[ROWS],
            Id::CumSum | Id::TopK => &[TYPES, ROWS],
            Id::Trilu | Id::OneHot | Id::Scatter => &[ELEMENTS],
            Id::Lrn => &[FUNCTIONS],
            Id::Copy | Id::Fill | Id::Resize => &[],
            Id::DynamicRange => &[TYPES, QUOTIENT],
            Id::Hybrid => &[TYPES, FIXED_POINT, QUOTIENT, RANGED],
            Id::HybridLayer => &[TYPES, FIXED_POINT, QUOTIENT, FUNCTIONS, ACTIVATION, RANGED],
            Id::Contract | Id::BatchNorm => &[],
            Id::ClassLoss => &[FUNCTIONS, ROW_SUMS],
            Id::Fourier => &[FUNCTIONS],
            Id::IntegerReduce => &[TYPED, FIXED_POINT, ROWS],
            Id::Hardmax => &[ROWS],
            Id::NGrams => &[TYPED],
            Id::QuantisedResize => &[TYPED, FIXED_POINT],
            Id::GridSample | Id::RoiAlign | Id::DeformConv => &[],
            Id::Col2im | Id::Unpool | Id::Resample => &[],
            Id::Attention | Id::PackedAttention => &[TYPES, FUNCTIONS, ROW_SUMS, ATTENDING],
            Id::Cache => &[TYPED],
            Id::MatmulBits => &[TYPES, ROW_SUMS],
            Id::Embed => &[],
            Id::LinearAttention | Id::CausalConv => &[FUNCTIONS],
        }
    }
}
