//! `RESIZE_BILINEAR` and `RESIZE_NEAREST_NEIGHBOR`.

use crate::kernels::{ResizeMode, ResizeRound};
use crate::lower::Dispatches;
use crate::lower::call::Call;
use crate::lower::resize::{Line, Ratio, Sampling, resize};
use planner::message;
use planner::operators::Operator;

/// The dispatches of a builtin that resizes; `None` when it is of another family.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    Some(match call.op.operator {
        Operator::ResizeBilinear => spatial(call, ResizeMode::Linear),
        Operator::ResizeNearestNeighbor => spatial(call, ResizeMode::Nearest),
        _ => return None,
    })
}

/// Height and width of NHWC.
fn spatial(call: &Call<'_>, mode: ResizeMode) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let set = |name: &str| call.op.int(name).unwrap_or(0) != 0;
    let (corners, centres) = (set("align_corners"), set("half_pixel_centers"));
    if [x.dims.len(), y.dims.len()] != [4; 2] {
        return Err(message!("it is not of rank 4"));
    }
    let mut lines = vec![Line::asymmetric(Ratio { p: 1, q: 1 }); 4];
    for axis in [1, 2] {
        let (from, to) = (x.dims[axis], y.dims[axis]);
        let ratio = Ratio {
            p: i64::from(to).max(1),
            q: from.into(),
        };
        lines[axis] = match mode {
            _ if corners => Line::corners(from, to),
            ResizeMode::Nearest if centres => Line::centre(ratio),
            _ if centres => Line::half_pixel(ratio),
            _ => Line::asymmetric(ratio),
        };
    }
    let round = if corners {
        ResizeRound::PreferCeil
    } else {
        ResizeRound::Floor
    };
    resize(x, &lines, &Sampling::new(mode, round), y)
}
