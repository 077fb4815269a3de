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

fn is_float(kind: u32) -> bool { return kind <= F16; }

fn bits_of(kind: u32) -> u32 {
    switch kind {
        case 2u, 3u: { return 64u; }
        case 0u, 4u, 5u: { return 32u; }
        case 1u, 6u, 7u: { return 16u; }
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
        default: { return bits; }
    }
}

// Any element as f32, integers rounded to nearest.
fn real(kind: u32, bits: vec2<u32>) -> f32 {
    switch kind {
        case 0u: { return bitcast<f32>(bits.x); }
        case 1u: { return float_of_half(bits.x); }
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

// A float as the bits of an element: a bool is whether it is not 0.
fn bits_of_real(kind: u32, x: f32) -> vec2<u32> {
    switch kind {
        case 0u: { return vec2<u32>(bitcast<u32>(x), 0u); }
        case 1u: { return vec2<u32>(half_of_float(x), 0u); }
        case 10u: { return vec2<u32>(select(0u, 1u, x != 0.0), 0u); }
        default: { return whole_of(x); }
    }
}

// What thread t holds of an output of `count` elements: a word of it, or two of a 64-bit one,
// so that no two threads write the same word. result(i) is the kernel's own: the bits of
// element i. Places after the last element become 0.
fn put(kind: u32, t: u32, count: u32) {
    let width = bits_of(kind);
    if (width == 64u) {
        if (t >= count) { return; }
        let bits = result(t);
        store(OUT0, u.more.z + 2u * t, bits.x);
        store(OUT0, u.more.z + 2u * t + 1u, bits.y);
        return;
    }
    let lanes = 32u / width;
    if (t >= (count + lanes - 1u) / lanes) { return; }
    var word = 0u;
    for (var lane = 0u; lane < lanes; lane++) {
        let i = t * lanes + lane;
        if (i < count) { word = insertBits(word, result(i).x, lane * width, width); }
    }
    store(OUT0, u.more.z + t, word);
}
