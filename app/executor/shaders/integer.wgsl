// y[i] = f(a[j], b[k]) on integers and bools of the type KIND, where OP chooses f and j, k follow from i by broadcasting.

override OP: u32 = 0u;
override KIND: u32 = 2u;

fn apply(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let signed = KIND != U64;
    switch OP {
        case 0u: { return add64(a, b); }
        case 1u: { return sub64(a, b); }
        case 2u: { return mul64(a, b); }
        case 3u: { return quotient(a, b); }
        case 4u: { return select(a, b, less64(signed, a, b)); }
        case 5u: { return select(a, b, less64(signed, b, a)); }
        case 6u: { return power(a, b); }
        case 7u: { let d = sub64(a, b); return mul64(d, d); }
        case 8u: {
            let rest = remainder(a, b);
            let other = negative64(signed, rest) != negative64(signed, b);
            return select(rest, add64(rest, b), (rest.x | rest.y) != 0u && other);
        }
        case 9u: { return remainder(a, b); }
        case 10u: {
            let rest = remainder(a, b);
            let other = negative64(signed, rest) != negative64(signed, b);
            let down = (rest.x | rest.y) != 0u && other;
            return select(quotient(a, b), sub64(quotient(a, b), vec2<u32>(1u, 0u)), down);
        }
        case 11u: { return a & b; }
        case 12u: { return a | b; }
        case 13u: { return a ^ b; }
        case 14u: { return neg64(a); }
        case 15u: { return size64(signed, a); }
        case 16u: {
            let one = select(vec2<u32>(1u, 0u), vec2<u32>(0xffffffffu, 0xffffffffu), negative64(signed, a));
            return select(one, a, (a.x | a.y) == 0u);
        }
        case 17u: { return vec2<u32>(select(0u, 1u, (a.x | a.y) == 0u), 0u); }
        case 18u: { return ~a; }
        case 19u: { return shifted_left(a, b); }
        default: { return shifted_right(a, b); }
    }
}

// By 64 digits or more nothing is left, and a negative count is as much as that.
fn shifted_left(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    if (b.y != 0u || b.x >= 64u) { return vec2<u32>(0u, 0u); }
    if (b.x >= 32u) { return vec2<u32>(0u, a.x << (b.x - 32u)); }
    if (b.x == 0u) { return a; }
    return vec2<u32>(a.x << b.x, (a.y << b.x) | (a.x >> (32u - b.x)));
}

// What comes in at the top is the sign.
fn shifted_right(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let sign = select(0u, 0xffffffffu, negative64(KIND != U64, a));
    if (b.y != 0u || b.x >= 64u) { return vec2<u32>(sign, sign); }
    var x = a;
    if (b.x >= 32u) { x = vec2<u32>(a.y, sign); }
    let by = b.x & 31u;
    if (by == 0u) { return x; }
    return vec2<u32>((x.x >> by) | (x.y << (32u - by)), (x.y >> by) | (sign << (32u - by)));
}

fn quotient(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let signed = KIND != U64;
    let size = divided(size64(signed, a), size64(signed, b)).quotient;
    return select(size, neg64(size), negative64(signed, a) != negative64(signed, b));
}

// With the sign of a.
fn remainder(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let signed = KIND != U64;
    let size = divided(size64(signed, a), size64(signed, b)).rest;
    return select(size, neg64(size), negative64(signed, a));
}

// By squaring; a negative exponent gives what the division 1 / a^-b does.
fn power(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let signed = KIND != U64;
    let down = negative64(signed, b);
    var rest = size64(signed, b);
    var square = a;
    var product = vec2<u32>(1u, 0u);
    while ((rest.x | rest.y) != 0u) {
        if ((rest.x & 1u) == 1u) { product = mul64(product, square); }
        rest = vec2<u32>((rest.x >> 1u) | (rest.y << 31u), rest.y >> 1u);
        square = mul64(square, square);
    }
    if (down) { return quotient(vec2<u32>(1u, 0u), product); }
    return product;
}

fn result(i: u32) -> vec2<u32> {
    let place = sources(i);
    let a = whole(KIND, raw(KIND, IN0, u.inputs.x, place.x));
    let b = whole(KIND, raw(KIND, IN1, u.inputs.y, place.y));
    return apply(a, b);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(KIND, thread_index(group, groups, thread), u.p.count);
}
