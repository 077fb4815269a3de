//! The WGSL of kernels: what each begins with, and what all of them share.

use super::Kernel;

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
        let parts: Vec<&str> = parts.chain([self.shader()]).collect();
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
            Self::Power,
            Self::Compare,
            Self::Select,
            Self::Cast,
            Self::Copy,
            Self::Fill,
            Self::StridedCopy,
            Self::Gather,
            Self::Trilu,
            Self::OneHot,
            Self::Scatter,
            Self::ReverseSequence,
        ];
        !bits.contains(&self)
    }

    /// What its shader begins with beside the access to operands.
    fn shared(self) -> &'static [&'static str] {
        match self {
            Self::Unary => &[FUNCTIONS, PAIRS],
            Self::Recurrent => &[FUNCTIONS],
            Self::ReverseSequence => &[ELEMENTS],
            Self::Svdf => &[FUNCTIONS, ACTIVATION],
            Self::TrainingStep => &[FUNCTIONS],
            Self::Determinant => &[],
            Self::Binary => &[FUNCTIONS, ACTIVATION, PAIRS],
            Self::Power => &[FUNCTIONS, TYPED, PAIRS],
            Self::Integer | Self::Compare => &[TYPED, PAIRS],
            Self::Select | Self::Cast => &[TYPED],
            Self::Dequantize | Self::Quantize => &[TYPED, QUANTISING],
            Self::QuantisedTable => &[TYPED],
            Self::QuantisedPair => &[TYPED, FIXED_POINT, PAIRS],
            Self::QuantisedConv | Self::QuantisedPool => &[TYPED, FIXED_POINT],
            Self::QuantisedSoftmax | Self::QuantisedSvdf => &[TYPED, FIXED_POINT],
            Self::QuantisedLstm => &[ATOMIC, TYPES, FIXED_POINT],
            Self::StridedCopy | Self::Gather => &[ELEMENTS],
            Self::Conv | Self::Depthwise => &[FUNCTIONS, ACTIVATION, CONVOLUTIONS],
            Self::Pool | Self::GlobalPool => &[FUNCTIONS, ACTIVATION, POOLING],
            Self::Matmul | Self::MatmulTiled => &[FUNCTIONS, ACTIVATION, PRODUCTS],
            Self::Reduce => &[FUNCTIONS, ROWS, REDUCING],
            Self::ReduceRows => &[FUNCTIONS, ROWS, ROW_SUMS, REDUCING],
            Self::Normalize => &[ROWS, NORMALIZING],
            Self::NormalizeRows => &[ROWS, ROW_SUMS, NORMALIZING],
            Self::SoftmaxRows => &[FUNCTIONS, ROWS, ROW_SUMS],
            Self::Softmax => &[FUNCTIONS, ROWS],
            Self::ArgReduce => &[ROWS],
            Self::CumSum | Self::TopK => &[TYPES, ROWS],
            Self::Trilu | Self::OneHot | Self::Scatter => &[ELEMENTS],
            Self::Lrn => &[FUNCTIONS],
            Self::Copy | Self::Fill | Self::Resize => &[],
            Self::DynamicRange => &[],
            Self::Contract | Self::BatchNorm => &[],
            Self::ClassLoss => &[FUNCTIONS, ROW_SUMS],
            Self::Fourier => &[FUNCTIONS],
            Self::IntegerReduce => &[TYPED, FIXED_POINT, ROWS],
            Self::Hardmax => &[ROWS],
            Self::NGrams => &[TYPED],
            Self::QuantisedResize => &[TYPED, FIXED_POINT],
            Self::GridSample | Self::RoiAlign | Self::DeformConv => &[],
            Self::Col2im | Self::Unpool | Self::Resample => &[],
            Self::Attention | Self::PackedAttention => &[TYPES, FUNCTIONS, ROW_SUMS, ATTENDING],
            Self::Cache => &[TYPED],
            Self::MatmulBits => &[TYPES, ROW_SUMS],
            Self::Embed => &[],
            Self::LinearAttention | Self::CausalConv => &[FUNCTIONS],
        }
    }
}
