// Access to the rows of a tensor: a row runs along some of its axes, and there is one for each
// index of the others.

// 1 where a row runs along a single dimension.
override FLAT: u32 = 0u;

struct Rows {
    // The dimensions that number the rows, innermost first, 1 after the last, and their
    // strides in elements.
    outer: vec4<u32>,
    outer_strides: vec4<u32>,
    // The same for the dimensions that a row runs along.
    along: vec4<u32>,
    along_strides: vec4<u32>,
    // Number of rows, and elements of each.
    count: u32,
    len: u32,
    // The strides of an output of the same shape.
    out_outer: vec4<u32>,
    out_along: vec4<u32>,
}

fn walk(index: u32, dims: vec4<u32>, strides: vec4<u32>) -> u32 {
    let y = index / dims.x;
    let z = y / dims.y;
    let w = z / dims.z;
    let at = vec4<u32>(index % dims.x, y % dims.y, z % dims.z, w);
    let steps = at * strides;
    return steps.x + steps.y + steps.z + steps.w;
}

// The first element of a row.
fn row_start(row: u32) -> u32 { return walk(row, u.p.rows.outer, u.p.rows.outer_strides); }

// The same in an output of the same shape.
fn out_start(row: u32) -> u32 { return walk(row, u.p.rows.outer, u.p.rows.out_outer); }

fn out_step(i: u32) -> u32 {
    if (FLAT == 1u) { return i * u.p.rows.out_along.x; }
    return walk(i, u.p.rows.along, u.p.rows.out_along);
}

// How far from the first the element `i` of a row lies.
fn row_step(i: u32) -> u32 {
    if (FLAT == 1u) { return i * u.p.rows.along_strides.x; }
    return walk(i, u.p.rows.along, u.p.rows.along_strides);
}
