//! The picture: scenes, axes, what is hit, and renderers that agree.

mod axis;
mod camera;
mod chart;
mod classes;
mod graph_strip;
mod hit;
mod labels;
mod motion;
mod overlay;
mod overlay_difference;
mod overlay_film;
mod overlay_graph;
mod overlay_run;
mod overlay_spot;
mod palette;
mod pauses;
mod raster;
mod renderers_agree;
mod slide;
mod timed;
mod until;
mod views;

/// One picture alone as SVG.
fn svg_of(
    scene: &timeline::scene::Scene,
    camera: &timeline::camera::Camera,
    theme: &timeline::palette::Theme,
    overlay: &timeline::overlay::Overlay,
    title: &str,
) -> String {
    let picture = timeline::svg::Pictured {
        scene,
        camera,
        overlay,
        dim: None,
    };
    let alone = timeline::slide::Slide::bare(camera.width, camera.height);
    timeline::svg::write(&alone, &[picture], theme, title)
}
