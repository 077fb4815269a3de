// The k largest elements of each row of x in order, and their places; where OP is 1 the smallest.
// One thread for each element of x: it counts those that come before it.

override OP: u32 = 0u;
// Words of an element of the places.
override WORDS: u32 = 2u;

struct Params {
    rows: Rows,
    // Strides of the outputs: between rows as rows are numbered, and along a row.
    outer_strides: vec4<u32>,
    k: u32,
    along_stride: u32,
}

// A number whose order is that of the floats, so that even a NaN has one place.
fn key(x: f32) -> u32 {
    var bits = bitcast<u32>(x);
    if (bits == 0x80000000u) { bits = 0u; }
    let ordered = select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
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
    let x = in0(start + row_step(place));
    let own = key(x);
    var before = 0u;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let other = key(in0(start + row_step(i)));
        if (other > own || (other == own && i < place)) { before++; }
    }
    if (before >= u.p.k) { return; }
    let at = walk(row, u.p.rows.outer, u.p.outer_strides) + before * u.p.along_stride;
    out0(at, x);
    store(OUT1, u.more.w + at * WORDS, place);
    if (WORDS == 2u) { store(OUT1, u.more.w + at * 2u + 1u, 0u); }
}
