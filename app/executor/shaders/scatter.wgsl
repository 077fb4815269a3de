// y = x, and where tuples of indices lead, the updates: each element looks through the tuples.

// 0 the last update stays, 1 sum, 2 product, 3 largest, 4 smallest, all in the tuples' order.
override REDUCE: u32 = 0u;
// Words of an index: 64-bit ones are read by their lower word.
override INDEX_WORDS: u32 = 1u;

// Dimensions lie innermost first. An element looks at `tuples` tuples of `depth` indices,
// `tuple_step` apart, from where `base` strides lead within the dimensions `part`; a tuple
// stands for `run` elements. Along dimension `axis` alone, or, where it is not below the rank,
// over all of y.
struct Params {
    count: u32,
    rank: u32,
    tuples: u32,
    depth: u32,
    tuple_step: u32,
    update_step: u32,
    run: u32,
    axis: u32,
    dims: array<vec4<u32>, 2>,
    base: array<vec4<u32>, 2>,
    part: array<vec4<u32>, 2>,
    limit: array<vec4<u32>, 2>,
    stride: array<vec4<u32>, 2>,
}

fn target_of(tuple: u32) -> u32 {
    var place = 0u;
    for (var d = 0u; d < u.p.depth; d++) {
        var index = bitcast<i32>(load(IN1, u.inputs.y + (tuple + d) * INDEX_WORDS));
        let limit = i32(u.p.limit[d / 4u][d % 4u]);
        if (index < 0) { index += limit; }
        if (index < 0 || index >= limit) { return 0xffffffffu; }
        place += u32(index) * u.p.stride[d / 4u][d % 4u];
    }
    return place;
}

fn reduced(before: vec2<u32>, update: vec2<u32>) -> vec2<u32> {
    let a = bitcast<f32>(before.x);
    let b = bitcast<f32>(update.x);
    switch REDUCE {
        case 1u: { return vec2(bitcast<u32>(a + b), 0u); }
        case 2u: { return vec2(bitcast<u32>(a * b), 0u); }
        case 3u: { return vec2(bitcast<u32>(max(a, b)), 0u); }
        case 4u: { return vec2(bitcast<u32>(min(a, b)), 0u); }
        default: { return update; }
    }
}

fn update_at(i: u32) -> vec2<u32> {
    if (WIDTH == 8u) {
        return vec2(load(IN2, u.inputs.z + 2u * i), load(IN2, u.inputs.z + 2u * i + 1u));
    }
    return vec2(load(IN2, u.inputs.z + i), 0u);
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
    var place = i;
    var reached = true;
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        let at = rest % size;
        rest = rest / size;
        if (d == u.p.axis) {
            place = at;
        } else {
            base += at * u.p.base[d / 4u][d % 4u];
            reached = reached && at < u.p.part[d / 4u][d % 4u];
        }
    }
    var value = element(i);
    if (reached) {
        for (var t = 0u; t < u.p.tuples; t++) {
            let aim = target_of(base + t * u.p.tuple_step);
            if (aim <= place && place - aim < u.p.run) {
                value = reduced(value, update_at(base + t * u.p.update_step + place - aim));
            }
        }
    }
    put(0u, i, value);
}
