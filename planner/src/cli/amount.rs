//! Bytes as sentences count them.

/// What so many bytes are called.
pub(super) fn bytes_of(count: u64) -> &'static str {
    if count == 1 { "byte" } else { "bytes" }
}

/// So many bytes: "1 byte", "2 bytes".
pub(super) fn in_bytes(count: u64) -> String {
    format!("{count} {}", bytes_of(count))
}
