// y = for every id its row of in1, plus the row of in2 for its position, plus the row of in4 for its
// segment; or, where COUNT is 1, how many ids of each batch are not 0.

override COUNT: u32 = 0u;
// Words of an id, a segment and a position; 0 where there are none: positions count up then.
override ID_WORDS: u32 = 1u;
override SEGMENT_WORDS: u32 = 0u;
override POSITION_WORDS: u32 = 0u;

struct Params {
    count: u32,
    // Ids of a batch, and elements of a row.
    length: u32,
    columns: u32,
    // Rows of the three tables.
    ids: u32,
    positions: u32,
    segments: u32,
    // Batches with positions of their own.
    batches: u32,
}

fn row_of(word: u32, rows: u32) -> u32 {
    return u32(clamp(bitcast<i32>(word), 0, i32(rows) - 1)) * u.p.columns;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    if (COUNT == 1u) {
        var found = 0u;
        for (var n = 0u; n < u.p.length; n++) {
            if (load(IN0, u.inputs.x + (i * u.p.length + n) * ID_WORDS) != 0u) { found++; }
        }
        store(OUT0, u.more.z + i, found);
        return;
    }
    let token = i / u.p.columns;
    let column = i % u.p.columns;
    var y = in1(row_of(load(IN0, u.inputs.x + token * ID_WORDS), u.p.ids) + column);
    var position = token % u.p.length;
    if (POSITION_WORDS != 0u) {
        let at = (token / u.p.length % u.p.batches) * u.p.length + position;
        position = load(IN5, u.more.y + at * POSITION_WORDS);
    }
    y += in2(row_of(position, u.p.positions) + column);
    if (SEGMENT_WORDS != 0u) {
        y += in4(row_of(load(IN3, u.inputs.w + token * SEGMENT_WORDS), u.p.segments) + column);
    }
    out0(i, y);
}
