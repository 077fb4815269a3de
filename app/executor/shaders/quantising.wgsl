// Scales and zero points along an axis.

// The type of the output, where that is the floats.
override TO: u32 = 0u;
// 1 where there are zero points; else they are 0.
override ZEROS: u32 = 0u;
// 1 where elements share a scale in blocks along the axis.
override BLOCKED: u32 = 0u;

struct Params {
    count: u32,
    // Elements after the axis, and along it; 1 scale serves all elements.
    inner: u32,
    size: u32,
    // Of scales in blocks: elements along the axis that share one, and blocks along it.
    block: u32,
    blocks: u32,
}

// The number of the scale of element i.
fn step_of(i: u32) -> u32 {
    let line = i / u.p.inner;
    let along = line % u.p.size;
    if (BLOCKED == 0u) { return along; }
    return (line / u.p.size * u.p.blocks + along / u.p.block) * u.p.inner + i % u.p.inner;
}
