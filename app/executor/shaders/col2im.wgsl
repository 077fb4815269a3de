// y = the sum of all the elements of blocks that lie on each pixel.

// Dimensions lie outermost first; those that are missing are 1 and lie in front. The last word
// of each is nothing.
struct Params {
    image: vec4<u32>,
    kernel: vec4<u32>,
    blocks: vec4<u32>,
    stride: vec4<u32>,
    dilation: vec4<u32>,
    pad: vec4<i32>,
    count: u32,
}

// The number of the block whose tap lies at a place, or -1.
fn block(d: u32, place: u32, tap: u32) -> i32 {
    let distance = i32(place) + u.p.pad[d] - i32(tap * u.p.dilation[d]);
    let stride = i32(u.p.stride[d]);
    if (distance < 0 || distance % stride != 0) { return -1; }
    let number = distance / stride;
    return select(-1, number, number < i32(u.p.blocks[d]));
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = thread_index(group, groups, thread);
    if (i >= u.p.count) { return; }
    let column = i % u.p.image.z;
    let row = i / u.p.image.z % u.p.image.y;
    let slice = i / u.p.image.z / u.p.image.y % u.p.image.x;
    let plane = i / u.p.image.z / u.p.image.y / u.p.image.x;
    let taps = u.p.kernel.x * u.p.kernel.y * u.p.kernel.z;
    let blocks = u.p.blocks.x * u.p.blocks.y * u.p.blocks.z;
    var sum = 0.0;
    for (var tap = 0u; tap < taps; tap++) {
        let x = block(2u, column, tap % u.p.kernel.z);
        let y = block(1u, row, tap / u.p.kernel.z % u.p.kernel.y);
        let z = block(0u, slice, tap / u.p.kernel.z / u.p.kernel.y);
        if (x < 0 || y < 0 || z < 0) { continue; }
        let at = (u32(z) * u.p.blocks.y + u32(y)) * u.p.blocks.z + u32(x);
        sum += in0((plane * taps + tap) * blocks + at);
    }
    out0(i, sum);
}
