// The arena and its shadow as words, for any range.

@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
@group(0) @binding(1) var<storage, read_write> shadow: array<u32>;

fn arena_word(w: u32) -> u32 { return arena[w]; }
fn arena_quad(w: u32) -> vec4<u32> { return vec4<u32>(arena[w], arena[w + 1u], arena[w + 2u], arena[w + 3u]); }
fn set_arena_word(w: u32, x: u32) { arena[w] = x; }
fn set_arena_quad(w: u32, x: vec4<u32>) {
    arena[w] = x.x;
    arena[w + 1u] = x.y;
    arena[w + 2u] = x.z;
    arena[w + 3u] = x.w;
}

fn shadow_word(w: u32) -> u32 { return shadow[w]; }
fn shadow_quad(w: u32) -> vec4<u32> { return vec4<u32>(shadow[w], shadow[w + 1u], shadow[w + 2u], shadow[w + 3u]); }
fn set_shadow_word(w: u32, x: u32) { shadow[w] = x; }
fn set_shadow_quad(w: u32, x: vec4<u32>) {
    shadow[w] = x.x;
    shadow[w + 1u] = x.y;
    shadow[w + 2u] = x.z;
    shadow[w + 3u] = x.w;
}
