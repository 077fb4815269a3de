//! Numbers as people read them, always with their unit.

pub(crate) use timeline::axis::bytes_text as bytes;

/// Exact bytes with thousands separated: "9,633,792 B".
pub(crate) fn exact(bytes: u64) -> String {
    format!("{} B", grouped(bytes))
}

/// A count with thousands separated.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A fraction as percent: "24.5 %".
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// A duration: "0.4 ms", "1.25 s". Browsers tell no time shorter than a tenth of a
/// millisecond.
pub(crate) fn duration(ms: f64) -> String {
    if ms < 0.1 {
        "< 0.1 ms".to_owned()
    } else if ms < 1000.0 {
        format!("{ms:.1} ms")
    } else {
        format!("{:.2} s", ms / 1000.0)
    }
}

/// Dimensions: "1×3×224×224", or "scalar".
pub(crate) fn dims(dims: &[u64]) -> String {
    if dims.is_empty() {
        return "scalar".to_owned();
    }
    let dims: Vec<String> = dims.iter().map(u64::to_string).collect();
    dims.join("×")
}
