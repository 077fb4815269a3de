// y[b + i·s] = x[a + i·r] over a box of indices i, with windows outside of which x ends.

// What stands outside of the windows: 0 nothing (there are none), 1 the fill, 2 what y held,
// 3 the edge, 4 the mirror image without the edge, 5 with it, 6 the other end.
override OUTSIDE: u32 = 0u;

// Dimensions lie innermost first. Strides are counted in elements and may be negative: they
// wrap. A window of x covers `size` indices from `low` on.
struct Params {
    count: u32,
    rank: u32,
    a: u32,
    b: u32,
    fill0: u32,
    fill1: u32,
    pad0: u32,
    pad1: u32,
    dims: array<vec4<u32>, 2>,
    x: array<vec4<u32>, 2>,
    y: array<vec4<u32>, 2>,
    low: array<vec4<u32>, 2>,
    size: array<vec4<u32>, 2>,
}

const NOWHERE: u32 = 0xffffffffu;

// Where the innermost row of this thread begins, and the index along it.
var<private> row_x: u32;
var<private> row_y: u32;
var<private> inside: bool;
var<private> at: u32;

fn modulo(i: i32, n: i32) -> i32 { return ((i % n) + n) % n; }

// The index along dimension d of x that belongs to the index i of the box.
fn mapped(i: u32, d: u32) -> u32 {
    if (OUTSIDE == 0u) { return i; }
    let size = u.p.size[d / 4u][d % 4u];
    let t = i - u.p.low[d / 4u][d % 4u];
    if (t < size) { return t; }
    let n = i32(size);
    switch OUTSIDE {
        case 3u: { return u32(clamp(bitcast<i32>(t), 0, n - 1)); }
        case 4u: {
            if (n == 1) { return 0u; }
            let m = modulo(bitcast<i32>(t), 2 * (n - 1));
            return u32(min(m, 2 * (n - 1) - m));
        }
        case 5u: {
            let m = modulo(bitcast<i32>(t), 2 * n);
            return u32(min(m, 2 * n - 1 - m));
        }
        case 6u: { return u32(modulo(bitcast<i32>(t), n)); }
        default: { return NOWHERE; }
    }
}

fn locate(i: u32) {
    let width = u.p.dims[0].x;
    var rest = i / width;
    at = i - rest * width;
    row_x = u.p.a;
    row_y = u.p.b;
    inside = true;
    for (var d = 1u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        let whole = rest / size;
        let index = rest - whole * size;
        rest = whole;
        row_y += index * u.p.y[d / 4u][d % 4u];
        let source = mapped(index, d);
        row_x += source * u.p.x[d / 4u][d % 4u];
        inside = inside && source != NOWHERE;
    }
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = 4u * thread_index(group, groups, thread);
    if (first >= u.p.count) { return; }
    if (OUTSIDE == 2u) { reload(first); }
    locate(first);
    for (var k = 0u; k < 4u; k++) {
        if (first + k >= u.p.count) {
            // After the tensor the last word of narrow elements is zero.
            if (WIDTH < 4u) { put(k, 0u, vec2(0u)); }
            continue;
        }
        if (at == u.p.dims[0].x) { locate(first + k); }
        let source = mapped(at, 0u);
        if (inside && source != NOWHERE) {
            put(k, row_y + at * u.p.y[0].x, element(row_x + source * u.p.x[0].x));
        } else if (OUTSIDE == 1u) {
            put(k, row_y + at * u.p.y[0].x, vec2(u.p.fill0, u.p.fill1));
        }
        at++;
    }
    flush(first);
}
