//! y = the largest, the mean or the norm of all pixels of a channel: the parameters and the
//! CPU reference are those of every pool.

use crate::arena::Memory;
use crate::kernels::pool;
use crate::recording::Dispatch;

pub(super) fn reference(dispatch: &Dispatch, memory: &mut Memory) {
    pool::reference(dispatch, memory);
}
