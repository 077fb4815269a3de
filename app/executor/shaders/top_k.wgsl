// The k largest elements of each row of x in order, and their places; where OP is 1 the smallest.
// One thread for each element of x: it counts those that come before it.

override OP: u32 = 0u;
// Words of an element of the places.
override WORDS: u32 = 2u;
// The type of integers, of which only the places are written; 0 of floats.
override KIND: u32 = 0u;

struct Params {
    rows: Rows,
    // Strides of the outputs: between rows as rows are numbered, and along a row.
    outer_strides: vec4<u32>,
    k: u32,
    along_stride: u32,
}

// A number whose order is that of the elements, so that even a NaN has one place.
fn key(at: u32) -> vec2<u32> {
    var ordered = vec2<u32>(0u, 0u);
    if (KIND == 0u) {
        var bits = bitcast<u32>(in0(at));
        if (bits == 0x80000000u) { bits = 0u; }
        ordered.x = select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
    } else {
        ordered = whole(KIND, raw(KIND, IN0, u.inputs.x, at));
        ordered.y ^= select(0x80000000u, 0u, KIND == U64);
    }
    return select(ordered, ~ordered, OP == 1u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = thread_index(group, groups, thread);
    let row = index / u.p.rows.len;
    let place = index % u.p.rows.len;
    if (row >= u.p.rows.count) { return; }
    let start = row_start(row);
    let own = key(start + row_step(place));
    var before = 0u;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let other = key(start + row_step(i));
        if (below64(own, other) || (all(other == own) && i < place)) { before++; }
    }
    if (before >= u.p.k) { return; }
    let at = walk(row, u.p.rows.outer, u.p.outer_strides) + before * u.p.along_stride;
    if (KIND == 0u) { out0(at, in0(start + row_step(place))); }
    store(OUT1, u.more.w + at * WORDS, place);
    if (WORDS == 2u) { store(OUT1, u.more.w + at * 2u + 1u, 0u); }
}
