// y[i] = x between its elements, at the place that a grid names with -1 and 1 for its ends.

// 0 nearest, 1 linear, 2 cubic.
override MODE: u32 = 1u;
// What is beyond the ends: 0 zeros, 1 the element at the end, 2 what is reflected there.
override PADDING: u32 = 0u;
// 1 where -1 and 1 are the centres of the elements at the ends, 0 where they are their edges.
override ALIGN: u32 = 0u;

// Spatial dimensions lie innermost first, as the grid has them.
struct Params {
    count: u32,
    channels: u32,
    pixels: u32,
    rank: u32,
    size: vec4<u32>,
}

// Offsets and weights of the neighbours along each dimension, four for each.
var<private> offsets: array<u32, 12>;
var<private> weights_of: array<f32, 12>;

// The place after as many reflections at both ends as lead between them.
fn reflected(place: f32, low: f32, high: f32) -> f32 {
    let range = high - low;
    if (range <= 0.0) { return low; }
    let beyond = select(place - high, low - place, place < low);
    if (beyond <= 0.0) { return place; }
    let turns = floor(beyond / range);
    let rest = beyond - turns * range;
    let even = turns - 2.0 * floor(turns * 0.5) == 0.0;
    return select(high - rest, low + rest, even == (place < low));
}

// Where the number of a grid is along a dimension.
fn place_of(at: f32, size: f32, low: f32, high: f32) -> f32 {
    var place = ((at + 1.0) * size - 1.0) * 0.5;
    if (ALIGN == 1u) { place = (at + 1.0) * 0.5 * (size - 1.0); }
    if (MODE == 0u) { place = round(place); }
    if (PADDING == 1u && (place < low || place > high)) { place = clamp(place, 0.0, size - 1.0); }
    if (PADDING == 2u) { place = reflected(place, low, high); }
    // Farther away there are zeros alone.
    return clamp(place, -4.0, size + 4.0);
}

// Keys' cubic with a = -0.75, for a distance t of at most 1 and of at most 2.
fn near(t: f32) -> f32 { return (1.25 * t - 2.25) * t * t + 1.0; }

fn far(t: f32) -> f32 { return ((-0.75 * t + 3.75) * t - 6.0) * t + 3.0; }

fn neighbours(d: u32, at: f32, length: u32, stride: u32) {
    let size = f32(length);
    let low = select(-0.5, 0.0, ALIGN == 1u);
    let high = size - 1.0 - low;
    let place = place_of(at, size, low, high);
    let whole = floor(place);
    let part = place - whole;
    var t = vec4(1.0, 0.0, 0.0, 0.0);
    var first = i32(whole);
    if (MODE == 1u) { t = vec4(1.0 - part, part, 0.0, 0.0); }
    if (MODE == 2u) {
        t = vec4(far(1.0 + part), near(part), near(1.0 - part), far(2.0 - part));
        first -= 1;
    }
    for (var k = 0u; k < (1u << MODE); k++) {
        var index = first + i32(k);
        if (PADDING == 2u) { index = i32(reflected(f32(index), low, high)); }
        let held = clamp(index, 0, i32(length) - 1);
        offsets[4u * d + k] = u32(held) * stride;
        weights_of[4u * d + k] = select(t[k], 0.0, PADDING == 0u && index != held);
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let plane = i / u.p.pixels;
    let spot = (plane / u.p.channels * u.p.pixels + i % u.p.pixels) * u.p.rank;
    var stride = 1u;
    for (var d = 0u; d < u.p.rank; d++) {
        neighbours(d, in1(spot + d), u.p.size[d], stride);
        stride *= u.p.size[d];
    }
    let taps = (1u << MODE) - 1u;
    var sum = 0.0;
    for (var m = 0u; m < (1u << (MODE * u.p.rank)); m++) {
        var weight = 1.0;
        var at = plane * stride;
        for (var d = 0u; d < u.p.rank; d++) {
            let k = 4u * d + ((m >> (MODE * d)) & taps);
            weight *= weights_of[k];
            at += offsets[k];
        }
        if (weight != 0.0) { sum += weight * in0(at); }
    }
    out0(i, sum);
}
