//! A trained policy, as it is kept and as it acts.

use crate::body::TrackedBody;
use crate::config::TrackerConfig;
use crate::error::TrackError;
use crate::networks::Policy;
use crate::observation::Observer;
use crate::reference::Reference;
use sinew_files::atomic_write::atomic_write;
use sinew_nn::onnx::mlp_to_onnx;
use sinew_nn::safetensors::TensorFile;
use sinew_sim::Character;
use std::path::Path;

/// Version of the layout of files.
const VERSION: &str = "2";

/// A policy that was trained: the mean of its actions, with the character and the constants that it was trained with.
#[derive(Clone, Debug)]
pub struct TrainedPolicy {
    /// The character that it drives.
    pub character: Character,
    /// Angle that the character looks along when its root is not turned, rad.
    pub forward_rad: f64,
    /// The constants that it was trained with: what it sees, how far its actions reach.
    pub config: TrackerConfig,
    /// Frames a second.
    pub rate_hz: f64,
    pub(crate) policy: Policy,
}

impl TrainedPolicy {
    pub(crate) fn new(
        body: &TrackedBody,
        reference: &Reference,
        config: &TrackerConfig,
        policy: Policy,
    ) -> TrainedPolicy {
        let (character, forward_rad) = (body.character.clone(), body.forward_rad);
        TrainedPolicy { character, forward_rad, config: config.clone(), rate_hz: reference.rate_hz, policy }
    }

    /// A policy that has learnt nothing: its actions are small, and the same in the same state.
    pub fn untrained(body: &TrackedBody, config: &TrackerConfig, rate_hz: f64, seed: u64) -> TrainedPolicy {
        let inputs = Observer::new(body, config).width(body);
        let policy = Policy::new(config, inputs, body.coordinate_count(), seed);
        let (character, forward_rad) = (body.character.clone(), body.forward_rad);
        TrainedPolicy { character, forward_rad, config: config.clone(), rate_hz, policy }
    }

    /// Frames ahead that it has to know: its farthest preview, and one more for the velocity there.
    pub fn frames_ahead(&self) -> usize {
        1 + self.config.preview.iter().copied().max().unwrap_or(1)
    }

    /// Refuses a policy that needs the controls of the motion that it was trained on.
    pub(crate) fn check_follows_any(&self) -> Result<(), TrackError> {
        match self.config.feeds_controls {
            true => Err(TrackError::OwnControls { character: self.character.name.clone() }),
            false => Ok(()),
        }
    }

    /// Numbers that are learnt.
    pub fn parameter_count(&self) -> usize {
        sinew_nn::Parameters::parameter_count(&self.policy)
    }

    /// Time of one decision of one character on the present thread, µs: the median of some hundred.
    pub fn micros_per_action(&self) -> f64 {
        let (observation, mut memory) = (vec![0.0; self.policy.mean.inputs()], self.policy.mean.inference());
        let mut times: Vec<f64> = (0..301)
            .map(|_| {
                let began = std::time::Instant::now();
                std::hint::black_box(self.policy.mean.infer(&observation, &mut memory));
                began.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }

    /// The network as an ONNX model: observation in, action out, with the normalisation inside.
    pub fn to_onnx(&self) -> Vec<u8> {
        mlp_to_onnx(&self.policy.mean)
    }

    /// The bytes of its file: tensors in the safetensors format, the character and the constants as text among its metadata.
    ///
    /// # Errors
    /// Where the constants cannot be written.
    pub fn to_bytes(&self, path: &Path) -> Result<Vec<u8>, TrackError> {
        let mut file = TensorFile::default();
        file.insert_parameters(&self.policy);
        if let Some(normaliser) = self.policy.mean.normaliser() {
            file.insert_normaliser("observation", normaliser);
        }
        let problem = |e: toml::ser::Error| TrackError::Policy { path: path.into(), problem: e.to_string() };
        let config = toml::to_string(&self.config).map_err(problem)?;
        let words = [
            ("sinew_tracker", VERSION.to_owned()),
            ("character", self.character.to_toml()),
            ("config", config),
            ("forward_rad", self.forward_rad.to_string()),
            ("rate_hz", self.rate_hz.to_string()),
        ];
        file.metadata.extend(words.map(|(name, text)| (name.to_owned(), text)));
        Ok(file.to_bytes())
    }

    /// Writes its file, whole or not at all.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), TrackError> {
        let bytes = self.to_bytes(path)?;
        let problem =
            |e: std::io::Error| TrackError::Policy { path: path.into(), problem: format!("cannot be written ({e})") };
        atomic_write(path, &bytes).map_err(problem)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it is no policy, damaged or of another version.
    pub fn read(path: &Path) -> Result<TrainedPolicy, TrackError> {
        TrainedPolicy::of_file(&TensorFile::read(path)?, path)
    }

    /// Reads the bytes of a file; errors name `path`.
    ///
    /// # Errors
    /// As [`TrainedPolicy::read`].
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<TrainedPolicy, TrackError> {
        TrainedPolicy::of_file(&TensorFile::from_bytes(bytes)?, path)
    }

    fn of_file(file: &TensorFile, path: &Path) -> Result<TrainedPolicy, TrackError> {
        let wrong = |problem: String| TrackError::Policy { path: path.into(), problem };
        let word = |name: &str| {
            let missing = || {
                wrong(format!(
                    "this is no tracking policy of sinew ({name} is missing); train one with `sinew learn tracker`"
                ))
            };
            file.metadata.get(name).ok_or_else(missing)
        };
        let version = word("sinew_tracker")?;
        if version != VERSION {
            return Err(wrong(format!(
                "the policy has version {version}, and this program reads {VERSION}; train it again"
            )));
        }
        let character = Character::from_toml(word("character")?).map_err(|e| wrong(e.to_string()))?;
        let config: TrackerConfig = toml::from_str(word("config")?).map_err(|e| wrong(e.to_string()))?;
        if let Some((field, value, range)) = config.fault() {
            return Err(TrackError::Config { field, value, range });
        }
        let number = |name: &str, range: std::ops::RangeInclusive<f64>| {
            let text = word(name)?;
            let value = text.parse().ok().filter(|value| range.contains(value));
            value.ok_or_else(|| {
                wrong(format!("{name} is {text}, but must lie between {} and {}", range.start(), range.end()))
            })
        };
        let (rate_hz, forward_rad) = (number("rate_hz", 1.0..=1000.0)?, number("forward_rad", -10.0..=10.0)?);
        let body = TrackedBody::new(&character, forward_rad, time_step(&config, rate_hz))?;
        let inputs = Observer::new(&body, &config).width(&body);
        let mut policy = Policy::new(&config, inputs, body.coordinate_count(), 0);
        file.load_parameters(&mut policy)?;
        if let Some(normaliser) = file.normaliser("observation", inputs)? {
            policy.mean.set_normaliser(normaliser);
        }
        Ok(TrainedPolicy { character, forward_rad, config, rate_hz, policy })
    }
}

/// Length of a step of the simulator, s.
pub fn time_step(config: &TrackerConfig, rate_hz: f64) -> f64 {
    1.0 / (rate_hz * config.steps_per_frame as f64)
}
