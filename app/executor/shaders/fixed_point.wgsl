// Fixed-point arithmetic as LiteRT's reference kernels have it, bit for bit.

// a·b / 2^31 to nearest; not both are -2^31.
fn high_product(a: i32, b: i32) -> i32 {
    let product = mul64(extended(a), extended(b));
    if ((product.y >> 31u) == 0u) {
        let sum = add64(product, vec2<u32>(0x40000000u, 0u));
        return bitcast<i32>((sum.y << 1u) | (sum.x >> 31u));
    }
    let sum = neg64(add64(product, vec2<u32>(0xc0000001u, 0xffffffffu)));
    return -bitcast<i32>((sum.y << 1u) | (sum.x >> 31u));
}

// x / 2^by to nearest, ties away from zero.
fn rounded_shift(x: i32, by: i32) -> i32 {
    if (by <= 0) { return x; }
    let n = u32(min(by, 31));
    let mask = bitcast<i32>((1u << n) - 1u);
    let rest = x & mask;
    let threshold = (mask >> 1u) + select(0, 1, x < 0);
    return (x >> n) + select(0, 1, rest > threshold);
}

// x times a factor, rounded twice.
fn times(x: i32, mantissa: i32, shift: i32) -> i32 {
    let left = x << u32(max(shift, 0));
    return rounded_shift(high_product(left, mantissa), max(-shift, 0));
}

// The low half of x / 2^by to nearest, ties up.
fn rounded_once(x: vec2<u32>, by: i32) -> i32 {
    let places = u32(clamp(by, 1, 62));
    let bit = 1u << ((places - 1u) & 31u);
    let sum = add64(x, select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), places > 32u));
    if (places >= 32u) { return bitcast<i32>(sum.y) >> (places - 32u); }
    return bitcast<i32>((sum.x >> places) | (sum.y << (32u - places)));
}

// A wide x times a factor with 15 of its places, rounded once.
fn times_wide(x: vec2<u32>, mantissa: i32, shift: i32) -> i32 {
    let reduced = select(0x7fff, (mantissa + 0x8000) >> 16u, mantissa < 0x7fff0000);
    return rounded_once(mul64(x, extended(reduced)), 15 - shift);
}

// x times a factor, rounded once.
fn times_once(x: vec2<u32>, mantissa: i32, shift: i32) -> i32 {
    return rounded_once(mul64(x, extended(mantissa)), 31 - shift);
}

// An element of a narrow type.
fn narrow(kind: u32, space: u32, base: u32, i: u32) -> i32 {
    return bitcast<i32>(whole(kind, raw(kind, space, base, i)).x);
}

// The bits of an element.
fn bits_of_int(x: i32) -> vec2<u32> { return vec2<u32>(bitcast<u32>(x), 0u); }

// The nearest integer, ties to even; what is beyond the range is cut off before it becomes one.
fn element_of(x: f32) -> i32 { return i32(clamp(round(x), -65536.0, 65536.0)); }
