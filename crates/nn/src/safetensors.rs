//! Tensors in and out of files in the safetensors format: 8 bytes with the length of a JSON header, the header, then the numbers.
//!
//! The format is described at <https://github.com/huggingface/safetensors>. Only f32 tensors are written and read; their order, names, shapes and the
//! metadata are kept, so that the same network gives the same bytes.

use crate::error::NetworkError;
use crate::lstm_stack::LstmStack;
use crate::mlp::Mlp;
use crate::normaliser::Normaliser;
use crate::parameter::Parameters;
use serde_json::{Map, Value, json};
use sinew_files::atomic_write::atomic_write;
use std::collections::BTreeMap;
use std::path::Path;

/// The largest file that is read, bytes.
const LARGEST_FILE: u64 = 4 << 30;
/// The largest header, bytes: as in the format's own library.
const LARGEST_HEADER: usize = 100_000_000;

/// A tensor of f32, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// Its sizes, the slowest first.
    pub shape: Vec<usize>,
    /// Its numbers.
    pub values: Vec<f32>,
}

/// What a file holds: tensors and words about them, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorFile {
    /// Tensors by name.
    pub tensors: BTreeMap<String, Tensor>,
    /// Words about them.
    pub metadata: BTreeMap<String, String>,
}

impl TensorFile {
    /// Adds a tensor.
    ///
    /// # Panics
    /// If there are not as many values as the shape has.
    pub fn insert(&mut self, name: impl Into<String>, shape: &[usize], values: &[f32]) {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "values of a tensor");
        self.tensors.insert(name.into(), Tensor { shape: shape.to_vec(), values: values.to_vec() });
    }

    /// Returns a tensor of a certain shape.
    pub fn get(&self, name: &str, shape: &[usize]) -> Result<&[f32], NetworkError> {
        let tensor = self.tensors.get(name).ok_or_else(|| NetworkError::Missing(name.into()))?;
        if tensor.shape != shape {
            let (found, expected) = (tensor.shape.clone(), shape.to_vec());
            return Err(NetworkError::Shape { name: name.into(), found, expected });
        }
        if tensor.values.iter().any(|x| !x.is_finite()) {
            return Err(NetworkError::NotFinite(name.into()));
        }
        Ok(&tensor.values)
    }

    /// Adds all parameters of a model.
    pub fn insert_parameters(&mut self, model: &dyn Parameters<f32>) {
        model.each(&mut |parameter| self.insert(parameter.name(), parameter.shape(), parameter.values()));
    }

    /// Sets all parameters of a model; on an error the model is as before.
    pub fn load_parameters(&self, model: &mut dyn Parameters<f32>) -> Result<(), NetworkError> {
        let mut outcome = Ok(());
        model.each(&mut |parameter| {
            if outcome.is_ok() {
                outcome = self.get(parameter.name(), parameter.shape()).map(drop);
            }
        });
        outcome?;
        model.each_mut(&mut |parameter| {
            let tensor = &self.tensors[parameter.name()];
            parameter.values_mut().copy_from_slice(&tensor.values);
        });
        Ok(())
    }

    /// Adds a normaliser as `name.mean`, `name.scale` and `name.bound`.
    pub fn insert_normaliser(&mut self, name: &str, normaliser: &Normaliser<f32>) {
        let columns = [normaliser.columns()];
        self.insert(format!("{name}.mean"), &columns, &normaliser.mean);
        self.insert(format!("{name}.scale"), &columns, &normaliser.scale);
        self.insert(format!("{name}.bound"), &[1], &[normaliser.bound]);
    }

    /// Returns a normaliser of so many columns; none if the file has none of that name.
    pub fn normaliser(&self, name: &str, columns: usize) -> Result<Option<Normaliser<f32>>, NetworkError> {
        let mean = format!("{name}.mean");
        if !self.tensors.contains_key(&mean) {
            return Ok(None);
        }
        let mean = self.get(&mean, &[columns])?.to_vec();
        let scale = self.get(&format!("{name}.scale"), &[columns])?.to_vec();
        let bound = self.get(&format!("{name}.bound"), &[1])?[0];
        Ok(Some(Normaliser { mean, scale, bound }))
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut header = Map::new();
        if !self.metadata.is_empty() {
            header.insert("__metadata__".into(), json!(self.metadata));
        }
        let mut offset = 0;
        for (name, tensor) in &self.tensors {
            let end = offset + 4 * tensor.values.len();
            let entry = json!({ "dtype": "F32", "shape": tensor.shape, "data_offsets": [offset, end] });
            header.insert(name.clone(), entry);
            offset = end;
        }
        let mut header = Value::Object(header).to_string().into_bytes();
        // Numbers begin at a multiple of 8 bytes.
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        for tensor in self.tensors.values() {
            bytes.extend(tensor.values.iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<TensorFile, NetworkError> {
        let wrong = |why: &str| NetworkError::Format(why.into());
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| wrong("it is shorter than 8 bytes"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > LARGEST_HEADER || length > rest.len() {
            return Err(wrong("its header is longer than the file"));
        }
        let (header, numbers) = rest.split_at(length);
        let header: Map<String, Value> =
            serde_json::from_slice(header).map_err(|error| NetworkError::Format(format!("its header: {error}")))?;
        let mut file = TensorFile::default();
        for (name, entry) in header {
            if name == "__metadata__" {
                let words = serde_json::from_value(entry);
                file.metadata = words.map_err(|_| wrong("its metadata are not words by name"))?;
                continue;
            }
            let tensor =
                tensor(&entry, numbers).map_err(|why| NetworkError::Format(format!("tensor \"{name}\" {why}")))?;
            file.tensors.insert(name, tensor);
        }
        Ok(file)
    }

    /// Writes a file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), NetworkError> {
        let write = |source| NetworkError::Write { path: path.into(), source };
        atomic_write(path, &self.to_bytes()).map_err(write)
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<TensorFile, NetworkError> {
        TensorFile::from_bytes(&sinew_files::read(path, LARGEST_FILE)?)
    }
}

/// One entry of the header with its numbers.
fn tensor(entry: &Value, numbers: &[u8]) -> Result<Tensor, String> {
    if entry["dtype"] != "F32" {
        return Err(format!("has numbers of type {}, and only \"F32\" is read", entry["dtype"]));
    }
    let list = |name: &str| -> Result<Vec<usize>, String> {
        serde_json::from_value(entry[name].clone()).map_err(|_| format!("has no {name}"))
    };
    let (shape, offsets) = (list("shape")?, list("data_offsets")?);
    let count = shape.iter().try_fold(4usize, |all, size| all.checked_mul(*size));
    let [from, to] = offsets[..] else { return Err("has no two data_offsets".into()) };
    let bytes = numbers.get(from..to).ok_or("ends after the file does")?;
    if count != Some(bytes.len()) {
        return Err(format!("has {} bytes, which is not its shape {shape:?}", bytes.len()));
    }
    let values = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    Ok(Tensor { shape, values })
}

impl Mlp<f32> {
    /// Adds the network to a file: its parameters, and its normaliser as `name.input`.
    pub fn save(&self, file: &mut TensorFile) {
        file.insert_parameters(self);
        if let Some(normaliser) = self.normaliser() {
            file.insert_normaliser(&format!("{}.input", self.name()), normaliser);
        }
    }

    /// Takes parameters and normaliser from a file; on an error the network is as before.
    pub fn load(&mut self, file: &TensorFile) -> Result<(), NetworkError> {
        let normaliser = file.normaliser(&format!("{}.input", self.name()), self.inputs())?;
        file.load_parameters(self)?;
        if let Some(normaliser) = normaliser {
            self.set_normaliser(normaliser);
        }
        Ok(())
    }
}

impl LstmStack<f32> {
    /// Adds the network to a file: its parameters, and its normaliser as `name.input`.
    pub fn save(&self, file: &mut TensorFile) {
        file.insert_parameters(self);
        if let Some(normaliser) = self.normaliser() {
            file.insert_normaliser(&format!("{}.input", self.name()), normaliser);
        }
    }

    /// Takes parameters and normaliser from a file; on an error the network is as before.
    pub fn load(&mut self, file: &TensorFile) -> Result<(), NetworkError> {
        let normaliser = file.normaliser(&format!("{}.input", self.name()), self.inputs())?;
        file.load_parameters(self)?;
        if let Some(normaliser) = normaliser {
            self.set_normaliser(normaliser);
        }
        Ok(())
    }
}
