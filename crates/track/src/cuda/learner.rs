//! Both networks on a GPU, for worlds that act and for minibatches that are learnt from.

use crate::collect::Mind;
use crate::config::TrackerConfig;
use crate::error::TrackError;
use crate::networks::Networks;
use crate::update::{Transitions, Updated, orders};
use sinew_nn::cuda::{CudaError, Device, Graph, Grid, Matrix, Mlp, Program, RowSum, Slice, Weights};
use sinew_nn::{Adam, Mlp as HostMlp};
use std::sync::Arc;

/// Kernels of `minibatch.cu`.
const KERNELS: [&str; 2] = ["policy_gradient", "value_gradient"];

/// Both networks on a GPU.
pub(crate) struct Learner {
    device: Arc<Device>,
    policy: Weights,
    value: Weights,
    /// For all worlds at once.
    acting: Mlp,
    judging: Mlp,
    /// What the worlds observe.
    seen: Matrix,
    minibatch: Minibatch,
    /// Updates that the networks here have had.
    updates: u64,
}

/// What a minibatch is learnt with, and its graph: gradients of both networks, and their steps.
struct Minibatch {
    rows: usize,
    policy: Mlp,
    value: Mlp,
    observations: Matrix,
    actions: Slice,
    means: Slice,
    advantages: Slice,
    targets: Slice,
    old_log: Slice,
    order: Slice<u32>,
    chosen: Slice<u32>,
    by_log: Matrix,
    sum: RowSum,
    moved: Slice<f64>,
    losses: Slice<f64>,
    program: Program,
    graph: Option<Graph>,
}

impl Learner {
    /// Copies both networks with Adam's memory of them to a GPU.
    pub fn new(
        device: &Arc<Device>,
        networks: &Networks,
        adam: [&Adam<f32>; 2],
        config: &TrackerConfig,
        updates: u64,
    ) -> Result<Learner, CudaError> {
        let policy = Weights::new(device, &networks.policy, adam[0])?;
        let value = Weights::new(device, &networks.value, adam[1])?;
        let minibatch = Minibatch::new(device, networks, [&policy, &value], config)?;
        let (worlds, width) = (config.worlds, networks.value.inputs());
        let mut learner = Learner {
            device: device.clone(),
            acting: Mlp::new(device, &policy, &networks.policy.mean, worlds)?,
            judging: Mlp::new(device, &value, &networks.value, worlds)?,
            seen: Matrix::new(&device.zeros(worlds * width)?, worlds, width, width),
            policy,
            value,
            minibatch,
            updates,
        };
        learner.minibatch.graph = Some(learner.record()?);
        Ok(learner)
    }

    /// Makes sure that the networks here are those of the host, after so many updates, with their present deviations and normaliser.
    pub fn follow(&mut self, networks: &Networks, adam: [&Adam<f32>; 2], updates: u64) -> Result<(), CudaError> {
        if self.updates != updates {
            self.policy.write(&networks.policy, adam[0])?;
            self.value.write(&networks.value, adam[1])?;
            self.updates = updates;
        }
        let log = &networks.policy.log_deviation;
        let tensor = self.policy.tensor(log.name())?;
        self.device.write_rows(&tensor.values, log.values())?;
        for (mlp, host) in [
            (&self.acting, &networks.policy.mean),
            (&self.judging, &networks.value),
            (&self.minibatch.policy, &networks.policy.mean),
            (&self.minibatch.value, &networks.value),
        ] {
            if let Some(normaliser) = host.normaliser() {
                mlp.set_normaliser(normaliser)?;
            }
        }
        Ok(())
    }

    /// What [`update`](crate::update::update) does, on the GPU, with the rates of the policy and of the value. Of the networks, only the deviations are
    /// copied back.
    pub fn update(
        &mut self,
        networks: &mut Networks,
        transitions: &Transitions,
        config: &TrackerConfig,
        [policy_rate, value_rate]: [f64; 2],
        key: (u64, u64),
    ) -> Result<Updated, TrackError> {
        // Whoever stops in the middle leaves networks that belong to no update.
        self.updates = u64::MAX;
        let Learner { device, policy, value, minibatch, .. } = self;
        let refused = || Ok::<_, CudaError>([policy.report()?.1, value.report()?.1]);
        let before = refused()?;
        policy.set_rate(policy_rate)?;
        value.set_rate(value_rate)?;
        minibatch.take(device, transitions, networks.policy.log_deviation.values())?;
        let (lane, rows) = (device.lane(0), minibatch.rows);
        let graph = minibatch.graph.as_ref().expect("it was recorded");
        let mut learnt = 0;
        for order in orders(transitions.targets.len(), config.epochs, key) {
            sinew_work::check_cancelled()?;
            device.write(&minibatch.order, &order)?;
            for at in (0..order.len() / rows).map(|number| number * rows) {
                lane.copy(&minibatch.order.part(at, rows), &minibatch.chosen)?;
                graph.launch()?;
                learnt += rows;
            }
        }
        let sum = |figures: Vec<f64>| figures.iter().sum::<f64>() / learnt.max(1) as f64;
        let divergence = sum(device.read(&minibatch.moved)?);
        let value_loss = sum(device.read(&minibatch.losses)?);
        let is_finite = refused()? == before;
        let log = &mut networks.policy.log_deviation;
        let learnt_log = device.read_rows(&policy.tensor(log.name())?.values)?;
        log.values_mut().copy_from_slice(&learnt_log);
        self.updates = key.1 + 1;
        Ok(Updated { divergence, value_loss, is_finite })
    }

    /// Copies the networks and Adam's memory of them back.
    pub fn copy_back(&self, networks: &mut Networks, [policy, value]: [&mut Adam<f32>; 2]) -> Result<(), CudaError> {
        self.policy.read(&mut networks.policy, policy)?;
        self.value.read(&mut networks.value, value)
    }

    fn record(&self) -> Result<Graph, CudaError> {
        let Minibatch { rows, policy, value, observations, chosen, program, .. } = &self.minibatch;
        let batch = &self.minibatch;
        let [lane, beside, of_value, beside_value] = [0, 1, 2, 3].map(|index| self.device.lane(index));
        let log = self.policy.tensor("policy.log_deviation")?;
        self.device.record(|| {
            of_value.after(lane)?;
            policy.take(lane, observations, Some(chosen))?;
            policy.forward(lane)?;
            let arguments = [
                chosen.into(),
                policy.output().slice().into(),
                log.values.slice().into(),
                (&batch.old_log).into(),
                (&batch.means).into(),
                (&batch.actions).into(),
                (&batch.advantages).into(),
                policy.gradient().slice().into(),
                batch.by_log.slice().into(),
                (&batch.moved).into(),
            ];
            lane.launch(program, "policy_gradient", Grid::of(*rows), &arguments)?;
            batch.sum.write(lane, &batch.by_log, &log.gradient)?;
            policy.backward(lane, beside)?;
            self.policy.step(lane)?;

            value.take(of_value, observations, Some(chosen))?;
            value.forward(of_value)?;
            let arguments = [
                chosen.into(),
                value.output().slice().into(),
                (&batch.targets).into(),
                value.gradient().slice().into(),
                (&batch.losses).into(),
            ];
            of_value.launch(program, "value_gradient", Grid::of(*rows), &arguments)?;
            value.backward(of_value, beside_value)?;
            self.value.step(of_value)?;
            lane.after(of_value)
        })
    }

    /// Outputs for rows of observations, as many at a time as there are worlds.
    fn infer(&self, network: &Mlp, observations: &[f32]) -> Result<Vec<f32>, CudaError> {
        let (lane, width) = (self.device.lane(0), self.seen.columns);
        let mut outputs = Vec::new();
        for rows in observations.chunks(self.seen.rows * width) {
            let count = rows.len() / width;
            self.device.write_rows(&self.seen.part(0, count), rows)?;
            network.take(lane, &self.seen, None)?;
            network.forward(lane)?;
            outputs.extend(self.device.read_rows(&network.output().part(0, count))?);
        }
        Ok(outputs)
    }
}

impl Mind for Learner {
    fn means(&mut self, observations: &[f32]) -> Result<Vec<f32>, TrackError> {
        Ok(self.infer(&self.acting, observations)?)
    }
    fn values(&mut self, observations: &[f32]) -> Result<Vec<f32>, TrackError> {
        Ok(self.infer(&self.judging, observations)?)
    }
}

impl Minibatch {
    fn new(
        device: &Arc<Device>,
        networks: &Networks,
        [policy_weights, value_weights]: [&Weights; 2],
        config: &TrackerConfig,
    ) -> Result<Minibatch, CudaError> {
        let count = config.worlds * config.horizon;
        let rows = config.minibatch.min(count);
        let (width, actions) = (networks.value.inputs(), networks.policy.log_deviation.values().len());
        let mlp = |weights: &Weights, host: &HostMlp<f32>| Mlp::new(device, weights, host, rows);
        let (policy, value) = (mlp(policy_weights, &networks.policy.mean)?, mlp(value_weights, &networks.value)?);
        let stride = policy.output().stride;
        let by_log = Matrix::new(&device.zeros(rows * stride)?, rows, actions, stride);
        let source = [
            ("ACTIONS", actions.to_string()),
            ("ROWS", rows.to_string()),
            ("MEAN_STRIDE", stride.to_string()),
            ("VALUE_STRIDE", value.output().stride.to_string()),
            ("CLIP", format!("{:?}f", config.clip as f32)),
            ("LEARNS_DEVIATION", u8::from(config.learns_deviation).to_string()),
        ];
        let source: String = source.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
        // SAFETY: the kernels stay within as many rows and actions as stand above their source; rows are chosen among the transitions.
        #[allow(unsafe_code)]
        let program = unsafe { device.compile(&(source + include_str!("minibatch.cu")), &KERNELS) }?;
        Ok(Minibatch {
            rows,
            observations: Matrix::new(&device.zeros(count * width)?, count, width, width),
            actions: device.zeros(count * actions)?,
            means: device.zeros(count * actions)?,
            advantages: device.zeros(count)?,
            targets: device.zeros(count)?,
            old_log: device.zeros(actions)?,
            order: device.zeros(count)?,
            chosen: device.zeros(rows)?,
            sum: RowSum::new(device, &by_log)?,
            by_log,
            moved: device.zeros(rows)?,
            losses: device.zeros(rows)?,
            policy,
            value,
            program,
            graph: None,
        })
    }

    /// Copies transitions to the GPU.
    fn take(&self, device: &Device, transitions: &Transitions, log_deviation: &[f32]) -> Result<(), CudaError> {
        device.write_rows(&self.observations, &transitions.observations)?;
        for (to, from) in [
            (&self.actions, &transitions.actions[..]),
            (&self.means, &transitions.means),
            (&self.advantages, &transitions.advantages),
            (&self.targets, &transitions.targets),
            (&self.old_log, log_deviation),
        ] {
            device.write(to, from)?;
        }
        device.lane(0).clear(&self.moved)?;
        device.lane(0).clear(&self.losses)
    }
}
