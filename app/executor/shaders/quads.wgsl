// The arena and its shadow as four words each, for ranges and arenas of whole quads: one bounds
// check for four words.

@group(0) @binding(0) var<storage, read_write> arena: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> shadow: array<vec4<u32>>;

fn arena_word(w: u32) -> u32 { return arena[w / 4u][w % 4u]; }
fn arena_quad(w: u32) -> vec4<u32> { return arena[w / 4u]; }
fn set_arena_word(w: u32, x: u32) { arena[w / 4u][w % 4u] = x; }
fn set_arena_quad(w: u32, x: vec4<u32>) { arena[w / 4u] = x; }

fn shadow_word(w: u32) -> u32 { return shadow[w / 4u][w % 4u]; }
fn shadow_quad(w: u32) -> vec4<u32> { return shadow[w / 4u]; }
fn set_shadow_word(w: u32, x: u32) { shadow[w / 4u][w % 4u] = x; }
fn set_shadow_quad(w: u32, x: vec4<u32>) { shadow[w / 4u] = x; }
