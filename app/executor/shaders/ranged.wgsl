// Floats as integers of 8 bits by their own range, with every rounding of LiteRT's reference
// kernels. The parameters of a shader that uses it have a `none`, which is 0.

// 1 where there is a zero point.
override ASYMMETRIC: u32 = 0u;

// A float that no compiler joins with the next operation: it cannot know that `none` is 0.
fn rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ u.p.none); }

// To nearest, ties away from zero.
fn nearest(x: f32) -> f32 {
    let size = trunc(abs(x));
    return sign(x) * select(size, size + 1.0, abs(x) - size >= 0.5);
}

// 255 a / b with 22 binary places, the last one set where it is inexact; a is not above b.
fn share_of(a: f32, b: f32) -> i32 {
    let by = u32(power(b) - power(a));
    if (a == 0.0 || by > 32u) { return 0; }
    let size = digits(b);
    let below = vec2<u32>(select(size << (by & 31u), 0u, by == 32u),
        select(select(size >> ((32u - by) & 31u), 0u, by == 0u), size, by == 32u));
    let found = divided(mul64(vec2<u32>(digits(a), 0u), vec2<u32>(255u << 22u, 0u)), below);
    return i32(found.quotient.x | select(0u, 1u, (found.rest.x | found.rest.y) != 0u));
}

fn zero_point(low: f32, high: f32, range: f32) -> f32 {
    let one = 1 << 22u;
    let below = share_of(-low, range);
    let above = share_of(high, range);
    var zero = 127 * one - above;
    // From the end that is nearer to zero.
    if (above - below > one) { zero = below - 128 * one; }
    zero = clamp(zero, -128 * one, 127 * one);
    let size = (abs(zero) + one / 2) >> 22u;
    return f32(select(size, -size, zero < 0));
}

// Scale, its inverse and the zero point of elements from `low`, 0 or below, to `high`, 0 or above.
fn range_of(low: f32, high: f32) -> vec3<f32> {
    if (ASYMMETRIC == 0u) {
        let range = max(-low, high);
        if (range == 0.0) { return vec3<f32>(1.0, 0.0, 0.0); }
        return vec3<f32>(quotient(range, 127.0), quotient(127.0, range), 0.0);
    }
    let range = high - low;
    if (range == 0.0) { return vec3<f32>(1.0, 0.0, 0.0); }
    let scale = quotient(range, 255.0);
    return vec3<f32>(scale, quotient(1.0, scale), zero_point(low, high, range));
}

// An element as an integer; its zero point is taken away.
fn integer(element: f32, by: vec3<f32>) -> i32 {
    let x = rounded(element * by.y);
    if (ASYMMETRIC == 0u) { return i32(clamp(nearest(x), -127.0, 127.0)); }
    return i32(clamp(nearest(rounded(by.z + x)), -128.0, 127.0) - by.z);
}
