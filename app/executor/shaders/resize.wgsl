// y[i] = x at the place (i·a + b) / c along every resized dimension: nearest, linear or cubic.

// 0 nearest, 1 linear, 2 cubic.
override MODE: u32 = 0u;
// How nearest rounds: 0 half down, 1 half up, 2 down, 3 up.
override ROUND: u32 = 0u;
// 1: elements outside of x have no weight in cubic; 0: the edge stands for them.
override EXCLUDE: u32 = 0u;
// 1: a place outside of x gives the value `beyond`.
override CROP: u32 = 0u;

// Dimensions lie innermost first; one whose c is 0 is not resized.
struct Params {
    count: u32,
    rank: u32,
    beyond: f32,
    cubic: f32,
    dims: array<vec4<u32>, 2>,
    stride: array<vec4<u32>, 2>,
    size: array<vec4<u32>, 2>,
    a: array<vec4<i32>, 2>,
    b: array<vec4<i32>, 2>,
    c: array<vec4<i32>, 2>,
}

// Offsets and weights of the neighbours along each resized dimension, four for each.
var<private> offsets: array<u32, 32>;
var<private> weights_of: array<f32, 32>;

// Keys' cubic for a distance t of at most 1 and of at most 2.
fn near(t: f32) -> f32 {
    let a = u.p.cubic;
    return ((a + 2.0) * t - (a + 3.0)) * t * t + 1.0;
}

fn far(t: f32) -> f32 {
    let a = u.p.cubic;
    return ((a * t - 5.0 * a) * t + 8.0 * a) * t - 4.0 * a;
}

// The neighbours of whole + part / c, as the resized dimension of number r.
fn neighbours(r: u32, whole: i32, part: f32, size: i32, stride: u32) {
    var t = vec4(1.0 - part, part, 0.0, 0.0);
    var first = whole;
    var taps = 2u;
    if (MODE == 2u) {
        t = vec4(far(1.0 + part), near(part), near(1.0 - part), far(2.0 - part));
        first = whole - 1;
        taps = 4u;
    }
    var sum = 0.0;
    for (var k = 0u; k < taps; k++) {
        let place = first + i32(k);
        let held = clamp(place, 0, size - 1);
        var weight = t[k];
        if (MODE == 2u && EXCLUDE == 1u && place != held) { weight = 0.0; }
        sum += weight;
        offsets[4u * r + k] = u32(held) * stride;
        weights_of[4u * r + k] = weight;
    }
    if (MODE == 2u && EXCLUDE == 1u) {
        for (var k = 0u; k < taps; k++) { weights_of[4u * r + k] /= sum; }
    }
}

// The index nearest to whole + part / c.
fn nearest(whole: i32, part: i32, c: i32) -> i32 {
    switch ROUND {
        case 0u: { return select(whole, whole + 1, 2 * part > c); }
        case 1u: { return select(whole, whole + 1, 2 * part >= c); }
        case 2u: { return whole; }
        default: { return select(whole, whole + 1, part > 0); }
    }
}

fn interpolated(resized: u32, base: u32) -> f32 {
    let bits = select(1u, 2u, MODE == 2u);
    let many = 1u << (bits * resized);
    var sum = 0.0;
    for (var m = 0u; m < many; m++) {
        var weight = 1.0;
        var offset = base;
        for (var r = 0u; r < resized; r++) {
            let k = 4u * r + ((m >> (bits * r)) & ((1u << bits) - 1u));
            weight *= weights_of[k];
            offset += offsets[k];
        }
        sum += weight * in0(offset);
    }
    return sum;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    var rest = i;
    var base = 0u;
    var resized = 0u;
    var outside = false;
    for (var d = 0u; d < u.p.rank; d++) {
        let length = u.p.dims[d / 4u][d % 4u];
        let index = rest % length;
        rest = rest / length;
        let stride = u.p.stride[d / 4u][d % 4u];
        let c = u.p.c[d / 4u][d % 4u];
        if (c == 0) {
            base += index * stride;
            continue;
        }
        let size = i32(u.p.size[d / 4u][d % 4u]);
        let place = i32(index) * u.p.a[d / 4u][d % 4u] + u.p.b[d / 4u][d % 4u];
        var whole = place / c;
        if (place < whole * c) { whole -= 1; }
        let part = place - whole * c;
        if (CROP == 1u && (place < 0 || place > (size - 1) * c)) { outside = true; }
        if (MODE == 0u) {
            base += u32(clamp(nearest(whole, part, c), 0, size - 1)) * stride;
        } else {
            neighbours(resized, whole, f32(part) / f32(c), size, stride);
            resized++;
        }
    }
    if (CROP == 1u && outside) {
        out0(i, u.p.beyond);
    } else if (MODE == 0u) {
        out0(i, in0(base));
    } else {
        out0(i, interpolated(resized, base));
    }
}
