// y = values[1] where the place along one dimension is the index, values[0] elsewhere.

// How an index is read: 1 an i32, 2 the lower word of an i64, 3 an f32.
override INDEX: u32 = 1u;

struct Params {
    count: u32,
    depth: u32,
    inner: u32,
}

fn index_at(i: u32) -> i32 {
    let word = load(IN1, u.inputs.y + select(i, 2u * i, INDEX == 2u));
    if (INDEX == 3u) { return i32(bitcast<f32>(word)); }
    return bitcast<i32>(word);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = 4u * thread_index(group, groups, thread);
    if (first >= u.p.count) { return; }
    let off = element(0u);
    let on = element(1u);
    for (var step = 0u; step < 4u; step++) {
        let i = first + step;
        if (i >= u.p.count) {
            if (WIDTH < 4u) { put(step, 0u, vec2(0u)); }
            continue;
        }
        let place = i / u.p.inner % u.p.depth;
        var index = index_at(i / u.p.inner / u.p.depth * u.p.inner + i % u.p.inner);
        if (index < 0) { index += i32(u.p.depth); }
        put(step, i, select(off, on, index == i32(place)));
    }
    flush(first);
}
