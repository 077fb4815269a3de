//! What a link has replayed for advice: the memory of the device, and a step of `empty_cache`, as in
//! `replay=25769803776,7`.

use planner::advice::Wish;
use planner::{Bytes, Step};

/// The forms of it, for whoever mistypes one.
pub(super) const FORMS: &str = "25769803776, 25769803776,7, ,7";

/// `None` where nothing is asked for.
pub(super) fn write(wish: &Wish) -> Option<String> {
    let capacity = wish.capacity.map(|it| it.0.to_string());
    let empty = wish.empty.map(|step| format!(",{}", step.0));
    (wish.capacity.is_some() || wish.empty.is_some())
        .then(|| capacity.unwrap_or_default() + &empty.unwrap_or_default())
}

/// `None` where nothing is understood.
pub(super) fn read(text: &str) -> Option<Wish> {
    let (capacity, empty) = match text.split_once(',') {
        Some((capacity, step)) => (capacity, Some(Step(step.parse().ok()?))),
        None => (text, None),
    };
    let capacity = match capacity {
        "" => None,
        bytes => Some(Bytes(bytes.parse().ok().filter(|bytes| *bytes > 0)?)),
    };
    (capacity.is_some() || empty.is_some()).then_some(Wish {
        capacity,
        empty,
        others: false,
    })
}
