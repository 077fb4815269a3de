// y[i] = x[i·r + Σ_d index_d(i)·g_d], where the tuple index(i) is read from the second operand.

// Words of an index: 64-bit ones are read by their lower word.
override INDEX_WORDS: u32 = 1u;

// Dimensions of y lie innermost first; x and index are strides over them. A tuple has `depth`
// indices `step` apart; index d is below limit[d] and counts `stride[d]` elements of x.
struct Params {
    count: u32,
    rank: u32,
    depth: u32,
    step: u32,
    dims: array<vec4<u32>, 2>,
    x: array<vec4<u32>, 2>,
    index: array<vec4<u32>, 2>,
    limit: array<vec4<u32>, 2>,
    stride: array<vec4<u32>, 2>,
}

var<private> row_x: u32;
var<private> row_index: u32;
var<private> at: u32;
var<private> picked: u32;

fn locate(i: u32) {
    let width = u.p.dims[0].x;
    var rest = i / width;
    at = i - rest * width;
    row_x = 0u;
    row_index = 0u;
    for (var d = 1u; d < u.p.rank; d++) {
        let size = u.p.dims[d / 4u][d % 4u];
        let whole = rest / size;
        let here = rest - whole * size;
        rest = whole;
        row_x += here * u.p.x[d / 4u][d % 4u];
        row_index += here * u.p.index[d / 4u][d % 4u];
    }
}

// The offset in x that the tuple at `place` asks for. Negative indices count from the end;
// those beyond either end are held at it.
fn pick(place: u32) {
    picked = 0u;
    for (var d = 0u; d < u.p.depth; d++) {
        let word = load(IN1, u.inputs.y + (place + d * u.p.step) * INDEX_WORDS);
        let limit = i32(u.p.limit[d / 4u][d % 4u]);
        var index = bitcast<i32>(word);
        if (index < 0) { index += limit; }
        picked += u32(clamp(index, 0, limit - 1)) * u.p.stride[d / 4u][d % 4u];
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
    locate(first);
    pick(row_index + at * u.p.index[0].x);
    for (var k = 0u; k < 4u; k++) {
        if (first + k >= u.p.count) {
            if (WIDTH < 4u) { put(k, 0u, vec2(0u)); }
            continue;
        }
        if (at == u.p.dims[0].x) {
            locate(first + k);
            pick(row_index);
        } else if (u.p.index[0].x != 0u) {
            pick(row_index + at * u.p.index[0].x);
        }
        put(k, first + k, element(row_x + at * u.p.x[0].x + picked));
        at++;
    }
    flush(first);
}
