// A quotient of floats to nearest, by whole numbers.

fn digits(x: f32) -> u32 { return (bitcast<u32>(x) & 0x7fffffu) | 0x800000u; }

fn power(x: f32) -> i32 { return i32((bitcast<u32>(x) >> 23u) & 0xffu); }

// a / b to nearest, which a division of WGSL need not be. Both are positive and normal.
fn quotient(a: f32, b: f32) -> f32 {
    let found = divided(vec2<u32>(0u, digits(a)), vec2<u32>(digits(b), 0u));
    // What is left over only decides ties, far below the last place.
    let inexact = select(0u, 1u, (found.rest.x | found.rest.y) != 0u);
    let y = bitcast<u32>(float_of(false, vec2<u32>(found.quotient.x | inexact, found.quotient.y)));
    let to = i32(y >> 23u) + power(a) - power(b) - 32;
    if (to <= 0) { return 0.0; }
    if (to >= 255) { return infinite(1.0); }
    return bitcast<f32>((u32(to) << 23u) | (y & 0x7fffffu));
}

fn is_normal(x: f32) -> bool { return power(x) > 0 && power(x) < 255; }

// a / b to nearest; where one of them is not normal, it may be wrong in its last bits.
fn nearest_quotient(a: f32, b: f32) -> f32 {
    if (!is_normal(a) || !is_normal(b)) { return a / b; }
    return sign(a) * sign(b) * quotient(abs(a), abs(b));
}
