// Two inputs that are broadcast to the shape of the output.

// 1 where both inputs have the shape of the output, and all elements follow one another.
override SAME: u32 = 0u;

// Strides are counted in elements; 0 along a broadcast dimension. Dimensions lie innermost
// first, dims.x the fastest.
struct Params {
    count: u32,
    rank: u32,
    // Of the activation, where there is one.
    alpha: f32,
    beta: f32,
    dims: array<vec4<u32>, 2>,
    a: array<vec4<u32>, 2>,
    b: array<vec4<u32>, 2>,
    y: array<vec4<u32>, 2>,
}

// Where the element i of the output lies in it.
fn target_of(i: u32) -> u32 {
    if (SAME == 1u) { return i; }
    var rest = i;
    var place = 0u;
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        place += rest % size * u.p.y[d / 4u][d % 4u];
        rest = rest / size;
    }
    return place;
}

// The elements of both inputs that element i of the output is made of.
fn sources(i: u32) -> vec2<u32> {
    if (SAME == 1u) { return vec2<u32>(i, i); }
    var rest = i;
    var place = vec2<u32>(0u, 0u);
    for (var d = 0u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        let at = rest % size;
        rest = rest / size;
        place += at * vec2<u32>(u.p.a[d / 4u][d % 4u], u.p.b[d / 4u][d % 4u]);
    }
    return place;
}
