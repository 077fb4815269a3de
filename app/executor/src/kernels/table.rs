//! The table of kernels: one row each, with everything that is known of it.

use std::cmp::Ordering;
use std::fmt;

use super::products;
use super::sources::{
    ACTIVATION, ATOMIC, ATTENDING, CONVOLUTIONS, ELEMENTS, FIXED_POINT, FUNCTIONS, NORMALIZING,
    OPERANDS, PAIRS, POOLING, PRODUCTS, QUANTISING, QUOTIENT, RANGED, REDUCING, ROW_SUMS, ROWS,
    STORED, TYPED, TYPES, WORDS,
};
use crate::arena::Memory;
use crate::recording::Dispatch;

/// A compute kernel: its row of the table. The row lies with those who make dispatches of it, so
/// that a part of a program that is fetched later brings its kernels along.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Row);

/// What is known of a kernel.
struct Row {
    id: Id,
    /// The name of its shader file and of its CPU reference's module.
    name: &'static str,
    /// Its own WGSL.
    shader: &'static str,
    /// What comes before that, beside the access to operands.
    shared: &'static [&'static str],
    reference: fn(&Dispatch, &mut Memory),
    output: Output,
    operands: Operands,
    work: Work,
}

/// Where an output may lie.
#[derive(PartialEq)]
enum Output {
    /// Exactly where an input does: element by element, or row by row where every thread writes
    /// only what no other reads any more.
    InPlace,
    /// Apart from every input.
    Apart,
}

/// How the elements of operands may lie.
#[derive(PartialEq)]
enum Operands {
    /// At strides, which it walks.
    Strided,
    /// One after the other.
    Dense,
}

/// What its floating-point operations are counted by.
enum Work {
    /// It has none: it sees elements as bits, rather than as floats to compute with.
    Bits,
    /// The elements that it writes.
    Written,
    /// The elements that it reads, of which it makes few.
    Read,
    /// The products that it sums.
    Products(fn(&Dispatch) -> u64),
}

macro_rules! kernels {
    ($(
        $(#[$doc:meta])*
        $kernel:ident: $module:ident, $output:ident, $operands:ident,
        $work:ident $(($products:ident))?, [$($shared:ident),*];
    )*) => {
        /// The place in the table.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        enum Id {
            $($kernel,)*
        }

        #[expect(non_upper_case_globals, reason = "they are named like variants of an enum")]
        impl Kernel {
            $(
                $(#[$doc])*
                pub const $kernel: Self = Self(&Row {
                    id: Id::$kernel,
                    name: stringify!($module),
                    shader: include_str!(concat!("../../shaders/", stringify!($module), ".wgsl")),
                    shared: &[$($shared),*],
                    reference: super::$module::reference,
                    output: Output::$output,
                    operands: Operands::$operands,
                    work: Work::$work $((products::$products))?,
                });
            )*
        }
    };
}

// Constant: module and shader file, where its output may lie, how the elements of operands may lie,
// what its floating-point operations are counted by, what its shader begins with.
kernels! {
    /// One function of each element.
    Unary: unary, InPlace, Strided, Written, [FUNCTIONS, PAIRS];
    /// One function of two elements, with broadcasting.
    Binary: binary, InPlace, Strided, Written, [FUNCTIONS, ACTIVATION, PAIRS];
    /// One function of two integers or bools of the same type, with broadcasting.
    Integer: integer, InPlace, Dense, Written, [TYPED, PAIRS];
    /// Whether two elements compare as asked, with broadcasting.
    Compare: compare, InPlace, Dense, Bits, [TYPED, PAIRS];
    /// Powers whose base and exponent differ in type, with broadcasting.
    Power: power, InPlace, Dense, Bits, [FUNCTIONS, TYPED, PAIRS];
    /// One of two elements, as a third says, with broadcasting.
    Select: select, InPlace, Dense, Bits, [TYPED];
    /// Each element as another type.
    Cast: cast, InPlace, Dense, Bits, [TYPED];
    /// Quantised integers as the floats that they stand for.
    Dequantize: dequantize, InPlace, Dense, Written, [TYPED, QUANTISING];
    /// Floats as quantised integers.
    Quantize: quantize, InPlace, Dense, Written, [TYPED, QUANTISING, QUOTIENT];
    /// Quantised elements by a table.
    QuantisedTable: quantised_table, InPlace, Dense, Written, [TYPED];
    /// Sums and products of two quantised elements, with broadcasting.
    QuantisedPair: quantised_pair, InPlace, Dense, Written, [TYPED, FIXED_POINT, PAIRS];
    /// Convolutions and matrix products of quantised elements.
    QuantisedConv: quantised_conv, Apart, Dense, Products(quantised_conv), [TYPED, FIXED_POINT];
    /// The largest or the mean of quantised elements under a window.
    QuantisedPool: quantised_pool, Apart, Dense, Written, [TYPED, FIXED_POINT];
    /// Softmax of rows of quantised elements.
    QuantisedSoftmax: quantised_softmax, Apart, Dense, Written, [TYPED, FIXED_POINT];
    /// Convolutions and matrix products of floats that become integers on the way.
    Hybrid: hybrid, Apart, Dense, Products(hybrid), [TYPES, FIXED_POINT, QUOTIENT, RANGED];
    /// Recurrent layers of floats that become integers on the way, a workgroup for each sequence.
    HybridLayer: hybrid_layer, Apart, Dense, Products(hybrid_layer), [TYPES, FIXED_POINT, QUOTIENT, FUNCTIONS, ACTIVATION, RANGED];
    /// The quantisation that elements ask for.
    DynamicRange: dynamic_range, Apart, Dense, Written, [TYPES, QUOTIENT];
    /// Words from one place to another.
    Copy: copy, Apart, Strided, Bits, [];
    /// One element everywhere.
    Fill: fill, Apart, Dense, Bits, [];
    /// Elements from one box of strides to another.
    StridedCopy: strided_copy, Apart, Strided, Bits, [ELEMENTS];
    /// Elements that indices name.
    Gather: gather, Apart, Dense, Bits, [ELEMENTS];
    /// Elements between elements.
    Resize: resize, Apart, Dense, Written, [];
    /// One side of a diagonal.
    Trilu: trilu, Apart, Dense, Bits, [ELEMENTS];
    /// One place marked by an index.
    OneHot: one_hot, Apart, Dense, Bits, [ELEMENTS];
    /// Elements put where indices lead.
    Scatter: scatter, Apart, Dense, Bits, [ELEMENTS];
    /// Convolutions, transposed ones too, of up to three spatial dimensions.
    Conv: conv, Apart, Dense, Products(conv), [FUNCTIONS, ACTIVATION, CONVOLUTIONS];
    /// Convolutions in two dimensions whose filters see one channel each.
    Depthwise: depthwise, Apart, Dense, Products(conv), [FUNCTIONS, ACTIVATION, CONVOLUTIONS];
    /// The largest, the mean or the norm under a window.
    Pool: pool, Apart, Dense, Products(pool), [FUNCTIONS, ACTIVATION, POOLING];
    /// The largest, the mean or the norm of all pixels of a channel, by many threads.
    GlobalPool: global_pool, Apart, Dense, Read, [FUNCTIONS, ACTIVATION, POOLING];
    /// Division by the strength of neighbouring channels.
    Lrn: lrn, Apart, Dense, Written, [FUNCTIONS];
    /// Products of matrices, one thread for each element.
    Matmul: matmul, Apart, Strided, Products(matmul), [FUNCTIONS, ACTIVATION, PRODUCTS];
    /// Products of matrices, tile by tile.
    MatmulTiled: matmul_tiled, Apart, Strided, Products(matmul), [FUNCTIONS, ACTIVATION, PRODUCTS];
    /// Sums of products over any dimensions.
    Contract: contract, Apart, Dense, Products(contract), [];
    /// One number of each row, one thread for each.
    Reduce: reduce, Apart, Strided, Read, [FUNCTIONS, ROWS, REDUCING];
    /// One number of each row, a workgroup for each.
    ReduceRows: reduce_rows, Apart, Strided, Read, [FUNCTIONS, ROWS, ROW_SUMS, REDUCING];
    /// Softmax of each row, one thread for each.
    Softmax: softmax, InPlace, Strided, Written, [FUNCTIONS, ROWS];
    /// Softmax of each row, a workgroup for each.
    SoftmaxRows: softmax_rows, InPlace, Strided, Written, [FUNCTIONS, ROWS, ROW_SUMS];
    /// Attention: a workgroup for each head and query.
    Attention: attention, Apart, Dense, Products(attention), [TYPES, FUNCTIONS, ROW_SUMS, ATTENDING];
    /// Attention on what weights make of one input.
    PackedAttention: packed_attention, Apart, Dense, Products(packed_attention), [TYPES, FUNCTIONS, ROW_SUMS, ATTENDING];
    /// Attention by a state that each row changes.
    LinearAttention: linear_attention, Apart, Dense, Products(linear_attention), [FUNCTIONS];
    /// Convolutions over what came before.
    CausalConv: causal_conv, Apart, Dense, Products(causal_conv), [FUNCTIONS];
    /// New rows among those of a cache, turned by their positions.
    Cache: cache, Apart, Dense, Written, [TYPED];
    /// Products with weights of few bits.
    MatmulBits: matmul_bits, Apart, Dense, Products(matmul_bits), [TYPES, ROW_SUMS];
    /// Rows times one of several matrices each.
    GroupedMatmul: grouped_matmul, Apart, Dense, Products(grouped_matmul), [TYPES];
    /// Rows of embeddings, added up.
    Embed: embed, Apart, Dense, Written, [];
    /// Normalizes each row, one thread for each.
    Normalize: normalize, InPlace, Strided, Written, [ROWS, NORMALIZING];
    /// Normalizes each row, a workgroup for each.
    NormalizeRows: normalize_rows, InPlace, Strided, Written, [ROWS, ROW_SUMS, NORMALIZING];
    /// Normalizes each channel by given statistics.
    BatchNorm: batch_norm, InPlace, Dense, Written, [];
    /// The place of the largest or smallest element of each row.
    ArgReduce: arg_reduce, Apart, Dense, Read, [ROWS];
    /// Running sums of each row.
    CumSum: cum_sum, Apart, Dense, Written, [TYPES, ROWS];
    /// The largest or smallest elements of each row and their places.
    TopK: top_k, Apart, Dense, Written, [TYPES, ROWS];
    /// Recurrent layers, a workgroup for each sequence of each direction.
    Recurrent: recurrent, Apart, Dense, Products(recurrent), [FUNCTIONS];
    /// The first steps of sequences in reverse order.
    ReverseSequence: reverse_sequence, Apart, Dense, Bits, [ELEMENTS];
    /// The determinant of each matrix, a workgroup for each.
    Determinant: determinant, Apart, Dense, Products(determinant), [];
    /// The inverse of each matrix, a workgroup for each.
    Inverse: inverse, Apart, Dense, Products(inverse), [];
    /// LSTM of integers that states become on the way, a workgroup for each direction.
    DynamicLstm: dynamic_lstm, Apart, Dense, Products(dynamic_lstm), [TYPES, FUNCTIONS];
    /// One step of an optimizer.
    TrainingStep: training_step, Apart, Dense, Written, [FUNCTIONS];
    /// A filter over features of the last steps.
    Svdf: svdf, Apart, Dense, Products(svdf), [FUNCTIONS, ACTIVATION];
    /// A filter over quantised features of the last steps.
    QuantisedSvdf: quantised_svdf, Apart, Dense, Products(quantised_svdf), [TYPED, FIXED_POINT];
    /// An LSTM layer on quantised elements.
    QuantisedLstm: quantised_lstm, Apart, Dense, Products(quantised_lstm), [ATOMIC, TYPES, FIXED_POINT];
    /// The largest or smallest integer of each row, or its place.
    IntegerReduce: integer_reduce, Apart, Dense, Written, [TYPED, FIXED_POINT, ROWS];
    /// Quantised elements between elements.
    QuantisedResize: quantised_resize, Apart, Dense, Written, [TYPED, FIXED_POINT];
    /// How often n-grams are in rows.
    NGrams: n_grams, Apart, Dense, Written, [TYPED];
    /// Marks the largest element of each row.
    Hardmax: hardmax, Apart, Dense, Written, [ROWS];
    /// The loss of scores of classes, of each place or over all.
    ClassLoss: class_loss, Apart, Dense, Written, [FUNCTIONS, ROW_SUMS];
    /// Elements between elements, where a grid says.
    GridSample: grid_sample, Apart, Dense, Written, [];
    /// Means or largest of samples in the bins of regions.
    RoiAlign: roi_align, Apart, Dense, Written, [];
    /// Convolutions in two dimensions whose windows are shifted tap by tap.
    DeformConv: deform_conv, Apart, Dense, Products(deform_conv), [];
    /// Sums of blocks that overlap.
    Col2im: col2im, Apart, Dense, Written, [];
    /// Elements put back where indices say.
    Unpool: unpool, Apart, Dense, Written, [];
    /// Weighted sums of neighbours by tables.
    Resample: resample, Apart, Dense, Written, [];
    /// Fourier transforms by their definition.
    Fourier: fourier, Apart, Dense, Products(fourier), [FUNCTIONS];
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Kernel {}

impl PartialOrd for Kernel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kernel {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.id.cmp(&other.0.id)
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kernel {
    /// Its name: that of its shader file and of its CPU reference's module.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The whole WGSL module; of floats of any width if `stored` says so, else of 32 bits.
    #[must_use]
    pub fn source(self, stored: bool) -> String {
        let own = self.0.shared;
        let access = match stored {
            true => &STORED[..],
            false if own.contains(&ATOMIC) => &[],
            false => &WORDS[..],
        };
        let typed = stored || self.is_typed();
        let types = if typed { TYPES } else { "" };
        let shared = [OPERANDS, types].into_iter().chain(access.iter().copied());
        let parts = shared.chain(own.iter().copied().filter(|part| *part != TYPES));
        let parts = parts.filter(|part| !part.is_empty());
        let parts: Vec<&str> = parts.chain([self.0.shader]).collect();
        parts.join("\n")
    }

    /// Whether it takes elements of any type apart by itself.
    #[must_use]
    pub fn is_typed(self) -> bool {
        [TYPES, TYPED].iter().any(|it| self.0.shared.contains(it))
    }

    /// Computes a dispatch on the CPU.
    pub fn reference(self, dispatch: &Dispatch, memory: &mut Memory) {
        (self.0.reference)(dispatch, memory);
    }

    /// Whether an output may lie exactly where an input does.
    #[must_use]
    pub fn in_place(self) -> bool {
        self.0.output == Output::InPlace
    }

    /// Whether it walks the strides of its operands.
    #[must_use]
    pub fn walks_strides(self) -> bool {
        self.0.operands == Operands::Strided
    }

    /// Whether it reads or writes elements as floats to compute with, rather than as bits.
    #[must_use]
    pub fn computes_floats(self) -> bool {
        !matches!(self.0.work, Work::Bits)
    }

    /// Products that all threads of `dispatch` sum; 0 of a kernel that sums none.
    #[must_use]
    pub fn products(self, dispatch: &Dispatch) -> u64 {
        match self.0.work {
            Work::Products(products) => products(dispatch),
            Work::Bits | Work::Written | Work::Read => 0,
        }
    }

    /// Elements that all threads of `dispatch` compute, or read where it makes one number of many.
    pub(crate) fn elements(self, dispatch: &Dispatch) -> u64 {
        let operands = match self.0.work {
            Work::Read => &dispatch.inputs,
            Work::Bits | Work::Written | Work::Products(_) => &dispatch.outputs,
        };
        operands.iter().map(|x| u64::from(x.len())).sum()
    }
}
