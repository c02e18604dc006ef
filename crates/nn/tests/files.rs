//! Networks in and out of files.

mod common;

use common::{numbers, values};
use sinew_nn::safetensors::TensorFile;
use sinew_nn::{Activation, LstmShape, LstmStack, Mlp, MlpShape, NetworkError, Normaliser, RunningStatistics};

fn mlp(hidden: usize, seed: u64) -> Mlp<f32> {
    Mlp::new("policy", &MlpShape::new(6, &[hidden], 3, Activation::Tanh), seed)
}

fn normaliser() -> Normaliser<f32> {
    let mut statistics = RunningStatistics::new(6);
    statistics.add(&numbers::<f32>(60, 3));
    Normaliser::new(&statistics, 4.0)
}

#[test]
fn a_network_comes_back_with_its_bits_and_its_normaliser() -> Result<(), NetworkError> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("policy.safetensors");
    let (mut wrote, mut read) = (mlp(8, 1), mlp(8, 2));
    wrote.set_normaliser(normaliser());
    let mut lstm = LstmStack::<f32>::new("generator", &LstmShape { inputs: 6, hidden: vec![5, 4] }, 1);
    lstm.set_normaliser(normaliser());
    let mut file = TensorFile::default();
    file.metadata.insert("purpose".into(), "a test, \"quoted\" – ü".into());
    wrote.save(&mut file);
    lstm.save(&mut file);
    file.write(&path)?;
    let found = TensorFile::read(&path)?;
    assert_eq!(found, file);
    read.load(&found)?;
    let input: Vec<f32> = numbers(12, 9);
    assert_eq!(read.forward(&input), wrote.forward(&input));
    let mut other = LstmStack::<f32>::new("generator", &LstmShape { inputs: 6, hidden: vec![5, 4] }, 2);
    other.load(&found)?;
    assert_eq!(values(&other), values(&lstm));
    assert_eq!(other.normaliser(), lstm.normaliser());
    Ok(())
}

/// The header as the format's description has it.
#[test]
fn bytes_are_those_of_the_format() {
    let mut file = TensorFile::default();
    file.insert("a", &[1, 2], &[1.0, -2.0]);
    let header = br#"{"a":{"data_offsets":[0,8],"dtype":"F32","shape":[1,2]}}"#;
    let mut expected = (header.len() as u64).to_le_bytes().to_vec();
    assert_eq!(header.len() % 8, 0, "no spaces to fill up with");
    expected.extend(header);
    expected.extend([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
    assert_eq!(file.to_bytes(), expected);
}

#[test]
fn a_file_of_another_network_is_refused_and_changes_nothing() {
    let mut file = TensorFile::default();
    mlp(8, 1).save(&mut file);
    let mut network = mlp(9, 2);
    let before = values(&network);
    let error = network.load(&file).expect_err("another shape").to_string();
    assert!(error.contains("policy.0.weight") && error.contains("[6, 8]") && error.contains("[6, 9]"), "{error}");
    file.tensors.remove("policy.1.bias");
    let error = mlp(8, 2).load(&file).expect_err("a missing tensor").to_string();
    assert!(error.contains("no tensor \"policy.1.bias\""), "{error}");
    assert_eq!(values(&network), before);
    file.tensors.get_mut("policy.0.bias").expect("was saved").values[3] = f32::NAN;
    let error = mlp(8, 2).load(&file).expect_err("not finite").to_string();
    assert!(error.contains("policy.0.bias") && error.contains("not finite"), "{error}");
}

#[test]
fn damaged_files_are_refused_with_a_sentence() {
    let mut file = TensorFile::default();
    file.insert("a", &[2], &[1.0, 2.0]);
    let good = file.to_bytes();
    for cut in 0..good.len() {
        assert!(TensorFile::from_bytes(&good[..cut]).is_err(), "cut at {cut}");
    }
    let with = |header: &str| {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend([0; 8]);
        TensorFile::from_bytes(&bytes).map_err(|error| error.to_string())
    };
    for (header, expected) in [
        (r#"{"a":{"dtype":"F16","shape":[4],"data_offsets":[0,8]}}"#, "F16"),
        (r#"{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}"#, "not its shape [3]"),
        (r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}"#, "ends after the file"),
        (r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}"#, "ends after the file"),
        (r#"{"a":{"dtype":"F32","shape":[9223372036854775807,9],"data_offsets":[0,8]}}"#, "not its shape"),
        (r#"{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}"#, "no shape"),
        (r#"{"a":7}"#, "null"),
        (r#"{"__metadata__":{"a":1}}"#, "metadata"),
        ("[]", "header"),
    ] {
        let error = with(header).expect_err(header);
        assert!(error.contains(expected), "{header}: {error}");
    }
}
