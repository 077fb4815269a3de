// Access to the operands of a dispatch: addresses are words in the arena, the weights or io.

override IN0: u32 = 0u;
override IN1: u32 = 0u;
override IN2: u32 = 0u;
override IN3: u32 = 0u;
override IN4: u32 = 0u;
override IN5: u32 = 0u;
override IN6: u32 = 0u;
override IN7: u32 = 0u;
override OUT0: u32 = 0u;
override OUT1: u32 = 0u;

struct Uniform {
    // Addresses of four inputs, of two more and both outputs, and of the last two inputs.
    inputs: vec4<u32>,
    more: vec4<u32>,
    last: vec4<u32>,
    p: Params,
}

@group(0) @binding(1) var<storage, read> weights: array<u32>;
@group(0) @binding(3) var<uniform> u: Uniform;

// The number of this thread in a grid that grows in x first, then in y.
fn thread_index(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> u32 {
    return (group.y * groups.x + group.x) * 64u + thread;
}
