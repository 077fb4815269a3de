//! Numbers as people read them, always with their unit.

pub(crate) use timeline::axis::bytes_text as bytes;

/// Exact bytes with thousands separated: "9,633,792 B".
pub(crate) fn exact(bytes: u64) -> String {
    format!("{} B", grouped(bytes))
}

/// Exact bytes with their sign: "−100 B".
pub(crate) fn signed(bytes: i64) -> String {
    let sign = if bytes < 0 { "−" } else { "" };
    format!("{sign}{}", exact(bytes.unsigned_abs()))
}

/// Bytes as people type them: "4096", "1,024 B", "0x1000", "256 KiB", "1.5MB". `None` for what
/// is no number of bytes, or not a whole one below 2^64.
pub(crate) fn read_bytes(text: &str) -> Option<u64> {
    let text = text.trim().replace([',', '_'], "").to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        return u64::from_str_radix(digits, 16).ok().filter(|_| plain);
    }
    let split = text.find(|letter: char| letter.is_ascii_alphabetic());
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    let scale: u64 = match unit {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return None,
    };
    let number = number.trim();
    let digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    if !digits(whole) || !digits(part) || part.len() > 9 {
        return None;
    }
    let places = u32::try_from(part.len()).ok()?;
    let part: u64 = part.parse().ok()?;
    let part = part.checked_mul(scale)? / 10_u64.pow(places);
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(scale)?.checked_add(part)
}

/// A text whose counts have their thousands separated.
pub(crate) fn all_grouped(text: &str) -> String {
    let is_digit = |it: char| it.is_ascii_digit();
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_digit) {
        let end = rest[start..].find(|it| !is_digit(it));
        let end = end.map_or(rest.len(), |len| start + len);
        out.push_str(&rest[..start]);
        // No count has more than 64 bits.
        let number = rest[start..end].parse().map(grouped);
        out.push_str(number.as_deref().unwrap_or(&rest[start..end]));
        rest = &rest[end..];
    }
    out + rest
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

/// A text in which bytes are counted, their thousands separated: "637,534,208 bytes".
pub(crate) fn in_text(text: &str) -> String {
    let words = text.split_inclusive(' ');
    let mut words = words.peekable();
    let mut out = String::with_capacity(text.len());
    while let Some(word) = words.next() {
        let counts = words
            .peek()
            .is_some_and(|next| next.starts_with("byte") || next.starts_with("字节"));
        match word.trim_end().parse::<u64>() {
            Ok(number) if counts => {
                out += &grouped(number);
                out.push(' ');
            }
            _ => out += word,
        }
    }
    out
}

/// A fraction as percent: "24.5 %". What is not quite nothing or all does not look like it.
pub(crate) fn percent(fraction: f64) -> String {
    if fraction > 0.0 && fraction < 0.0005 {
        return "<0.1 %".to_owned();
    }
    if (0.9995..1.0).contains(&fraction) {
        return ">99.9 %".to_owned();
    }
    format!("{:.1} %", fraction * 100.0)
}

/// A duration: "0.4 ms", "1.25 s". Browsers measure no time shorter than a tenth of a
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
