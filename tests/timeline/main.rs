//! The picture: scenes, axes, what is hit, and renderers that agree.

mod axis;
mod camera;
mod classes;
mod hit;
mod labels;
mod overlay;
mod overlay_difference;
mod overlay_film;
mod overlay_run;
mod overlay_spot;
mod palette;
mod pauses;
mod raster;
mod renderers_agree;
mod views;
