//! Where the source puts its nodes: in the bind pose, in a sample of frames, and frame by frame.

use crate::raw::{RawClip, RawRig, Transform};
use crate::skeleton::Placed;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Most frames on which the repairs base their decisions.
const MOST_SAMPLES: usize = 512;

/// Places of all nodes in the file's own world and units.
pub(super) struct Source {
    /// Bind pose, one for each node.
    pub bind: Vec<Placed>,
    /// Frames from all clips, evenly spread: sample × node.
    pub samples: Vec<Vec<Placed>>,
}

impl Source {
    /// Places the nodes in the bind pose and in some frames of each clip.
    pub fn sample(raw: &RawRig, first_frames: &[usize]) -> Self {
        let bind = raw.world_bind().iter().map(|world| placed(*world)).collect();
        let mut walker = Walker::new(raw);
        let mut samples = Vec::new();
        let share = (MOST_SAMPLES / raw.clips.len().max(1)).max(4);
        let clip_stride = raw.clips.len().div_ceil(MOST_SAMPLES / 4).max(1);
        for (clip, &first) in raw.clips.iter().zip(first_frames).step_by(clip_stride) {
            let stride = (clip.frame_count - first).div_ceil(share).max(1);
            for frame in (first..clip.frame_count).step_by(stride) {
                samples.push(walker.place(raw, clip, frame).to_vec());
            }
        }
        Source { bind, samples }
    }

    /// Bind pose, then the samples.
    pub fn poses(&self) -> impl Iterator<Item = &[Placed]> {
        std::iter::once(self.bind.as_slice()).chain(self.samples.iter().map(Vec::as_slice))
    }
}

/// A place in another's frame: `R_frame⁻¹ (x − p_frame)`.
pub(super) fn in_frame(frame: &Placed, point: DVec3) -> DVec3 {
    frame.orientation.inverse() * (point - frame.position)
}

/// Composes the transforms of a node tree, frame after frame.
///
/// Where every scale is the same along all axes a transform is `x ↦ p + s·(q x)`, and quaternions suffice; else matrices are
/// composed and their rotations orthonormalised.
pub(super) struct Walker {
    even: bool,
    scales: Vec<f64>,
    affine: Vec<DAffine3>,
    placed: Vec<Placed>,
}

impl Walker {
    /// Looks through the scales.
    pub fn new(raw: &RawRig) -> Self {
        let even = |s: &DVec3| s.x > 0.0 && (s.y - s.x).abs() <= 1e-5 * s.x && (s.z - s.x).abs() <= 1e-5 * s.x;
        let nodes_even = raw.nodes.iter().all(|n| even(&n.local.scale));
        let scales_of =
            |clip: &RawClip| clip.tracks.iter().filter_map(|t| t.scale.as_ref()).all(|s| s.iter().all(even));
        let all_even = nodes_even && raw.clips.iter().all(scales_of);
        let start = Placed { position: DVec3::ZERO, orientation: DQuat::IDENTITY };
        let count = raw.nodes.len();
        Walker {
            even: all_even,
            scales: vec![1.0; count],
            affine: vec![DAffine3::IDENTITY; if all_even { 0 } else { count }],
            placed: vec![start; count],
        }
    }

    /// Every node's place in a frame of a clip.
    pub fn place(&mut self, raw: &RawRig, clip: &RawClip, frame: usize) -> &[Placed] {
        for (index, (node, track)) in raw.nodes.iter().zip(&clip.tracks).enumerate() {
            let local = track.at(frame, &node.local);
            if self.even {
                self.compose_even(index, node.parent, &local);
            } else {
                let matrix = Transform { rotation: local.rotation.normalize(), ..local }.to_affine();
                self.affine[index] = node.parent.map_or(matrix, |p| self.affine[p] * matrix);
                self.placed[index] = placed(self.affine[index]);
                // A node scaled to nothing, as animators hide things, still turns.
                if is_flat(&self.affine[index]) {
                    let above = node.parent.map_or(DQuat::IDENTITY, |p| self.placed[p].orientation);
                    self.placed[index].orientation = above * local.rotation.normalize();
                }
            }
        }
        &self.placed
    }

    fn compose_even(&mut self, index: usize, parent: Option<usize>, local: &Transform) {
        let rotation = local.rotation.normalize();
        (self.scales[index], self.placed[index]) = match parent {
            None => (local.scale.x, Placed { position: local.translation, orientation: rotation }),
            Some(p) => {
                let (above, scale) = (self.placed[p], self.scales[p]);
                let position = above.position + above.orientation * (scale * local.translation);
                (scale * local.scale.x, Placed { position, orientation: above.orientation * rotation })
            }
        };
    }
}

/// Whether the matrix has lost a dimension.
fn is_flat(world: &DAffine3) -> bool {
    let m = world.matrix3;
    let longest = m.x_axis.length().max(m.y_axis.length()).max(m.z_axis.length());
    m.determinant().abs() <= 1e-12 * longest * longest * longest
}

/// Position and orthonormalised rotation of a matrix. A mirrored frame gives up its first axis, as in a decomposition into scale,
/// rotation and translation; an axis of no length is made up from the others.
pub(super) fn placed(world: DAffine3) -> Placed {
    let m = world.matrix3;
    let flip = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let x = (flip * m.x_axis).try_normalize().unwrap_or(DVec3::X);
    let across = m.y_axis - x * x.dot(m.y_axis);
    let y = across.try_normalize().unwrap_or_else(|| x.any_orthonormal_vector());
    let orientation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
    Placed { position: world.translation, orientation }
}
