//! Pictures, plots and pages about simulated motion.
//!
//! Capsules, spheres, boxes and arrows in world space (metres, z up) enter, moment by moment; a [`FilmStrip`] shows
//! several moments side by side as a PNG, an [`Animation`] shows one or more motions in step as a GIF. Numbers enter;
//! [`plots`] leave as SVG, [`page`] puts everything into one HTML file, and [`front`] shows a front of trade-offs. The crate knows nothing of physics. Start
//! reading at [`FilmStrip`], which lays out the frames; [`Camera`] decides what each frame sees, and `raster.rs` casts
//! the rays.
//!
//! The same content gives the same bytes on every machine and for every number of threads.
//!
//! ```
//! use sinew_report::{FilmStrip, Frame, Shape, Solid};
//!
//! let ball = |height_m: f64| Frame {
//!     solids: vec![Solid { shape: Shape::Sphere { center: [0.0, 0.0, height_m], radius: 0.2 }, color: [214, 106, 60] }],
//!     caption: format!("{height_m:.1} m"),
//!     ..Frame::default()
//! };
//! let strip = FilmStrip {
//!     title: "A ball falls".into(),
//!     frames: vec![ball(1.0), ball(0.6), ball(0.2)],
//!     frame_width: 64,
//!     frame_height: 64,
//!     ..FilmStrip::default()
//! };
//! let image = strip.render()?;
//! assert_eq!(image.rgb.len(), (image.width * image.height * 3) as usize);
//! # Ok::<(), sinew_report::ReportError>(())
//! ```

mod animation_page;
mod arrow;
mod backdrop;
mod body;
mod camera;
mod color;
mod error;
mod film_strip;
mod font;
pub mod front;
mod gif;
mod image;
mod occlusion;
pub mod page;
mod palette;
mod parallel;
pub mod plots;
mod raster;
mod ray;
mod scene;
mod shade;
mod shot;
mod text;
mod vector;

pub use camera::{Camera, Projection, Tracking};
pub use error::ReportError;
pub use film_strip::FilmStrip;
pub use gif::{Animation, Track};
pub use image::Image;
pub use scene::{Arrow, Frame, Shape, Solid};
