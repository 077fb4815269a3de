//! The WGSL that shaders of kernels share.

/// What every shader begins with: the bindings.
pub(super) const OPERANDS: &str = include_str!("../../shaders/operands.wgsl");
/// Access to words, and to operands of 32-bit floats.
pub(super) const WORDS: [&str; 2] = [
    include_str!("../../shaders/plain_words.wgsl"),
    include_str!("../../shaders/floats.wgsl"),
];
/// The same for floats of any width, of which two may share a word.
pub(super) const STORED: [&str; 2] = [ATOMIC, include_str!("../../shaders/stored_floats.wgsl")];
/// Words of which two threads may each write a part, for the shaders that do.
pub(super) const ATOMIC: &str = include_str!("../../shaders/atomic_words.wgsl");
/// What shaders that move elements of any type have besides.
pub(super) const ELEMENTS: &str = include_str!("../../shaders/elements.wgsl");

/// What the shaders of kernels with a fused activation begin with, too.
pub(super) const ACTIVATION: &str = include_str!("../../shaders/activation.wgsl");
/// Functions of f32, for the shaders that use them.
pub(super) const FUNCTIONS: &str = include_str!("../../shaders/functions.wgsl");
/// Elements of every type, for the shaders that use them.
pub(super) const TYPES: &str = include_str!("../../shaders/element_types.wgsl");
/// Outputs of elements of every type.
pub(super) const TYPED: &str = include_str!("../../shaders/typed.wgsl");
/// Scales along an axis.
pub(super) const QUANTISING: &str = include_str!("../../shaders/quantising.wgsl");
/// Fixed-point arithmetic, for the shaders of quantised elements.
pub(super) const FIXED_POINT: &str = include_str!("../../shaders/fixed_point.wgsl");
/// Quotients to nearest, beside [`TYPES`]: a division of WGSL may be wrong in its last bits.
pub(super) const QUOTIENT: &str = include_str!("../../shaders/quotient.wgsl");
/// Floats as integers by their own range, beside [`QUOTIENT`].
pub(super) const RANGED: &str = include_str!("../../shaders/ranged.wgsl");
/// What shaders that work along axes begin with.
pub(super) const ROWS: &str = include_str!("../../shaders/rows.wgsl");
/// What shaders with a workgroup on each row begin with, too.
pub(super) const ROW_SUMS: &str = include_str!("../../shaders/row_sums.wgsl");
/// What shaders of two inputs begin with.
pub(super) const PAIRS: &str = include_str!("../../shaders/pairs.wgsl");
/// What shaders of products begin with.
pub(super) const PRODUCTS: &str = include_str!("../../shaders/products.wgsl");
/// What shaders of attention begin with.
pub(super) const ATTENDING: &str = include_str!("../../shaders/attending.wgsl");
/// What shaders of convolutions begin with.
pub(super) const CONVOLUTIONS: &str = include_str!("../../shaders/convolutions.wgsl");
/// What shaders of pooling begin with.
pub(super) const POOLING: &str = include_str!("../../shaders/pooling.wgsl");
/// What shaders that normalize rows begin with, too.
pub(super) const NORMALIZING: &str = include_str!("../../shaders/normalizing.wgsl");
/// What shaders that make a number of each row begin with, too.
pub(super) const REDUCING: &str = include_str!("../../shaders/reducing.wgsl");
