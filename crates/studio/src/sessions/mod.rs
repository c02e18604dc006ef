//! Simulations in real time, each on a thread of its own; all tabs see the same.

mod acts;
pub mod balls;
pub mod build;
pub mod controller;
mod live;
mod played;
pub mod simulation;
mod tempo;
mod thread;

pub use live::Recording;

use crate::error::Refusal;
use crate::fronts::FrontSource;
use crate::hub::Hub;
use crate::project::{SharedProject, locked};
use crate::protocol::{SceneDescription, ServerMessage, SessionAction, SessionEntry, SessionStart};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use tokio::sync::{broadcast, oneshot};

/// Frames a second.
pub const RATE_HZ: f64 = 60.0;
/// Most simulations at once.
const MOST: usize = 8;
/// Frames that a slow tab may be behind before it loses some.
const BACKLOG: usize = 8;

/// All simulations.
pub struct Sessions {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub project: SharedProject,
    pub hub: Arc<Hub>,
    pub fronts: Arc<dyn FrontSource>,
    open: Mutex<BTreeMap<u32, Handle>>,
    next: AtomicU32,
}

struct Handle {
    entry: SessionEntry,
    scene: Arc<SceneDescription>,
    frames: broadcast::Sender<Bytes>,
    orders: mpsc::SyncSender<Order>,
}

/// What a thread is told.
pub(crate) enum Order {
    Act(SessionAction, oneshot::Sender<Result<SessionEntry, Refusal>>),
    Record(oneshot::Sender<Result<Recording, Refusal>>),
    End(String),
}

impl Sessions {
    /// None yet.
    pub fn new(project: &SharedProject, hub: &Arc<Hub>, fronts: &Arc<dyn FrontSource>) -> Sessions {
        let shared = Shared {
            project: project.clone(),
            hub: hub.clone(),
            fronts: fronts.clone(),
            open: Mutex::default(),
            next: AtomicU32::new(1),
        };
        Sessions { shared: Arc::new(shared) }
    }

    /// Those that run.
    pub fn list(&self) -> Vec<SessionEntry> {
        self.shared.entries()
    }

    /// Starts one. Takes time: reads files and may simulate a motion.
    ///
    /// # Errors
    /// Where what it names is missing or damaged, or too many run.
    pub fn start(&self, start: &SessionStart) -> Result<SessionEntry, Refusal> {
        self.check_room()?;
        let mut built = build::build(&self.shared.project, &*self.shared.fronts, start)?;
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        built.scene.stream = id;
        let entry = SessionEntry {
            id,
            title: built.title.clone(),
            start: start.clone(),
            controller: built.controller,
            steers: built.steers,
            paused: false,
            time_scale: 1.0,
            gravity: built.gravity,
            dial: match start {
                SessionStart::Front { dial, .. } => Some(*dial),
                _ => None,
            },
        };
        let (frames, _) = broadcast::channel(BACKLOG);
        let (orders, received) = mpsc::sync_channel(64);
        let handle = Handle { entry: entry.clone(), scene: Arc::new(built.scene), frames: frames.clone(), orders };
        {
            // Several may have started at the same moment.
            let mut open = locked(&self.shared.open);
            if open.len() >= MOST {
                return Err(too_many());
            }
            open.insert(id, handle);
        }
        let shared = self.shared.clone();
        let first = entry.clone();
        let run = move || thread::run(&shared, first, built.live, &frames, &received);
        if let Err(error) = std::thread::Builder::new().name(format!("session {id}")).spawn(run) {
            locked(&self.shared.open).remove(&id);
            return Err(Refusal::fault(format!("the system starts no thread ({error}); end other simulations")));
        }
        self.shared.publish();
        Ok(entry)
    }

    fn check_room(&self) -> Result<(), Refusal> {
        match locked(&self.shared.open).len() < MOST {
            true => Ok(()),
            false => Err(too_many()),
        }
    }

    /// What a stream's frames mean, and the frames from now on.
    ///
    /// # Errors
    /// Where it has ended.
    pub fn watch(&self, id: u32) -> Result<(Arc<SceneDescription>, broadcast::Receiver<Bytes>), Refusal> {
        let open = locked(&self.shared.open);
        let handle = open.get(&id).ok_or_else(|| gone(id))?;
        Ok((handle.scene.clone(), handle.frames.subscribe()))
    }

    /// Does something to a simulation; the answer comes when it has been done.
    ///
    /// # Errors
    /// Where it has ended or is busy.
    pub fn act(
        &self,
        id: u32,
        action: SessionAction,
    ) -> Result<oneshot::Receiver<Result<SessionEntry, Refusal>>, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.order(id, Order::Act(action, answer))?;
        Ok(answered)
    }

    /// What was played in a simulation; the answer comes at the next frame.
    ///
    /// # Errors
    /// Where it has ended or is busy.
    pub fn recording(&self, id: u32) -> Result<oneshot::Receiver<Result<Recording, Refusal>>, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.order(id, Order::Record(answer))?;
        Ok(answered)
    }

    /// Ends a simulation.
    ///
    /// # Errors
    /// Where it has ended.
    pub fn end(&self, id: u32, reason: &str) -> Result<(), Refusal> {
        self.order(id, Order::End(reason.into()))
    }

    /// Ends all.
    pub fn end_all(&self) {
        let ids: Vec<u32> = locked(&self.shared.open).keys().copied().collect();
        // Those that have ended meanwhile need not be told.
        ids.into_iter().for_each(|id| drop(self.end(id, "The server ends.")));
    }

    fn order(&self, id: u32, order: Order) -> Result<(), Refusal> {
        let orders = locked(&self.shared.open).get(&id).map(|handle| handle.orders.clone()).ok_or_else(|| gone(id))?;
        orders.try_send(order).map_err(|_| Refusal::conflict(format!("simulation {id} is busy; try again")))
    }
}

impl Shared {
    fn entries(&self) -> Vec<SessionEntry> {
        entries(&locked(&self.open))
    }

    fn publish(&self) {
        self.hub.publish(|state| {
            let open = locked(&self.open);
            state.sessions = Some(entries(&open));
            open
        });
    }

    /// Tells everybody what a simulation is like now.
    pub fn changed(&self, entry: &SessionEntry) {
        if let Some(handle) = locked(&self.open).get_mut(&entry.id) {
            handle.entry = entry.clone();
        }
        self.publish();
    }

    /// Takes a simulation off the list.
    pub fn ended(&self, id: u32, reason: &str) {
        locked(&self.open).remove(&id);
        self.hub.tell(&ServerMessage::Ended { stream: id, reason: reason.into() });
        self.publish();
    }
}

fn entries(open: &BTreeMap<u32, Handle>) -> Vec<SessionEntry> {
    open.values().map(|handle| handle.entry.clone()).collect()
}

fn gone(id: u32) -> Refusal {
    Refusal::missing(format!("simulation {id} has ended; start it again"))
}

fn too_many() -> Refusal {
    Refusal::conflict(format!("{MOST} simulations run already; end one first"))
}
