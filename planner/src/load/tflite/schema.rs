//! Numbers of TFLite's FlatBuffers schema, by the names that it gives them: `schema.fbs` of
//! <https://github.com/google-ai-edge/LiteRT/blob/main/tflite/converter/schema/schema.fbs>.
//!
//! The id of a field is its place in its table; a union takes two, its type and its member.

/// Fields of the table `Model`.
pub(crate) mod model {
    pub(crate) const VERSION: u16 = 0;
    pub(crate) const OPERATOR_CODES: u16 = 1;
    pub(crate) const SUBGRAPHS: u16 = 2;
    pub(crate) const DESCRIPTION: u16 = 3;
    pub(crate) const BUFFERS: u16 = 4;
    pub(crate) const METADATA_BUFFER: u16 = 5;
    pub(crate) const METADATA: u16 = 6;
    pub(crate) const SIGNATURE_DEFS: u16 = 7;
}

/// Fields of the table `OperatorCode`.
pub(crate) mod operator_code {
    pub(crate) const DEPRECATED_BUILTIN_CODE: u16 = 0;
    pub(crate) const CUSTOM_CODE: u16 = 1;
    pub(crate) const BUILTIN_CODE: u16 = 3;
}

/// Fields of the table `SignatureDef`.
pub(crate) mod signature_def {
    pub(crate) const SUBGRAPH_INDEX: u16 = 4;
}

/// Fields of the table `SubGraph`.
pub(crate) mod subgraph {
    pub(crate) const TENSORS: u16 = 0;
    pub(crate) const INPUTS: u16 = 1;
    pub(crate) const OUTPUTS: u16 = 2;
    pub(crate) const OPERATORS: u16 = 3;
    pub(crate) const NAME: u16 = 4;
}

/// Fields of the table `Operator`.
pub(crate) mod operator {
    pub(crate) const OPCODE_INDEX: u16 = 0;
    pub(crate) const INPUTS: u16 = 1;
    pub(crate) const OUTPUTS: u16 = 2;
    pub(crate) const BUILTIN_OPTIONS_TYPE: u16 = 3;
    pub(crate) const BUILTIN_OPTIONS: u16 = 4;
    pub(crate) const INTERMEDIATES: u16 = 8;
    pub(crate) const LARGE_CUSTOM_OPTIONS_OFFSET: u16 = 9;
    pub(crate) const BUILTIN_OPTIONS_2_TYPE: u16 = 11;
    pub(crate) const BUILTIN_OPTIONS_2: u16 = 12;
}

/// Fields of the table `Tensor`.
pub(crate) mod tensor {
    pub(crate) const SHAPE: u16 = 0;
    pub(crate) const TYPE: u16 = 1;
    pub(crate) const BUFFER: u16 = 2;
    pub(crate) const NAME: u16 = 3;
    pub(crate) const QUANTIZATION: u16 = 4;
    pub(crate) const IS_VARIABLE: u16 = 5;
    pub(crate) const SPARSITY: u16 = 6;
    pub(crate) const SHAPE_SIGNATURE: u16 = 7;
}

/// Fields of the table `QuantizationParameters`.
pub(crate) mod quantization {
    pub(crate) const SCALE: u16 = 2;
    pub(crate) const ZERO_POINT: u16 = 3;
    pub(crate) const QUANTIZED_DIMENSION: u16 = 6;
}

/// Fields of the table `SparsityParameters`.
pub(crate) mod sparsity {
    pub(crate) const TRAVERSAL_ORDER: u16 = 0;
    pub(crate) const BLOCK_MAP: u16 = 1;
    pub(crate) const DIM_METADATA: u16 = 2;
}

/// Fields of the table `DimensionMetadata`.
pub(crate) mod dimension {
    pub(crate) const FORMAT: u16 = 0;
    pub(crate) const DENSE_SIZE: u16 = 1;
    pub(crate) const ARRAY_SEGMENTS_TYPE: u16 = 2;
    pub(crate) const ARRAY_INDICES_TYPE: u16 = 4;
}

/// Fields of the table `Buffer`.
pub(crate) mod buffer {
    pub(crate) const DATA: u16 = 0;
    pub(crate) const OFFSET: u16 = 1;
    pub(crate) const SIZE: u16 = 2;
}

/// Fields of the table `Metadata`.
pub(crate) mod metadata {
    pub(crate) const NAME: u16 = 0;
    pub(crate) const BUFFER: u16 = 1;
}

/// Members of the union `BuiltinOptions` whose fields we read, without their ending `Options`.
pub(crate) mod options {
    pub(crate) const CONV_2D: u8 = 1;
    pub(crate) const DEPTHWISE_CONV_2D: u8 = 2;
    pub(crate) const POOL_2D: u8 = 5;
    pub(crate) const SVDF: u8 = 6;
    pub(crate) const RNN: u8 = 7;
    pub(crate) const FULLY_CONNECTED: u8 = 8;
    pub(crate) const SOFTMAX: u8 = 9;
    pub(crate) const CONCATENATION: u8 = 10;
    pub(crate) const ADD: u8 = 11;
    pub(crate) const L2_NORM: u8 = 12;
    pub(crate) const LOCAL_RESPONSE_NORMALIZATION: u8 = 13;
    pub(crate) const LSTM: u8 = 14;
    pub(crate) const RESIZE_BILINEAR: u8 = 15;
    pub(crate) const CALL: u8 = 16;
    pub(crate) const RESHAPE: u8 = 17;
    pub(crate) const SPACE_TO_DEPTH: u8 = 19;
    pub(crate) const MUL: u8 = 21;
    pub(crate) const GATHER: u8 = 23;
    pub(crate) const REDUCER: u8 = 27;
    pub(crate) const SUB: u8 = 28;
    pub(crate) const DIV: u8 = 29;
    pub(crate) const SQUEEZE: u8 = 30;
    pub(crate) const SEQUENCE_RNN: u8 = 31;
    pub(crate) const STRIDED_SLICE: u8 = 32;
    pub(crate) const SPLIT: u8 = 35;
    pub(crate) const CAST: u8 = 37;
    pub(crate) const ARG_MAX: u8 = 40;
    pub(crate) const TRANSPOSE_CONV: u8 = 49;
    pub(crate) const SHAPE: u8 = 55;
    pub(crate) const ARG_MIN: u8 = 57;
    pub(crate) const PACK: u8 = 59;
    pub(crate) const ONE_HOT: u8 = 61;
    pub(crate) const UNPACK: u8 = 64;
    pub(crate) const BIDIRECTIONAL_SEQUENCE_LSTM: u8 = 69;
    pub(crate) const BIDIRECTIONAL_SEQUENCE_RNN: u8 = 70;
    pub(crate) const UNIDIRECTIONAL_SEQUENCE_LSTM: u8 = 71;
    pub(crate) const RESIZE_NEAREST_NEIGHBOR: u8 = 74;
    pub(crate) const LEAKY_RELU: u8 = 75;
    pub(crate) const MIRROR_PAD: u8 = 77;
    pub(crate) const SPLIT_V: u8 = 79;
    pub(crate) const REVERSE_SEQUENCE: u8 = 87;
    pub(crate) const IF: u8 = 92;
    pub(crate) const WHILE: u8 = 93;
    pub(crate) const DEPTH_TO_SPACE: u8 = 94;
    pub(crate) const BATCH_MAT_MUL: u8 = 101;
    pub(crate) const CUMSUM: u8 = 102;
    pub(crate) const CALL_ONCE: u8 = 103;
    pub(crate) const CONV_3D: u8 = 106;
    pub(crate) const VAR_HANDLE: u8 = 111;
    pub(crate) const GELU: u8 = 116;
}

/// Members of the union `BuiltinOptions2` whose fields we read, without their ending `Options`.
pub(crate) mod options_2 {
    pub(crate) const STABLEHLO_WHILE: u8 = 15;
    pub(crate) const STABLEHLO_COMPOSITE: u8 = 21;
}

/// Members of the union `SparseIndexVector`.
pub(crate) mod index_vector {
    pub(crate) const INT32: u8 = 1;
    pub(crate) const UINT16: u8 = 2;
    pub(crate) const UINT8: u8 = 3;
    /// The field of each that holds its elements.
    pub(crate) const VALUES: u16 = 0;
}
