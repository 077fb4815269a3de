//! y = activation(conv(x, w) + bias) where each filter sees one channel: the parameters and
//! the CPU reference are those of every convolution.

use crate::arena::Memory;
use crate::kernels::conv;
use crate::recording::Dispatch;

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    conv::reference(dispatch, memory);
}
