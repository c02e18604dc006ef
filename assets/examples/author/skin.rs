//! The skin of a character: all its pieces in one mesh.

use crate::character::Character;
use crate::skin_weights::{Weights, weigh};
use crate::surface_nets::{Surface, polygonise};
use crate::{ornaments, paint};
use anyhow::{Context, Result, ensure};
use glam::DVec3;

/// A vertex in the bind pose.
pub struct Vertex {
    /// Place, m.
    pub place: DVec3,
    /// Unit normal.
    pub normal: DVec3,
    /// Linear colour.
    pub color: [u8; 4],
    /// Joints and weights.
    pub weights: Weights,
}

/// A triangle mesh.
pub struct Skin {
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u16; 3]>,
}

/// Grows the skin over a character's flesh.
pub fn grow(character: &Character) -> Result<Skin> {
    let mut skin = Skin { vertices: Vec::new(), triangles: Vec::new() };
    for (index, part) in character.parts.iter().enumerate() {
        let surface = polygonise(&part.flesh, part.cell);
        let weights = weigh(character, index, &surface)?;
        skin.add(&surface, |v| {
            let (place, normal) = (surface.places[v], surface.normals[v]);
            (paint::color(character, index, place, normal), weights[v])
        });
    }
    let balls = character.balls.iter().map(|b| (ornaments::ball(b), &b.bone, &b.paint));
    let spikes = character.spikes.iter().map(|s| (ornaments::spike(s), &s.bone, &s.paint));
    for (surface, bone, name) in balls.chain(spikes) {
        let color =
            paint::plain(character, name).with_context(|| format!("ornament of {bone}: no paint called {name}"))?;
        let bone = character.joint(bone)? as u8;
        skin.add(&surface, |_| (color, [(bone, 255), (0, 0), (0, 0), (0, 0)]));
    }
    ensure!(
        skin.vertices.len() < usize::from(u16::MAX),
        "the skin has too many vertices for 16-bit indices; enlarge the cells"
    );
    Ok(skin)
}

impl Skin {
    fn add(&mut self, surface: &Surface, look: impl Fn(usize) -> ([u8; 4], Weights)) {
        let first = self.vertices.len();
        for (v, (&place, &normal)) in surface.places.iter().zip(&surface.normals).enumerate() {
            let (color, weights) = look(v);
            self.vertices.push(Vertex { place, normal, color, weights });
        }
        self.triangles.extend(surface.triangles.iter().map(|t| t.map(|v| (first + v) as u16)));
    }
}
