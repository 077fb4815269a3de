// y[row] = the largest or the smallest integer of a row of x, or its place, or a sum or product of quantised elements, where OP chooses.

// 0 the largest, 1 the smallest, 2 the scaled sum, 3 the product, scaled at every step, 4 the sum, 5 the product, 6 the sum of sizes, 7 that of squares.
override OP: u32 = 0u;
// 1 for the place of the first such element, 2 for that of the last.
override PLACE: u32 = 0u;
override KIND: u32 = 4u;
override TO: u32 = 4u;

struct Params {
    rows: Rows,
    // What an empty row gives.
    empty: vec2<u32>,
    // Of quantised elements: zero points of x and y, the range of y, mantissa and shift.
    zeros: vec2<i32>,
    range: vec2<i32>,
    factor: vec2<i32>,
}

fn scaled(row: u32) -> vec2<u32> {
    let start = row_start(row);
    let f = u.p.factor;
    var y = narrow(KIND, IN0, u.inputs.x, start) - u.p.zeros.x;
    for (var i = 1u; i < u.p.rows.len; i++) {
        let x = narrow(KIND, IN0, u.inputs.x, start + row_step(i)) - u.p.zeros.x;
        if (OP == 3u) {
            y = times_wide(mul64(extended(y), extended(x)), f.x, f.y);
        } else {
            y += x;
        }
    }
    if (OP == 3u) { y = times_wide(extended(y), f.x, f.y); } else { y = times(y, f.x, f.y); }
    return bits_of_int(clamp(y + u.p.zeros.y, u.p.range.x, u.p.range.y));
}

// As many bits as the type has are kept.
fn total(row: u32) -> vec2<u32> {
    let start = row_start(row);
    var y = u.p.empty;
    for (var i = 0u; i < u.p.rows.len; i++) {
        let x = whole(KIND, raw(KIND, IN0, u.inputs.x, start + row_step(i)));
        switch OP {
            case 4u: { y = add64(y, x); }
            case 5u: { y = mul64(y, x); }
            case 6u: { y = add64(y, size64(KIND != U64, x)); }
            default: { y = add64(y, mul64(x, x)); }
        }
    }
    return y;
}

fn result(row: u32) -> vec2<u32> {
    if (u.p.rows.len == 0u) { return u.p.empty; }
    if (OP > 3u) { return total(row); }
    if (OP > 1u) { return scaled(row); }
    let signed = KIND != U64;
    let start = row_start(row);
    var best = whole(KIND, raw(KIND, IN0, u.inputs.x, start));
    var place = 0u;
    for (var i = 1u; i < u.p.rows.len; i++) {
        let x = whole(KIND, raw(KIND, IN0, u.inputs.x, start + row_step(i)));
        let beats = select(less64(signed, best, x), less64(signed, x, best), OP == 1u);
        if (beats || (PLACE == 2u && all(x == best))) {
            best = x;
            place = i;
        }
    }
    return select(vec2(place, 0u), best, PLACE == 0u);
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    put(TO, thread_index(group, groups, thread), u.p.rows.count);
}
