// Elements of every type: integers as 64 bits in two words, floats as f32. A kind is the
// code of an element type.

const F32: u32 = 0u;
const F16: u32 = 1u;
const I64: u32 = 2u;
const U64: u32 = 3u;
const I32: u32 = 4u;
const U32: u32 = 5u;
const I16: u32 = 6u;
const U16: u32 = 7u;
const I8: u32 = 8u;
const U8: u32 = 9u;
const BOOL: u32 = 10u;
const BF16: u32 = 11u;
const F64: u32 = 12u;
// From here on: floats of 8 and 4 bits, then integers of 4 and 2.
const F8E4M3: u32 = 13u;
const F8E5M2: u32 = 14u;
const F8E4M3FNUZ: u32 = 15u;
const F8E5M2FNUZ: u32 = 16u;
const F8E8M0: u32 = 17u;
const F4: u32 = 18u;
const I4: u32 = 19u;
const U4: u32 = 20u;
const I2: u32 = 21u;
const U2: u32 = 22u;

fn is_float(kind: u32) -> bool { return kind <= F16 || (kind >= BF16 && kind <= F4); }

fn bits_of(kind: u32) -> u32 {
    switch kind {
        case 2u, 3u, 12u: { return 64u; }
        case 0u, 4u, 5u: { return 32u; }
        case 1u, 6u, 7u, 11u: { return 16u; }
        case 18u, 19u, 20u: { return 4u; }
        case 21u, 22u: { return 2u; }
        default: { return 8u; }
    }
}

// The bits of element i of a tensor that starts at `base`: two words of a 64-bit element, else
// one word and 0.
fn raw(kind: u32, space: u32, base: u32, i: u32) -> vec2<u32> {
    let width = bits_of(kind);
    if (width == 64u) {
        return vec2<u32>(load(space, base + 2u * i), load(space, base + 2u * i + 1u));
    }
    if (width == 32u) { return vec2<u32>(load(space, base + i), 0u); }
    let lanes = 32u / width;
    return vec2<u32>(extractBits(load(space, base + i / lanes), (i % lanes) * width, width), 0u);
}

fn extended(low: i32) -> vec2<u32> { return vec2<u32>(bitcast<u32>(low), bitcast<u32>(low >> 31u)); }

// An integer element as 64 bits.
fn whole(kind: u32, bits: vec2<u32>) -> vec2<u32> {
    switch kind {
        case 4u: { return extended(bitcast<i32>(bits.x)); }
        case 6u: { return extended(extractBits(bitcast<i32>(bits.x), 0u, 16u)); }
        case 8u: { return extended(extractBits(bitcast<i32>(bits.x), 0u, 8u)); }
        case 19u: { return extended(extractBits(bitcast<i32>(bits.x), 0u, 4u)); }
        case 21u: { return extended(extractBits(bitcast<i32>(bits.x), 0u, 2u)); }
        default: { return bits; }
    }
}

// Any element as f32, integers rounded to nearest.
fn real(kind: u32, bits: vec2<u32>) -> f32 {
    switch kind {
        case 0u: { return bitcast<f32>(bits.x); }
        case 1u: { return float_of_half(bits.x); }
        case 11u: { return bitcast<f32>(bits.x << 16u); }
        case 12u: { return float_of_double(bits); }
        case 17u: { return float_of_power(bits.x); }
        case 13u, 14u, 15u, 16u, 18u: { return float_of_mini(kind, bits.x); }
        default: { return float_of(kind != U64, whole(kind, bits)); }
    }
}

fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn neg64(a: vec2<u32>) -> vec2<u32> { return sub64(vec2<u32>(0u, 0u), a); }

fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let a0 = a.x & 0xffffu;
    let a1 = a.x >> 16u;
    let b0 = b.x & 0xffffu;
    let b1 = b.x >> 16u;
    let bottom = a0 * b0;
    let middle = a1 * b0 + (bottom >> 16u);
    let other = a0 * b1 + (middle & 0xffffu);
    let high = a1 * b1 + (middle >> 16u) + (other >> 16u);
    return vec2<u32>((other << 16u) | (bottom & 0xffffu), high + a.x * b.y + a.y * b.x);
}

fn below64(a: vec2<u32>, b: vec2<u32>) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }

fn less64(signed: bool, a: vec2<u32>, b: vec2<u32>) -> bool {
    let flip = vec2<u32>(0u, select(0u, 0x80000000u, signed));
    return below64(a ^ flip, b ^ flip);
}

fn negative64(signed: bool, a: vec2<u32>) -> bool { return signed && (a.y >> 31u) == 1u; }

fn size64(signed: bool, a: vec2<u32>) -> vec2<u32> { return select(a, neg64(a), negative64(signed, a)); }

struct Division {
    quotient: vec2<u32>,
    rest: vec2<u32>,
}

// Long division of unsigned numbers; 0 and a where b is 0.
fn divided(a: vec2<u32>, b: vec2<u32>) -> Division {
    var division = Division(vec2<u32>(0u, 0u), a);
    if ((b.x | b.y) == 0u) { return division; }
    if ((a.y | b.y) == 0u) {
        return Division(vec2<u32>(a.x / b.x, 0u), vec2<u32>(a.x % b.x, 0u));
    }
    var rest = vec2<u32>(0u, 0u);
    var quotient = vec2<u32>(0u, 0u);
    for (var n = 0u; n < 64u; n++) {
        let digit = select((a.x >> (63u - n)) & 1u, (a.y >> (31u - n % 32u)) & 1u, n < 32u);
        let carry = rest.y >> 31u;
        rest = vec2<u32>((rest.x << 1u) | digit, (rest.y << 1u) | (rest.x >> 31u));
        quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
        if (carry == 1u || !below64(rest, b)) {
            rest = sub64(rest, b);
            quotient.x |= 1u;
        }
    }
    return Division(quotient, rest);
}

// To nearest, ties to even.
fn float_of(signed: bool, a: vec2<u32>) -> f32 {
    let size = size64(signed, a);
    var y = 0.0;
    if (size.y == 0u && size.x < 0x1000000u) {
        y = f32(size.x);
    } else {
        let top = select(firstLeadingBit(size.x), 32u + firstLeadingBit(size.y), size.y != 0u);
        let drop = top - 23u;
        let kept = select(
            (size.x >> (drop & 31u)) | select(0u, size.y << (32u - drop), drop > 0u && drop < 32u),
            size.y >> (drop & 31u),
            drop >= 32u,
        );
        let half = select((size.x >> ((drop - 1u) & 31u)) & 1u, (size.y >> ((drop - 1u) & 31u)) & 1u, drop > 32u);
        let low = select(size.x & ((1u << ((drop - 1u) & 31u)) - 1u), size.x, drop > 32u);
        let high = select(0u, size.y & ((1u << ((drop - 1u) & 31u)) - 1u), drop > 32u);
        let up = half == 1u && ((low | high) != 0u || (kept & 1u) == 1u);
        y = f32((kept & 0xffffffu) + select(0u, 1u, up)) * bitcast<f32>((drop + 127u) << 23u);
    }
    return select(y, -y, negative64(signed, a));
}

// Towards zero; numbers beyond 64 bits become the nearest that there is.
fn whole_of(x: f32) -> vec2<u32> {
    let a = abs(x);
    var size = vec2<u32>(0u, 0u);
    if (a >= 9223372036854775808.0) {
        size = select(vec2<u32>(0xffffffffu, 0x7fffffffu), vec2<u32>(0u, 0x80000000u), x < 0.0);
    } else if (a >= 16777216.0) {
        let bits = bitcast<u32>(a);
        let digits = (bits & 0x7fffffu) | 0x800000u;
        let shift = (bits >> 23u) - 150u;
        size = select(
            vec2<u32>(digits << (shift & 31u), select(0u, digits >> (32u - shift), shift > 0u && shift < 32u)),
            vec2<u32>(0u, digits << (shift & 31u)),
            shift >= 32u,
        );
    } else {
        size.x = u32(a);
    }
    return select(size, neg64(size), x < 0.0);
}

fn float_of_half(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let exponent = (half >> 10u) & 31u;
    let digits = half & 0x3ffu;
    if (exponent == 0u) {
        let y = f32(digits) * 5.9604644775390625e-8;
        return select(y, -y, sign != 0u);
    }
    if (exponent == 31u) { return bitcast<f32>(sign | 0x7f800000u | (digits << 13u)); }
    return bitcast<f32>(sign | ((exponent + 112u) << 23u) | (digits << 13u));
}

// To nearest, ties to even.
fn half_of_float(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) { return sign | 0x7e00u; }
    if (size >= 0x47800000u) { return sign | 0x7c00u; }
    if (size < 0x38800000u) { return sign | u32(round(bitcast<f32>(size) * 16777216.0)); }
    let moved = size - 0x38000000u;
    let kept = moved >> 13u;
    let rest = moved & 0x1fffu;
    let up = rest > 0x1000u || (rest == 0x1000u && (kept & 1u) == 1u);
    return sign | (kept + select(0u, 1u, up));
}

// bfloat16: the upper half of an f32, to nearest, ties to even.
fn brain_of_float(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) { return (bits >> 16u) | 0x40u; }
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}

// A 64-bit float as the nearest f32, ties to even; what is below f32's normal numbers is 0.
fn float_of_double(bits: vec2<u32>) -> f32 {
    let sign = bits.y & 0x80000000u;
    let exponent = (bits.y >> 20u) & 0x7ffu;
    let digits = ((bits.y & 0xfffffu) << 3u) | (bits.x >> 29u);
    if (exponent == 0x7ffu) {
        let nan = (bits.y & 0xfffffu) != 0u || bits.x != 0u;
        return bitcast<f32>(sign | 0x7f800000u | select(0u, 0x400000u, nan));
    }
    if (exponent < 897u) { return bitcast<f32>(sign); }
    if (exponent > 1150u) { return bitcast<f32>(sign | 0x7f800000u); }
    let rest = bits.x & 0x1fffffffu;
    let up = rest > 0x10000000u || (rest == 0x10000000u && (digits & 1u) == 1u);
    return bitcast<f32>(sign | ((((exponent - 896u) << 23u) | digits) + select(0u, 1u, up)));
}

// An f32 as a 64-bit float, exactly; what is below f32's normal numbers is 0.
fn double_of_float(x: f32) -> vec2<u32> {
    let bits = bitcast<u32>(x);
    let sign = bits & 0x80000000u;
    let exponent = (bits >> 23u) & 0xffu;
    let digits = bits & 0x7fffffu;
    if (exponent == 0u) { return vec2<u32>(0u, sign); }
    let wide = select(exponent + 896u, 0x7ffu, exponent == 0xffu);
    return vec2<u32>(digits << 29u, sign | (wide << 20u) | (digits >> 3u));
}

// 2^(bits - 127): a float of 8 exponent bits alone.
fn float_of_power(bits: u32) -> f32 {
    if (bits == 255u) { return not_a_number(); }
    return bitcast<f32>(select(bits << 23u, 0x00400000u, bits == 0u));
}

// 0 where small floats that are too large become infinite or not a number.
override SATURATE: u32 = 1u;
// How a power of two is found: 0 the nearest, 1 the next above, 2 the next below.
override POWERS: u32 = 1u;

fn power_of_float(x: f32) -> u32 {
    let bits = bitcast<u32>(x) & 0x7fffffffu;
    let largest = select(255u, 254u, SATURATE == 1u);
    if (bits > 0x7f800000u || ((bitcast<u32>(x) >> 31u) == 1u && bits != 0u)) { return 255u; }
    if (bits == 0x7f800000u) { return largest; }
    let exponent = bits >> 23u;
    let rest = bits & 0x7fffffu;
    // 2^-127 has no bit before the point.
    let above = select(rest, max(rest, 0x400000u) - 0x400000u, exponent == 0u);
    var up = false;
    if (POWERS == 0u) { up = rest >= 0x400000u && exponent != 0u; }
    if (POWERS == 1u) { up = above != 0u; }
    return min(exponent + select(0u, 1u, up), largest);
}

// How a float of 8 or 4 bits is made: digits after the point, exponent of 1, largest size as
// f32 bits, and what stands for not a number and beyond.
struct Mini {
    digits: u32,
    bias: u32,
    largest: u32,
    nan: u32,
}

fn mini(kind: u32) -> Mini {
    switch kind {
        case 13u: { return Mini(3u, 7u, 0x43e00000u, 0x7fu); }
        case 14u: { return Mini(2u, 15u, 0x47600000u, 0x7eu); }
        case 15u: { return Mini(3u, 8u, 0x43700000u, 0x80u); }
        case 16u: { return Mini(2u, 16u, 0x47600000u, 0x80u); }
        default: { return Mini(1u, 1u, 0x40c00000u, 8u); }
    }
}

fn float_of_mini(kind: u32, bits: u32) -> f32 {
    let m = mini(kind);
    let top = select(7u, 3u, kind == F4);
    let size = bits & ((1u << top) - 1u);
    let sign = (bits >> top) << 31u;
    let fnuz = kind == F8E4M3FNUZ || kind == F8E5M2FNUZ;
    let is_nan = select((kind == F8E4M3 && size == 0x7fu) || (kind == F8E5M2 && size > 0x7cu), bits == 0x80u, fnuz);
    if (is_nan) { return not_a_number(); }
    if (kind == F8E5M2 && size == 0x7cu) { return bitcast<f32>(sign | 0x7f800000u); }
    let exponent = size >> m.digits;
    let digits = size & ((1u << m.digits) - 1u);
    let one = bitcast<f32>((128u - m.bias - m.digits) << 23u);
    if (exponent == 0u) {
        let y = f32(digits) * one;
        return bitcast<f32>(sign | bitcast<u32>(y));
    }
    return bitcast<f32>(sign | ((exponent + 127u - m.bias) << 23u) | (digits << (23u - m.digits)));
}

// To nearest, ties to even; what is too large becomes the largest.
fn mini_of_float(kind: u32, x: f32) -> u32 {
    let m = mini(kind);
    let bits = bitcast<u32>(x);
    let size = bits & 0x7fffffffu;
    let sign = (bits >> 31u) << select(7u, 3u, kind == F4);
    let fnuz = m.nan == 0x80u;
    if (size > 0x7f800000u) { return select(sign | m.nan, m.nan, fnuz || kind == F4); }
    let bounded = select(size, min(size, m.largest), SATURATE == 1u || kind == F4);
    let least = 128u - m.bias;
    var y = 0u;
    if (bounded < (least << 23u)) {
        // Digits that count the smallest number that there is.
        y = u32(round(bitcast<f32>(bounded) * bitcast<f32>((126u + m.bias + m.digits) << 23u)));
    } else {
        let moved = bounded - ((127u - m.bias) << 23u);
        let drop = 23u - m.digits;
        let kept = moved >> drop;
        let rest = moved & ((1u << drop) - 1u);
        let tie = 1u << (drop - 1u);
        y = kept + select(0u, 1u, rest > tie || (rest == tie && (kept & 1u) == 1u));
    }
    if (fnuz && y == 0u) { return 0u; }
    var most = 7u;
    switch kind {
        case 13u: { most = 0x7eu; }
        case 14u: { most = 0x7bu; }
        case 15u, 16u: { most = 0x7fu; }
        default: {}
    }
    if (y > most) {
        if (fnuz) { return m.nan; }
        return sign | select(m.nan, 0x7cu, kind == F8E5M2);
    }
    return sign | y;
}

// A float as the bits of an element: a bool is whether it is not 0.
fn bits_of_real(kind: u32, x: f32) -> vec2<u32> {
    switch kind {
        case 0u: { return vec2<u32>(bitcast<u32>(x), 0u); }
        case 1u: { return vec2<u32>(half_of_float(x), 0u); }
        case 11u: { return vec2<u32>(brain_of_float(x), 0u); }
        case 12u: { return double_of_float(x); }
        case 17u: { return vec2<u32>(power_of_float(x), 0u); }
        case 13u, 14u, 15u, 16u, 18u: { return vec2<u32>(mini_of_float(kind, x), 0u); }
        case 10u: { return vec2<u32>(select(0u, 1u, x != 0.0), 0u); }
        default: { return whole_of(x); }
    }
}
