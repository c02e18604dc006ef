//! Feet that stay where they stand: while the motion has a site in contact, the site keeps its place on the ground.
//!
//! A lock is an offset from the animated place. It begins when the site has come to rest, so that a blend may still move it; it holds the site while the contact
//! lasts, decays afterwards, and is let go where the motion carries the site too far. The character's own joints follow by inverse kinematics ([`PointIk`]).

use crate::decay::Decay;
use crate::figure::Figure;
use crate::generator_error::GeneratorError;
use crate::ground_transform::GroundTransform;
use glam::DVec3;
use sinew_modeler::ik::{BodyPoint, PointIk, PointSolver, PointWeights};

/// Offsets shorter than this are none, m.
const SHORTEST: f64 = 1e-4;
/// Gravity of the speed scale of walking, m/s².
const GRAVITY: f64 = 9.81;

/// The lock of one contact site.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SiteLock {
    /// Where it stands; none while it is free.
    place: Option<[f64; 3]>,
    /// Where the motion had it in the last frame; none before the first.
    before: Option<[f64; 3]>,
    /// It was carried too far and stays free until the contact ends.
    is_let_go: bool,
    /// From the animated place, m.
    offset: [f64; 3],
    /// Speed of the offset, m/s.
    velocity: [f64; 3],
}

impl SiteLock {
    /// Moves it with the motion over the ground.
    pub(crate) fn move_ground(&mut self, by: &GroundTransform) {
        let turned = |v: [f64; 3]| {
            let [x, y] = by.vector([v[0], v[1]]);
            [x, y, v[2]]
        };
        self.place = self.place.map(|place| by.place(place));
        self.before = self.before.map(|place| by.place(place));
        (self.offset, self.velocity) = (turned(self.offset), turned(self.velocity));
    }
}

/// Locks the feet of a figure.
#[derive(Clone, Debug)]
pub(crate) struct FootLock {
    ik: PointIk,
    /// Site of each point, and the foot that it belongs to.
    points: Vec<(usize, usize)>,
    foot_count: usize,
    radii: Vec<f64>,
    limits: LockLimits,
    decay: Decay,
    secs: f64,
}

/// When feet are locked and let go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockLimits {
    /// A site that moves faster is not locked, m/s.
    pub speed: f64,
    /// A site is let go when the motion carries it this far, m.
    pub release_m: f64,
}

impl LockLimits {
    /// Of a speed over √(g · height), the speed scale of walking, and a distance over the height.
    pub fn of(figure: &Figure, speed: f64, release_distance: f64) -> LockLimits {
        let height_m = figure.height_m();
        LockLimits { speed: speed * (GRAVITY * height_m).sqrt(), release_m: release_distance * height_m }
    }
}

/// What became of the feet in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Standing {
    /// A bit for each site that is locked.
    pub contacts: u32,
    /// Mean offset of the locked sites along the ground, m.
    pub offset: [f64; 2],
}

impl FootLock {
    pub fn new(
        figure: &Figure,
        feet: &[Vec<usize>],
        limits: LockLimits,
        decay: Decay,
        secs: f64,
    ) -> Result<FootLock, GeneratorError> {
        let mut points = Vec::new();
        for (foot, sites) in feet.iter().enumerate() {
            points.extend(sites.iter().map(|&site| (site, foot)));
        }
        let site = |&(site, _): &(usize, usize)| &figure.sites()[site];
        let body_points: Vec<BodyPoint> = points
            .iter()
            .map(site)
            .map(|site| BodyPoint { body: site.body.clone(), position: DVec3::from_array(site.center) })
            .collect();
        let radii = points.iter().map(site).map(|site| site.radius).collect();
        let weights = PointWeights { iterations: 3, tolerance: 1e-4, ..PointWeights::default() };
        let ik = PointIk::new(figure.character(), &body_points, &weights)?;
        Ok(FootLock { ik, points, foot_count: feet.len(), radii, limits, decay, secs })
    }

    /// Locks of a character that stands nowhere yet.
    pub fn start(&self) -> Vec<SiteLock> {
        vec![SiteLock::default(); self.points.len()]
    }

    /// Moves the feet of a pose to where they stand, and the locks on by a frame. `contacts` are those of the motion.
    pub fn apply(&self, qpos: &mut [f64], contacts: u32, locks: &mut [SiteLock]) -> Standing {
        if self.points.is_empty() {
            return Standing::default();
        }
        let mut solver: PointSolver<'_> = self.ik.solver();
        let mut places = Vec::new();
        solver.places(qpos, &mut places);
        let is_far = self.advance(&places, contacts, locks);
        if is_far {
            let goals: Vec<DVec3> =
                places.iter().zip(&*locks).map(|(place, lock)| *place + DVec3::from_array(lock.offset)).collect();
            solver.solve(qpos, &goals);
        }
        self.standing(locks)
    }

    fn standing(&self, locks: &[SiteLock]) -> Standing {
        let held = || self.points.iter().zip(locks).filter(|(_, lock)| lock.place.is_some());
        let share = 1.0 / held().count().max(1) as f64;
        Standing {
            contacts: held().fold(0, |bits, ((site, _), _)| bits | 1 << site),
            offset: [0, 1].map(|k| held().map(|(_, lock)| share * lock.offset[k]).sum()),
        }
    }

    /// Sites of feet, a bit for each.
    pub fn sites(&self) -> u32 {
        self.points.iter().fold(0, |bits, (site, _)| bits | 1 << site)
    }

    /// Moves the locks on by a frame. Returns whether any site is away from its animated place.
    fn advance(&self, places: &[DVec3], contacts: u32, locks: &mut [SiteLock]) -> bool {
        for (index, (&(site, _), place)) in self.points.iter().zip(places).enumerate() {
            locks[index].advance(place.to_array(), contacts >> site & 1 == 1, self);
        }
        // A foot that stands on one of its sites carries the others along.
        for foot in 0..self.foot_count {
            let own = || (0..locks.len()).filter(|&i| self.points[i].1 == foot);
            let held: Vec<usize> = own().filter(|&i| locks[i].place.is_some()).collect();
            if held.is_empty() || held.len() == own().count() {
                continue;
            }
            let share = 1.0 / held.len() as f64;
            let offset: [f64; 2] = [0, 1].map(|k| held.iter().map(|&i| share * locks[i].offset[k]).sum());
            for i in own().filter(|i| !held.contains(i)).collect::<Vec<_>>() {
                locks[i].carry(offset, self.secs);
            }
        }
        for ((lock, radius), place) in locks.iter_mut().zip(&self.radii).zip(places) {
            // Nothing sinks into the ground.
            lock.offset[2] = lock.offset[2].max(radius - place.z);
        }
        locks.iter().any(|lock| lock.offset.iter().any(|x| x.abs() > SHORTEST))
    }
}

impl SiteLock {
    /// Forgets where the foot stands: the next frame in contact decides.
    pub(crate) fn forget(&mut self) {
        *self = SiteLock::default();
    }

    fn advance(&mut self, animated: [f64; 3], touches: bool, foot: &FootLock) {
        self.is_let_go &= touches;
        let before = self.offset;
        let way = self.before.map_or(f64::INFINITY, |was| level_distance(was, animated));
        let is_at_rest = way <= foot.limits.speed * foot.secs;
        self.before = Some(animated);
        if touches && is_at_rest && self.place.is_none() && !self.is_let_go {
            // It lands where the motion shows it, with what is left of an earlier offset.
            self.decay(foot);
            self.place = Some([animated[0] + self.offset[0], animated[1] + self.offset[1], animated[2]]);
        }
        if let Some(place) = self.place {
            let offset = [place[0] - animated[0], place[1] - animated[1]];
            if touches && level_distance(place, animated) <= foot.limits.release_m {
                self.offset = [offset[0], offset[1], 0.0];
                self.velocity = [0, 1, 2].map(|k| (self.offset[k] - before[k]) / foot.secs);
                return;
            }
            self.is_let_go = touches;
            self.place = None;
        }
        self.decay(foot);
    }

    fn carry(&mut self, offset: [f64; 2], secs: f64) {
        for ((to, x), v) in offset.iter().zip(&mut self.offset).zip(&mut self.velocity) {
            *v = (to - *x) / secs;
            *x = *to;
        }
    }

    fn decay(&mut self, foot: &FootLock) {
        for (x, v) in self.offset.iter_mut().zip(&mut self.velocity) {
            foot.decay.apply(x, v);
        }
    }
}

/// Sites of each foot: those whose names differ in `heel` and `toe` alone.
pub(crate) fn feet(figure: &Figure) -> Vec<Vec<usize>> {
    let mut feet: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, site) in figure.sites().iter().enumerate().filter(|(_, site)| site.is_foot) {
        let name = site.name.trim_end_matches(" heel").trim_end_matches(" toe");
        match feet.iter_mut().find(|(known, _)| known == name) {
            Some((_, sites)) => sites.push(index),
            None => feet.push((name.to_owned(), vec![index])),
        }
    }
    feet.into_iter().map(|(_, sites)| sites).collect()
}

fn level_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    (x * x + y * y).sqrt()
}
