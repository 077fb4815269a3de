//! Builtin options → attributes, under the names that the schema gives them.
//!
//! Only options that shape inference or execution needs are listed. A field that the file
//! leaves out has the schema's default.

use super::builtin;
use super::schema::{operator, options, options_2};
use crate::graph::Attribute;
use crate::load::LoadError;
use crate::load::flatbuffer::Table;

use FieldKind::{Activation, Float, Ints, Mirror, Padding, Subgraph, Text, Type};

/// How a field is stored, with its default where that is not zero.
#[derive(Clone, Copy)]
enum FieldKind {
    Int(i32),
    Bool(u8),
    Float,
    Ints,
    Text,
    /// "SAME" or "VALID".
    Padding,
    /// "NONE", "RELU", ...
    Activation,
    /// An element type, by its code.
    Type,
    /// "REFLECT" or "SYMMETRIC".
    Mirror,
    /// The index of a subgraph.
    Subgraph,
}

type Field = (u16, &'static str, FieldKind);

const ZERO: FieldKind = FieldKind::Int(0);
const ONE: FieldKind = FieldKind::Int(1);
const FALSE: FieldKind = FieldKind::Bool(0);
const FUSED: &str = "fused_activation_function";

/// The members of `BuiltinOptions` that we read, and their fields.
const MEMBERS: &[(&[u8], &[Field])] = &[
    (
        &[options::CONV_2D],
        &[
            (0, "padding", Padding),
            (1, "stride_w", ZERO),
            (2, "stride_h", ZERO),
            (3, FUSED, Activation),
            (4, "dilation_w_factor", ONE),
            (5, "dilation_h_factor", ONE),
        ],
    ),
    (
        &[options::DEPTHWISE_CONV_2D],
        &[
            (0, "padding", Padding),
            (1, "stride_w", ZERO),
            (2, "stride_h", ZERO),
            (3, "depth_multiplier", ZERO),
            (4, FUSED, Activation),
            (5, "dilation_w_factor", ONE),
            (6, "dilation_h_factor", ONE),
        ],
    ),
    (
        &[options::POOL_2D],
        &[
            (0, "padding", Padding),
            (1, "stride_w", ZERO),
            (2, "stride_h", ZERO),
            (3, "filter_width", ZERO),
            (4, "filter_height", ZERO),
            (5, FUSED, Activation),
        ],
    ),
    (
        &[options::SVDF],
        &[
            (0, "rank", ZERO),
            (1, FUSED, Activation),
            (2, "asymmetric_quantize_inputs", FALSE),
        ],
    ),
    (
        &[
            options::RNN,
            options::L2_NORM,
            options::LSTM,
            options::MUL,
            options::DIV,
        ],
        &[(0, FUSED, Activation)],
    ),
    (
        &[options::FULLY_CONNECTED],
        &[
            (0, FUSED, Activation),
            (1, "weights_format", FALSE),
            (2, "keep_num_dims", FALSE),
            (3, "asymmetric_quantize_inputs", FALSE),
        ],
    ),
    (&[options::SOFTMAX], &[(0, "beta", Float)]),
    (
        &[options::CONCATENATION],
        &[(0, "axis", ZERO), (1, FUSED, Activation)],
    ),
    (
        &[options::ADD, options::SUB],
        &[
            (0, FUSED, Activation),
            (1, "pot_scale_int16", FieldKind::Bool(1)),
        ],
    ),
    (
        &[options::LOCAL_RESPONSE_NORMALIZATION],
        &[
            (0, "radius", ZERO),
            (1, "bias", Float),
            (2, "alpha", Float),
            (3, "beta", Float),
        ],
    ),
    (
        &[options::RESIZE_BILINEAR],
        &[
            (2, "align_corners", FALSE),
            (3, "half_pixel_centers", FALSE),
        ],
    ),
    (&[options::CALL], &[(0, "subgraph", Subgraph)]),
    (&[options::RESHAPE], &[(0, "new_shape", Ints)]),
    (
        &[options::SPACE_TO_DEPTH, options::DEPTH_TO_SPACE],
        &[(0, "block_size", ZERO)],
    ),
    (
        &[options::GATHER],
        &[(0, "axis", ZERO), (1, "batch_dims", ZERO)],
    ),
    (&[options::REDUCER], &[(0, "keep_dims", FALSE)]),
    (&[options::SQUEEZE], &[(0, "squeeze_dims", Ints)]),
    (
        &[options::SEQUENCE_RNN],
        &[
            (0, "time_major", FALSE),
            (1, FUSED, Activation),
            (2, "asymmetric_quantize_inputs", FALSE),
        ],
    ),
    (
        &[options::STRIDED_SLICE],
        &[
            (0, "begin_mask", ZERO),
            (1, "end_mask", ZERO),
            (2, "ellipsis_mask", ZERO),
            (3, "new_axis_mask", ZERO),
            (4, "shrink_axis_mask", ZERO),
            (5, "offset", FALSE),
        ],
    ),
    (
        &[options::SPLIT, options::SPLIT_V],
        &[(0, "num_splits", ZERO)],
    ),
    (
        &[options::CAST],
        &[(0, "in_data_type", Type), (1, "out_data_type", Type)],
    ),
    (
        &[options::ARG_MAX, options::ARG_MIN],
        &[(0, "output_type", Type)],
    ),
    (
        &[options::TRANSPOSE_CONV],
        &[
            (0, "padding", Padding),
            (1, "stride_w", ZERO),
            (2, "stride_h", ZERO),
            (3, FUSED, Activation),
        ],
    ),
    (&[options::SHAPE], &[(0, "out_type", Type)]),
    (
        &[options::PACK],
        &[(0, "values_count", ZERO), (1, "axis", ZERO)],
    ),
    (&[options::ONE_HOT], &[(0, "axis", ZERO)]),
    (&[options::UNPACK], &[(0, "num", ZERO), (1, "axis", ZERO)]),
    (
        &[options::BIDIRECTIONAL_SEQUENCE_LSTM],
        &[
            (0, FUSED, Activation),
            (3, "merge_outputs", FALSE),
            (4, "time_major", FieldKind::Bool(1)),
        ],
    ),
    (
        &[options::BIDIRECTIONAL_SEQUENCE_RNN],
        &[
            (0, "time_major", FALSE),
            (1, FUSED, Activation),
            (2, "merge_outputs", FALSE),
        ],
    ),
    (
        &[options::UNIDIRECTIONAL_SEQUENCE_LSTM],
        &[
            (0, FUSED, Activation),
            (1, "cell_clip", Float),
            (3, "time_major", FALSE),
            (4, "asymmetric_quantize_inputs", FALSE),
        ],
    ),
    (
        &[options::RESIZE_NEAREST_NEIGHBOR],
        &[
            (0, "align_corners", FALSE),
            (1, "half_pixel_centers", FALSE),
        ],
    ),
    (&[options::LEAKY_RELU], &[(0, "alpha", Float)]),
    (&[options::MIRROR_PAD], &[(0, "mode", Mirror)]),
    (
        &[options::REVERSE_SEQUENCE],
        &[(0, "seq_dim", ZERO), (1, "batch_dim", ZERO)],
    ),
    (
        &[options::IF],
        &[
            (0, "then_subgraph_index", Subgraph),
            (1, "else_subgraph_index", Subgraph),
        ],
    ),
    (
        &[options::WHILE],
        &[
            (0, "cond_subgraph_index", Subgraph),
            (1, "body_subgraph_index", Subgraph),
        ],
    ),
    (
        &[options::BATCH_MAT_MUL],
        &[
            (0, "adj_x", FALSE),
            (1, "adj_y", FALSE),
            (2, "asymmetric_quantize_inputs", FALSE),
        ],
    ),
    (
        &[options::CUMSUM],
        &[(0, "exclusive", FALSE), (1, "reverse", FALSE)],
    ),
    (
        &[options::CALL_ONCE],
        &[(0, "init_subgraph_index", Subgraph)],
    ),
    (
        &[options::CONV_3D],
        &[
            (0, "padding", Padding),
            (1, "stride_d", ZERO),
            (2, "stride_w", ZERO),
            (3, "stride_h", ZERO),
            (4, FUSED, Activation),
            (5, "dilation_d_factor", ONE),
            (6, "dilation_w_factor", ONE),
            (7, "dilation_h_factor", ONE),
        ],
    ),
    (
        &[options::VAR_HANDLE],
        &[(0, "container", Text), (1, "shared_name", Text)],
    ),
    (&[options::GELU], &[(0, "approximate", FALSE)]),
];

/// The same for `BuiltinOptions2`.
const MEMBERS_2: &[(&[u8], &[Field])] = &[
    (
        &[options_2::STABLEHLO_WHILE],
        &[
            (0, "cond_subgraph_index", Subgraph),
            (1, "body_subgraph_index", Subgraph),
        ],
    ),
    (
        &[options_2::STABLEHLO_COMPOSITE],
        &[
            (0, "name", Text),
            (1, "decomposition_subgraph_index", Subgraph),
        ],
    ),
];

/// The attributes in `from`, a table of the schema's type `Operator`.
///
/// `subgraph_ops` counts the operators of each subgraph; those that are named are added to
/// `subgraphs`, with the attribute that names them.
pub(super) fn attributes(
    from: Table<'_, '_>,
    subgraph_ops: &[u32],
    subgraphs: &mut Vec<(&'static str, usize)>,
) -> Result<Vec<(String, Attribute)>, LoadError> {
    let mut attributes = Vec::new();
    for (kind, table, members) in [
        (
            operator::BUILTIN_OPTIONS_TYPE,
            operator::BUILTIN_OPTIONS,
            MEMBERS,
        ),
        (
            operator::BUILTIN_OPTIONS_2_TYPE,
            operator::BUILTIN_OPTIONS_2,
            MEMBERS_2,
        ),
    ] {
        let number = from.u8(kind, 0)?;
        let found = members
            .iter()
            .find(|(numbers, _)| numbers.contains(&number));
        let fields = found.map_or(&[][..], |(_, fields)| fields);
        let Some(table) = fields.first().and(from.table(table)?) else {
            continue;
        };
        table.spend(fields.len() as u64)?;
        for &(id, name, kind) in fields {
            if let Some(value) = attribute(table, id, kind, subgraph_ops)? {
                if let Attribute::Subgraph { .. } = value {
                    let index = usize::try_from(table.i32(id, 0)?).unwrap_or_default();
                    subgraphs.push((name, index));
                }
                attributes.push((name.to_owned(), value));
            }
        }
    }
    Ok(attributes)
}

fn attribute(
    table: Table<'_, '_>,
    id: u16,
    kind: FieldKind,
    subgraph_ops: &[u32],
) -> Result<Option<Attribute>, LoadError> {
    let named = |names: &[&str], value: u8| match names.get(usize::from(value)) {
        Some(&name) => Attribute::Text(name.to_owned()),
        None => Attribute::Int(i64::from(value)),
    };
    Ok(Some(match kind {
        FieldKind::Int(default) => Attribute::Int(i64::from(table.i32(id, default)?)),
        FieldKind::Bool(default) => Attribute::Int(i64::from(table.u8(id, default)?)),
        Float => Attribute::Float(table.f32(id)?),
        Ints => match table.ints(id)? {
            Some(values) => Attribute::Ints(values.into_iter().map(i64::from).collect()),
            None => return Ok(None),
        },
        Text => Attribute::Text(table.text(id)?),
        Padding => named(&["SAME", "VALID"], table.u8(id, 0)?),
        Activation => named(&builtin::ACTIVATIONS, table.u8(id, 0)?),
        Type => Attribute::Text(builtin::dtype(table.u8(id, 0)?).name().to_owned()),
        Mirror => named(&["REFLECT", "SYMMETRIC"], table.u8(id, 0)?),
        Subgraph => {
            let index = usize::try_from(table.i32(id, 0)?).ok();
            match index.and_then(|index| subgraph_ops.get(index)) {
                Some(&ops) => Attribute::Subgraph { ops },
                None => return Ok(None),
            }
        }
    }))
}
