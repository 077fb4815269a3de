//! How many products a dispatch sums, about: what its time follows from where it sums any.

use super::recurrent::CellOp;
use super::{
    AttentionParams, CausalConvParams, ContractParams, ConvParams, DeformConvParams,
    DeterminantParams, FourierParams, HybridLayerParams, HybridParams, Id, Kernel,
    LinearAttentionParams, MatmulBitsParams, MatmulParams, PoolParams, QuantisedConvParams,
    QuantisedLstmParams, QuantisedSvdfParams, RecurrentParams, SvdfParams,
};
use crate::recording::Dispatch;

impl Kernel {
    /// Products that all threads of `dispatch` sum; 0 of a kernel that sums none.
    #[must_use]
    pub fn products(self, dispatch: &Dispatch) -> u64 {
        let y = dispatch.outputs.first().map_or(0, |y| y.len());
        match self.id {
            Id::Conv | Id::Depthwise => {
                let params: ConvParams = dispatch.params();
                product(&[&[y, params.inputs], &params.kernel[..3]].concat())
            }
            Id::QuantisedConv => {
                let params: QuantisedConvParams = dispatch.params();
                let planes = params.depth.more[2].saturating_add(1);
                product(&[&[y, params.group[0], planes], &params.kernel[..]].concat())
            }
            Id::Hybrid => {
                let params: HybridParams = dispatch.params();
                let written = y / (params.gap + 1);
                product(&[&[written, params.group[0]], &params.kernel[..]].concat())
            }
            Id::DeformConv => {
                let params: DeformConvParams = dispatch.params();
                product(&[&[y, params.group[0]], &params.kernel[..]].concat())
            }
            Id::CausalConv => product(&[y, dispatch.params::<CausalConvParams>().taps]),
            Id::Pool => {
                let params: PoolParams = dispatch.params();
                product(&[&[y], &params.kernel[..3]].concat())
            }
            Id::Matmul | Id::MatmulTiled => product(&[y, dispatch.params::<MatmulParams>().k]),
            Id::MatmulBits => product(&[y, dispatch.params::<MatmulBitsParams>().k]),
            Id::Contract => product(&[y, dispatch.params::<ContractParams>().terms]),
            Id::Fourier => product(&[y, dispatch.params::<FourierParams>().terms]),
            Id::Attention => attention(&dispatch.params()),
            Id::PackedAttention => packed_attention(&dispatch.params()),
            Id::LinearAttention => {
                let params: LinearAttentionParams = dispatch.params();
                let rows = product(&[params.batches, params.rows, params.heads[0]]);
                rows.saturating_mul(product(&params.sizes))
                    .saturating_mul(3)
            }
            Id::Determinant => {
                let params: DeterminantParams = dispatch.params();
                product(&[params.count, params.size, params.size, params.size]) / 3
            }
            Id::Inverse => {
                let params: DeterminantParams = dispatch.params();
                product(&[params.count, params.size, params.size, params.size])
            }
            _ => self.layers(dispatch),
        }
    }

    /// The same of recurrent layers and filters over steps.
    fn layers(self, dispatch: &Dispatch) -> u64 {
        let y = dispatch.outputs.first().map_or(0, |y| y.len());
        match self.id {
            Id::Recurrent if dispatch.value_of("CELL") == CellOp::Last.code() => 0,
            Id::Recurrent => {
                let params: RecurrentParams = dispatch.params();
                let states = [params.steps, params.batch, params.directions, params.units];
                gates(&states, [params.size, params.units])
            }
            Id::DynamicLstm => {
                let params: RecurrentParams = dispatch.params();
                let states = [params.steps, params.batch, params.directions, params.units];
                gates(&states, [params.size, params.units])
            }
            Id::HybridLayer => {
                let params: HybridLayerParams = dispatch.params();
                let states = [params.steps, params.batch, params.units];
                gates(&states, [params.size, params.units])
            }
            Id::QuantisedLstm => {
                let params: QuantisedLstmParams = dispatch.params();
                let states = [params.steps, params.batch, params.units];
                gates(&states, [params.size, params.units])
            }
            // What is carried on was computed before.
            Id::Svdf | Id::QuantisedSvdf if dispatch.value_of("CARRY") != 0 => 0,
            Id::Svdf => {
                let params: SvdfParams = dispatch.params();
                filter([y, params.rank], params.size, params.steps)
            }
            Id::QuantisedSvdf => {
                let params: QuantisedSvdfParams = dispatch.params();
                filter([y, params.rank], params.size, params.steps)
            }
            _ => 0,
        }
    }

    /// Elements that all threads of `dispatch` compute, or read where it makes one number of many.
    pub(crate) fn elements(self, dispatch: &Dispatch) -> u64 {
        let operands = match self.id {
            Id::Reduce | Id::ReduceRows | Id::GlobalPool | Id::ArgReduce => &dispatch.inputs,
            _ => &dispatch.outputs,
        };
        operands.iter().map(|x| u64::from(x.len())).sum()
    }
}

fn product(sizes: &[u32]) -> u64 {
    let wide = sizes.iter().map(|&size| u64::from(size));
    wide.fold(1, u64::saturating_mul)
}

/// Each feature is a product with the input and one with the steps that count.
fn filter(features: [u32; 2], size: u32, steps: u32) -> u64 {
    let each = u64::from(size).saturating_add(steps.into());
    product(&features).saturating_mul(each)
}

/// Rows of scores.
fn rows(params: &AttentionParams) -> u64 {
    product(&[params.batches, params.heads[0], params.rows[0]])
}

/// Every query meets every key, and every share a value.
fn attention(params: &AttentionParams) -> u64 {
    let each = u64::from(params.sizes[0]).saturating_add(params.sizes[1].into());
    let scores = rows(params).saturating_mul(params.rows[1].into());
    scores.saturating_mul(each)
}

/// Keys and values are met as rows of x, and weights stand before and after.
fn packed_attention(params: &AttentionParams) -> u64 {
    let [key, value] = params.sizes.map(u64::from);
    let each = u64::from(params.rows[1])
        .saturating_add(key)
        .saturating_add(value / 2);
    let width = u64::from(params.projected[0]);
    rows(params)
        .saturating_mul(width)
        .saturating_mul(each)
        .saturating_mul(2)
}

/// The largest of the layers, an LSTM, has four gates; others have fewer. Each is a product with
/// the input and one with the state.
fn gates(states: &[u32], [size, units]: [u32; 2]) -> u64 {
    let each = u64::from(size).saturating_add(units.into());
    product(states).saturating_mul(each).saturating_mul(4)
}
