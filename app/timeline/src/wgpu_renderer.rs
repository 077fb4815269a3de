//! Paints a scene with the GPU: rectangles pulled from storage buffers, uploaded once.
//!
//! The shaders follow the rule of [`snap`](crate::snap), so the picture is the raster
//! renderer's. Where it goes is the caller's: see [`WgpuRenderer::draw_to`].

use std::sync::Arc;

use wgpu::util::DeviceExt as _;

use crate::palette::{FILLS, PATTERNS, Rgb};
use crate::raster_renderer::rings;
use crate::renderer::{Frame, RenderError};
use crate::scene::{BLOCK, Scene};
use crate::snap::Snap;

/// Bytes of one rectangle on the device.
const RECT_BYTES: usize = 32;
/// Words of the camera uniform: what the shader's `Camera` holds.
const CAMERA_WORDS: usize = 20 + FILLS * 4 + PATTERNS.len() * 2;
/// Beyond this many stretches of visible rectangles, all of them are drawn in one call.
const MAX_CALLS: usize = 64;

/// Draws scenes into texture views of one format.
#[derive(Debug)]
pub struct WgpuRenderer {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::RenderPipeline,
    camera: wgpu::Buffer,
    loaded: Option<Loaded>,
}

/// A scene on the device.
#[derive(Debug)]
struct Loaded {
    scene: Arc<Scene>,
    dimmed: wgpu::Buffer,
    dimmed_words: Vec<u32>,
    bindings: wgpu::BindGroup,
}

impl WgpuRenderer {
    /// A renderer into views of `format`, which must not be an sRGB format: colours are
    /// passed as they are.
    #[must_use]
    pub fn new(device: wgpu::Device, queue: wgpu::Queue, format: wgpu::TextureFormat) -> Self {
        let pipeline = pipeline(&device, format);
        let camera = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("camera"),
            size: (CAMERA_WORDS * 4) as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self {
            device,
            queue,
            pipeline,
            camera,
            loaded: None,
        }
    }

    /// The device that it draws with.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue that it submits to.
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Puts a scene on the device, in place of the one before.
    ///
    /// # Errors
    /// [`RenderError::TooMany`] when it has more rectangles than one buffer can hold.
    pub fn load(&mut self, scene: &Arc<Scene>) -> Result<(), RenderError> {
        let limits = self.device.limits();
        let bytes = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let limit = usize::try_from(bytes).unwrap_or(usize::MAX) / RECT_BYTES;
        // Six vertices a rectangle and the marks must be countable in 32 bits.
        let limit = limit.min(500_000_000);
        if scene.len() > limit {
            return Err(RenderError::TooMany { limit });
        }
        self.loaded = Some(self.loaded(scene));
        Ok(())
    }

    fn loaded(&self, scene: &Arc<Scene>) -> Loaded {
        let buffer = |label, words: &[u32], usage| {
            self.device
                .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                    label: Some(label),
                    contents: bytemuck::cast_slice(words),
                    usage: wgpu::BufferUsages::STORAGE | usage,
                })
        };
        let no_other = wgpu::BufferUsages::empty();
        let dimmed_words = vec![0; scene.len().div_ceil(32).max(1)];
        let rects = buffer("rects", &rect_words(scene), no_other);
        let styles = buffer("styles", &style_words(scene), no_other);
        let dimmed = buffer("faded", &dimmed_words, wgpu::BufferUsages::COPY_DST);
        let bindings = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("scene"),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                entry(0, &self.camera),
                entry(1, &rects),
                entry(2, &styles),
                entry(3, &dimmed),
            ],
        });
        Loaded {
            scene: Arc::clone(scene),
            dimmed,
            dimmed_words,
            bindings,
        }
    }

    /// Draws one picture into `view`, which must have the frame's size in device pixels (see
    /// [`device_size`](crate::snap::device_size)).
    pub fn draw_to(&mut self, view: &wgpu::TextureView, frame: &Frame<'_>) {
        let snap = Snap::new(&frame.camera, frame.scale);
        if let Some(loaded) = &mut self.loaded {
            let words = camera_words(frame, &snap, &loaded.scene);
            self.queue
                .write_buffer(&self.camera, 0, bytemuck::cast_slice(&words));
            loaded.dim(&self.queue, frame.marks.dim);
        }
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = begin(&mut encoder, view, background(frame));
            if let Some(loaded) = &self.loaded {
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &loaded.bindings, &[]);
                for vertices in visible_vertices(&loaded.scene, &snap) {
                    pass.draw(vertices, 0..1);
                }
                let end = short(loaded.scene.len()) * 6;
                let marked = rings(&frame.marks, frame.theme);
                let marked: usize = marked
                    .map(|(index, _)| loaded.scene.pieces(index).len())
                    .sum();
                pass.draw(end..end + short(marked) * 2 * 6, 0..1);
            }
        }
        self.queue.submit([encoder.finish()]);
    }
}

impl Loaded {
    /// Uploads which rectangles are dimmed, if that has changed.
    fn dim(&mut self, queue: &wgpu::Queue, dim: Option<&[bool]>) {
        let mut words = vec![0_u32; self.dimmed_words.len()];
        let dim = dim.unwrap_or_default();
        let dimmed = |index: &usize| {
            let owner = self.scene.owner(*index);
            dim.get(owner).copied().unwrap_or(false)
        };
        for index in (0..self.scene.len()).filter(dimmed) {
            words[index / 32] |= 1 << (index % 32);
        }
        if words != self.dimmed_words {
            queue.write_buffer(&self.dimmed, 0, bytemuck::cast_slice(&words));
            self.dimmed_words = words;
        }
    }
}

fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry {
        binding,
        resource: buffer.as_entire_binding(),
    }
}

/// The colour of what no rectangle covers.
fn background(frame: &Frame<'_>) -> wgpu::Color {
    if !frame.opaque {
        return wgpu::Color::TRANSPARENT;
    }
    let [r, g, b] = frame
        .theme
        .background
        .map(|channel| f64::from(channel) / 255.0);
    wgpu::Color { r, g, b, a: 1.0 }
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    view: &wgpu::TextureView,
    background: wgpu::Color,
) -> wgpu::RenderPass<'a> {
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("rectangles"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(background),
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: None,
        timestamp_writes: None,
        occlusion_query_set: None,
        multiview_mask: None,
    })
}

fn pipeline(device: &wgpu::Device, format: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let module = |label, source: &'static str| {
        device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(label),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        })
    };
    let vertex = module(
        "rectangle_vertex",
        include_str!("../shaders/rectangle_vertex.wgsl"),
    );
    let fragment = module(
        "rectangle_fragment",
        include_str!("../shaders/rectangle_fragment.wgsl"),
    );
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("rectangles"),
        layout: None,
        vertex: wgpu::VertexState {
            module: &vertex,
            entry_point: Some("rectangle"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &fragment,
            entry_point: Some("rectangle"),
            compilation_options: Default::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// The vertices of the blocks in the picture, as few stretches as keep most others out.
fn visible_vertices(scene: &Scene, snap: &Snap) -> Vec<std::ops::Range<u32>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    let visible = scene.blocks().filter(|(_, hull)| snap.shows_hull(hull));
    for (indices, _) in visible {
        match runs.last_mut() {
            Some(run) if run.end + 4 * BLOCK >= indices.start => run.end = indices.end,
            _ => runs.push(indices),
        }
    }
    if runs.len() > MAX_CALLS {
        let last = runs.pop().map_or(0, |run| run.end);
        runs.truncate(1);
        if let Some(first) = runs.first_mut() {
            first.end = last;
        }
    }
    let vertices = |run: std::ops::Range<usize>| short(run.start) * 6..short(run.end) * 6;
    runs.into_iter().map(vertices).collect()
}

fn rect_words(scene: &Scene) -> Vec<u32> {
    let mut words = Vec::with_capacity(scene.len().max(1) * RECT_BYTES / 4);
    for index in 0..scene.len() {
        let rect = scene.at(index);
        for value in [rect.x0, rect.x1, rect.y0, rect.y1] {
            words.extend(halves(whole_of(value)));
        }
    }
    // A binding must not be empty.
    if words.is_empty() {
        words.resize(RECT_BYTES / 4, 0);
    }
    words
}

fn style_words(scene: &Scene) -> Vec<u32> {
    let styles = scene.fill.iter().zip(&scene.pattern).enumerate();
    let mut words: Vec<u32> = styles
        .map(|(index, (&fill, &pattern))| {
            let outline = u32::from(scene.is_outline(index)) << 16;
            u32::from(fill) | u32::from(pattern) << 8 | outline
        })
        .collect();
    if words.is_empty() {
        words.push(0);
    }
    words
}

/// The uniform, in the order of the shader's `Camera`.
fn camera_words(frame: &Frame<'_>, snap: &Snap, scene: &Scene) -> Vec<u32> {
    let mut words = Vec::with_capacity(CAMERA_WORDS);
    words.extend(halves(whole_of(snap.x_start.floor())));
    words.extend(halves(whole_of(snap.y_start.floor())));
    let rest = [snap.x_start, snap.y_start].map(|start| start - start.floor());
    words.extend(rest.map(|rest| single(rest).to_bits()));
    words.extend([snap.per_step, snap.per_byte].map(|per| single(per).to_bits()));
    let sizes = [snap.columns, snap.rows, snap.line];
    words.extend(sizes.map(i32::cast_unsigned));
    words.push(short(scene.len()));
    // First and number of the rectangles of each marked buffer.
    let mut marks = [[0; 2]; 2];
    // Aligned to four words.
    let mut colors = [0; 4];
    for (slot, (index, color)) in rings(&frame.marks, frame.theme).enumerate() {
        let pieces = scene.pieces(index);
        marks[slot] = [short(pieces.start), short(pieces.len())];
        colors[slot] = packed(color);
    }
    words.extend(marks.concat());
    words.extend(colors);
    for color in (0_u8..).take(FILLS) {
        let (fill, ink) = (frame.theme.fill(color), frame.theme.ink(color));
        let dimmed = [frame.theme.dimmed(fill), frame.theme.dimmed(ink)];
        words.extend([fill, ink, dimmed[0], dimmed[1]].map(packed));
    }
    for rows in PATTERNS {
        let [a, b, c, d, e, f, g, h] = rows;
        words.push(u32::from_le_bytes([a, b, c, d]));
        words.push(u32::from_le_bytes([e, f, g, h]));
    }
    words
}

fn packed([red, green, blue]: Rgb) -> u32 {
    u32::from_le_bytes([red, green, blue, 0xff])
}

/// Low and high half of a 64-bit number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "each half is what is wanted"
)]
fn halves(value: i64) -> [u32; 2] {
    let bits = value.cast_unsigned();
    [bits as u32, (bits >> 32) as u32]
}

/// A position as a whole number within 62 bits, so that differences cannot overflow.
#[expect(
    clippy::cast_possible_truncation,
    reason = "float casts saturate, and positions are whole"
)]
fn whole_of(value: f64) -> i64 {
    (value as i64).clamp(-(1 << 61), 1 << 61)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to f32 is what is wanted"
)]
fn single(value: f64) -> f32 {
    value as f32
}

/// A count that [`WgpuRenderer::load`] has limited.
fn short(count: usize) -> u32 {
    u32::try_from(count).expect("more rectangles were refused")
}
