//! `STRIDED_SLICE`: the slice of NumPy, spelt out in masks.

use crate::lower::Dispatches;
use crate::lower::arrange::sliced;
use crate::lower::call::Call;
use planner::operators::Operator;
use planner::{Message, message};

/// The dispatches of a strided slice; `None` when it is another builtin.
pub(in crate::lower) fn dispatches(call: &Call<'_>) -> Option<Dispatches> {
    (call.op.is(Operator::StridedSlice)).then(|| slice(call))
}

/// What is taken of one dimension of x.
#[derive(Clone, Copy)]
struct Pick {
    start: i64,
    step: i64,
    count: u32,
}

fn slice(call: &Call<'_>) -> Dispatches {
    let (x, y) = (call.input(0)?, call.output(0)?);
    let picks = picks(call, &x.dims)?;
    let dims: Vec<u32> = picks.iter().map(|pick| pick.count).collect();
    let elements = dims.iter().try_fold(1_u32, |n, &dim| n.checked_mul(dim));
    if elements != Some(y.len()) {
        return Err(message!(
            "it takes {}, and {} is {}",
            format_args!("{dims:?}"),
            y.name,
            format_args!("{:?}", y.dims)
        ));
    }
    let starts: Vec<i64> = picks.iter().map(|pick| pick.start).collect();
    let steps: Vec<i64> = picks.iter().map(|pick| pick.step).collect();
    // New and dropped dimensions are of 1, so y's elements stand as those of the picks.
    sliced(x, &starts, &steps, &y.viewed(dims))
}

fn picks(call: &Call<'_>, dims: &[u32]) -> Result<Vec<Pick>, Message> {
    let (begins, ends, strides) = (call.ints(1)?, call.ints(2)?, call.ints(3)?);
    if [ends.len(), strides.len()] != [begins.len(); 2] || begins.len() > 32 {
        return Err(message!("begin, end and strides differ in length"));
    }
    let bit = |mask: &str, index: usize| call.op.int(mask).unwrap_or(0) >> index & 1 == 1;
    let new = (0..begins.len()).filter(|&index| bit("new_axis_mask", index));
    // How many dimensions nothing is said of: the ellipsis stands for them.
    let said = begins.len() - new.count();
    let mut picks = Vec::with_capacity(dims.len());
    let mut ellipsis = false;
    for index in 0..begins.len() {
        if bit("ellipsis_mask", index) && !ellipsis {
            ellipsis = true;
            let unsaid = (dims.len() + 1).saturating_sub(said);
            let rest = dims.iter().skip(picks.len()).take(unsaid);
            picks.extend(rest.map(|&size| whole(size)));
        } else if !bit("new_axis_mask", index) && !bit("ellipsis_mask", index) {
            let size = *dims
                .get(picks.len())
                .ok_or_else(|| message!("it has more indices than dimensions"))?;
            let begin = (!bit("begin_mask", index)).then_some(begins[index]);
            let offset = match call.op.int("offset") {
                Some(offset) if offset != 0 => begins[index],
                _ => 0,
            };
            let end = (!bit("end_mask", index)).then(|| ends[index].saturating_add(offset));
            picks.push(if bit("shrink_axis_mask", index) {
                one(size, begin.unwrap_or(0))?
            } else {
                many(size, begin, end, strides[index])?
            });
        }
    }
    let unsaid = dims.iter().skip(picks.len());
    picks.extend(unsaid.map(|&size| whole(size)).collect::<Vec<_>>());
    Ok(picks)
}

fn whole(size: u32) -> Pick {
    Pick {
        start: 0,
        step: 1,
        count: size,
    }
}

fn from_start(index: i64, size: u32) -> i64 {
    if index < 0 {
        index.saturating_add(size.into())
    } else {
        index
    }
}

fn one(size: u32, index: i64) -> Result<Pick, Message> {
    let start = from_start(index, size);
    if !(0..i64::from(size)).contains(&start) {
        return Err(message!("there is no index {} of {}", index, size));
    }
    Ok(Pick {
        start,
        step: 1,
        count: 1,
    })
}

/// From `begin` on and before `end`, either open where it is not given.
fn many(size: u32, begin: Option<i64>, end: Option<i64>, step: i64) -> Result<Pick, Message> {
    let size_wide = i64::from(size);
    let (first, open) = match step {
        0 => return Err(message!("its stride is 0")),
        1.. => (0, size_wide),
        _ => (size_wide - 1, -1),
    };
    let (low, high) = (first.min(open), first.max(open));
    let held = |index: i64| from_start(index, size).clamp(low, high);
    let start = begin.map_or(first, held);
    let end = end.map_or(open, held);
    let way = if step > 0 { end - start } else { start - end };
    let way = u64::try_from(way).unwrap_or_default();
    let count = u32::try_from(way.div_ceil(step.unsigned_abs()));
    Ok(Pick {
        start,
        step,
        count: count.map_err(|_error| message!("it is too long"))?,
    })
}
