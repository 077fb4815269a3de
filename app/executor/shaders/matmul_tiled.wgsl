// The same as matmul, 64 x 64 elements of y for a workgroup and 8 x 8 of them for each thread.
// Slices of a and b, 16 deep, go through workgroup memory.

const DEPTH = 16u;

// Element [depth * 16 + i] is four neighbours of the slice: rows of a, or columns of b.
var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, 256>;

// Depth and number of the four neighbours that a thread fetches: neighbouring threads read
// neighbouring words, whichever way a matrix lies.
fn fetched(i: u32, deep: bool) -> vec2<u32> {
    return select(vec2<u32>(i / 16u, i % 16u), vec2<u32>(i % DEPTH, i / DEPTH), deep);
}

fn fetch_left(start: u32, m: u32, first: u32, thread: u32) {
    for (var i = thread; i < 256u; i += 64u) {
        let f = fetched(i, u.p.strides.y == 1u);
        let rows = min(m + f.y * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.p.m - 1u));
        let at = start + rows * u.p.strides.x + (first + f.x) * u.p.strides.y;
        var x = vec4<f32>();
        if (first + f.x < u.p.k) { x = vec4<f32>(in0(at.x), in0(at.y), in0(at.z), in0(at.w)); }
        left[f.x * 16u + f.y] = x;
    }
}

fn fetch_right(start: u32, n: u32, first: u32, thread: u32) {
    for (var i = thread; i < 256u; i += 64u) {
        let f = fetched(i, u.p.strides.z == 1u);
        let columns = min(n + f.y * 4u + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(u.p.n - 1u));
        let at = start + columns * u.p.strides.w + (first + f.x) * u.p.strides.z;
        var y = vec4<f32>();
        if (first + f.x < u.p.k) { y = vec4<f32>(in1(at.x), in1(at.y), in1(at.z), in1(at.w)); }
        right[f.x * 16u + f.y] = y;
    }
}

fn finish(batch: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (row >= u.p.m) { return; }
    for (var j = 0u; j < 4u && column + j < u.p.n; j++) {
        let at = column + j;
        var sum = u.p.alpha * sums[j];
        if (BIAS == 1u) {
            sum += u.p.beta * in2(row * u.p.c_strides.x + at * u.p.c_strides.y);
        }
        out0((batch * u.p.m + row) * u.p.n + at, activated(sum, u.p.low, u.p.high));
    }
}

@compute @workgroup_size(8, 8)
fn main(
    @builtin(workgroup_id) within: vec3<u32>,
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let group = within + slice.xyz;
    let start = batch_start(group.z);
    let m = group.y * 64u;
    let n = group.x * 64u;
    // Eight rows; four columns, and the four that lie 32 further on.
    var s0a = vec4<f32>();
    var s0b = vec4<f32>();
    var s1a = vec4<f32>();
    var s1b = vec4<f32>();
    var s2a = vec4<f32>();
    var s2b = vec4<f32>();
    var s3a = vec4<f32>();
    var s3b = vec4<f32>();
    var s4a = vec4<f32>();
    var s4b = vec4<f32>();
    var s5a = vec4<f32>();
    var s5b = vec4<f32>();
    var s6a = vec4<f32>();
    var s6b = vec4<f32>();
    var s7a = vec4<f32>();
    var s7b = vec4<f32>();
    for (var first = 0u; first < u.p.k; first += DEPTH) {
        fetch_left(start.x, m, first, thread);
        fetch_right(start.y, n, first, thread);
        workgroupBarrier();
        for (var k = 0u; k < 256u; k += 16u) {
            let x0 = left[k + at.y * 2u];
            let x1 = left[k + at.y * 2u + 1u];
            let y0 = right[k + at.x];
            let y1 = right[k + at.x + 8u];
            s0a += x0.x * y0;
            s0b += x0.x * y1;
            s1a += x0.y * y0;
            s1b += x0.y * y1;
            s2a += x0.z * y0;
            s2b += x0.z * y1;
            s3a += x0.w * y0;
            s3b += x0.w * y1;
            s4a += x1.x * y0;
            s4b += x1.x * y1;
            s5a += x1.y * y0;
            s5b += x1.y * y1;
            s6a += x1.z * y0;
            s6b += x1.z * y1;
            s7a += x1.w * y0;
            s7b += x1.w * y1;
        }
        workgroupBarrier();
    }
    let row = m + at.y * 8u;
    let column = n + at.x * 4u;
    finish(group.z, row + 0u, column, s0a);
    finish(group.z, row + 0u, column + 32u, s0b);
    finish(group.z, row + 1u, column, s1a);
    finish(group.z, row + 1u, column + 32u, s1b);
    finish(group.z, row + 2u, column, s2a);
    finish(group.z, row + 2u, column + 32u, s2b);
    finish(group.z, row + 3u, column, s3a);
    finish(group.z, row + 3u, column + 32u, s3b);
    finish(group.z, row + 4u, column, s4a);
    finish(group.z, row + 4u, column + 32u, s4b);
    finish(group.z, row + 5u, column, s5a);
    finish(group.z, row + 5u, column + 32u, s5b);
    finish(group.z, row + 6u, column, s6a);
    finish(group.z, row + 6u, column + 32u, s6b);
    finish(group.z, row + 7u, column, s7a);
    finish(group.z, row + 7u, column + 32u, s7b);
}
