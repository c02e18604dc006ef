//! What a film strip shows: solids and arrows in world space (metres, z up), one [`Frame`] per moment.

/// A convex solid, already placed in the world. Lengths in metres, z up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// All points within `radius` of the segment `from`–`to`.
    Capsule {
        /// Centre of one end sphere.
        from: [f64; 3],
        /// Centre of the other end sphere.
        to: [f64; 3],
        /// Radius of tube and ends.
        radius: f64,
    },
    /// A ball.
    Sphere {
        /// Centre.
        center: [f64; 3],
        /// Radius.
        radius: f64,
    },
    /// An oriented box.
    Box {
        /// Centre.
        center: [f64; 3],
        /// Half the side lengths along the box's own axes.
        half_extents: [f64; 3],
        /// Rotation from box to world, quaternion `w, x, y, z`; any length above zero.
        orientation: [f64; 4],
    },
}

/// A shape with its paint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Shape and placement. Solids that are not finite, have no size, or lie beyond 10 km are left out of the picture.
    pub shape: Shape,
    /// Paint, sRGB.
    pub color: [u8; 3],
}

/// A flat arrow drawn over the scene, for a push or a contact force. It is never hidden by a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Tail, metres.
    pub from: [f64; 3],
    /// Tip, metres.
    pub to: [f64; 3],
    /// Paint, sRGB.
    pub color: [u8; 3],
}

/// One moment of the strip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Solids of this moment.
    pub solids: Vec<Solid>,
    /// Arrows drawn over the solids.
    pub arrows: Vec<Arrow>,
    /// Text under the frame, such as `0.25 s  pushed 150 N`. Wrapped to at most three lines; `\n` breaks a line.
    pub caption: String,
    /// Point that a following camera looks at, for instance the character's root; only x and y count. `None`: the
    /// centre of the solids' bounding box.
    pub focus: Option<[f64; 3]>,
}
