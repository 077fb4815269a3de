//! How many products a dispatch sums, about: what its time follows from where it sums any.

use super::recurrent::CellOp;
use super::{
    AttentionParams, CausalConvParams, ContractParams, ConvParams, DeformConvParams,
    DeterminantParams, FourierParams, GroupedMatmulParams, HybridLayerParams, HybridParams,
    LinearAttentionParams, MatmulBitsParams, MatmulParams, PoolParams, QuantisedConvParams,
    QuantisedLstmParams, QuantisedSvdfParams, RecurrentParams, SvdfParams,
};
use crate::recording::Dispatch;

pub(super) fn conv(dispatch: &Dispatch) -> u64 {
    let params: ConvParams = dispatch.params();
    each(dispatch, &[&[params.inputs], &params.kernel[..3]].concat())
}

pub(super) fn quantised_conv(dispatch: &Dispatch) -> u64 {
    let params: QuantisedConvParams = dispatch.params();
    let planes = params.depth.more[2].saturating_add(1);
    let [height, width] = params.kernel;
    each(dispatch, &[params.group[0], planes, height, width])
}

pub(super) fn hybrid(dispatch: &Dispatch) -> u64 {
    let params: HybridParams = dispatch.params();
    let written = written(dispatch) / (params.gap + 1);
    let [height, width] = params.kernel;
    product(&[written, params.group[0], height, width])
}

pub(super) fn deform_conv(dispatch: &Dispatch) -> u64 {
    let params: DeformConvParams = dispatch.params();
    let [height, width] = params.kernel;
    each(dispatch, &[params.group[0], height, width])
}

pub(super) fn causal_conv(dispatch: &Dispatch) -> u64 {
    each(dispatch, &[dispatch.params::<CausalConvParams>().taps])
}

pub(super) fn pool(dispatch: &Dispatch) -> u64 {
    each(dispatch, &dispatch.params::<PoolParams>().kernel[..3])
}

pub(super) fn matmul(dispatch: &Dispatch) -> u64 {
    each(dispatch, &[dispatch.params::<MatmulParams>().k])
}

pub(super) fn grouped_matmul(dispatch: &Dispatch) -> u64 {
    each(dispatch, &[dispatch.params::<GroupedMatmulParams>().k])
}

pub(super) fn matmul_bits(dispatch: &Dispatch) -> u64 {
    each(dispatch, &[dispatch.params::<MatmulBitsParams>().k])
}

pub(super) fn contract(dispatch: &Dispatch) -> u64 {
    each(dispatch, &[dispatch.params::<ContractParams>().terms])
}

pub(super) fn fourier(dispatch: &Dispatch) -> u64 {
    each(dispatch, &[dispatch.params::<FourierParams>().terms])
}

/// Every query meets every key, and every share a value.
pub(super) fn attention(dispatch: &Dispatch) -> u64 {
    let params: AttentionParams = dispatch.params();
    let each = u64::from(params.sizes[0]).saturating_add(params.sizes[1].into());
    let scores = rows(&params).saturating_mul(params.rows[1].into());
    scores.saturating_mul(each)
}

/// Keys and values are met as rows of x, and weights stand before and after.
pub(super) fn packed_attention(dispatch: &Dispatch) -> u64 {
    let params: AttentionParams = dispatch.params();
    let [key, value] = params.sizes.map(u64::from);
    let each = u64::from(params.rows[1])
        .saturating_add(key)
        .saturating_add(value / 2);
    let width = u64::from(params.projected[0]);
    rows(&params)
        .saturating_mul(width)
        .saturating_mul(each)
        .saturating_mul(2)
}

pub(super) fn linear_attention(dispatch: &Dispatch) -> u64 {
    let params: LinearAttentionParams = dispatch.params();
    let rows = product(&[params.batches, params.rows, params.heads[0]]);
    rows.saturating_mul(product(&params.sizes))
        .saturating_mul(3)
}

pub(super) fn determinant(dispatch: &Dispatch) -> u64 {
    inverse(dispatch) / 3
}

pub(super) fn inverse(dispatch: &Dispatch) -> u64 {
    let params: DeterminantParams = dispatch.params();
    product(&[params.count, params.size, params.size, params.size])
}

pub(super) fn recurrent(dispatch: &Dispatch) -> u64 {
    match dispatch.value_of("CELL") == CellOp::Last.code() {
        true => 0,
        false => dynamic_lstm(dispatch),
    }
}

pub(super) fn dynamic_lstm(dispatch: &Dispatch) -> u64 {
    let params: RecurrentParams = dispatch.params();
    let states = [params.steps, params.batch, params.directions, params.units];
    gates(&states, [params.size, params.units])
}

pub(super) fn hybrid_layer(dispatch: &Dispatch) -> u64 {
    let params: HybridLayerParams = dispatch.params();
    let states = [params.steps, params.batch, params.units];
    gates(&states, [params.size, params.units])
}

pub(super) fn quantised_lstm(dispatch: &Dispatch) -> u64 {
    let params: QuantisedLstmParams = dispatch.params();
    let states = [params.steps, params.batch, params.units];
    gates(&states, [params.size, params.units])
}

pub(super) fn svdf(dispatch: &Dispatch) -> u64 {
    let params: SvdfParams = dispatch.params();
    filter(dispatch, params.rank, [params.size, params.steps])
}

pub(super) fn quantised_svdf(dispatch: &Dispatch) -> u64 {
    let params: QuantisedSvdfParams = dispatch.params();
    filter(dispatch, params.rank, [params.size, params.steps])
}

/// Elements of the first output.
fn written(dispatch: &Dispatch) -> u32 {
    dispatch.outputs.first().map_or(0, |y| y.len())
}

/// So many for each element that is written.
fn each(dispatch: &Dispatch, sizes: &[u32]) -> u64 {
    product(sizes).saturating_mul(written(dispatch).into())
}

fn product(sizes: &[u32]) -> u64 {
    let wide = sizes.iter().map(|&size| u64::from(size));
    wide.fold(1, u64::saturating_mul)
}

/// Each feature is a product with the input and one with the steps that count; none where the
/// dispatch carries on what was computed before.
fn filter(dispatch: &Dispatch, rank: u32, [size, steps]: [u32; 2]) -> u64 {
    if dispatch.value_of("CARRY") != 0 {
        return 0;
    }
    each(dispatch, &[rank]).saturating_mul(u64::from(size).saturating_add(steps.into()))
}

/// Rows of scores.
fn rows(params: &AttentionParams) -> u64 {
    product(&[params.batches, params.heads[0], params.rows[0]])
}

/// The largest of the layers, an LSTM, has four gates; others have fewer. Each is a product with
/// the input and one with the state.
fn gates(states: &[u32], [size, units]: [u32; 2]) -> u64 {
    let each = u64::from(size).saturating_add(units.into());
    product(states).saturating_mul(each).saturating_mul(4)
}
