//! The networks on a GPU beside those on the CPU, to 1e-4. Where no GPU is there, each test says so and passes.

use sinew_nn::cuda::{CudaError, Device, Precision, SquaredError, Weights};
use sinew_nn::{
    Activation, Adam, AdamConfig, LstmShape, LstmStack, Mlp, MlpShape, Normaliser, Parameters, RunningStatistics, cuda,
    loss,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The GPU, for one test at a time: while one records a graph, no other may use it.
fn device() -> Option<(Arc<Device>, MutexGuard<'static, ()>)> {
    static ONE: Mutex<()> = Mutex::new(());
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    match Device::open(Precision::F32) {
        Ok(device) => Some((device, guard)),
        Err(error) => {
            println!("skipped, because there is no GPU: {error}");
            None
        }
    }
}

fn wave(count: usize, seed: f64) -> Vec<f32> {
    (0..count).map(|k| libm::sin(seed + 1.7 * k as f64) as f32).collect()
}

/// ‖a − b‖ ≤ 1e-4·‖b‖.
#[track_caller]
fn assert_near(what: &str, found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let off = norm(&mut found.iter().zip(expected).map(|(a, b)| f64::from(a - b)));
    let size = norm(&mut expected.iter().map(|b| f64::from(*b)));
    assert!(off <= 1e-4 * size + 1e-7, "{what}: off by {off:e} of {size:e}");
}

fn gradients(model: &dyn Parameters<f32>) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    model.each(&mut |parameter| all.push(parameter.gradient().to_vec()));
    all
}

fn values(model: &dyn Parameters<f32>) -> Vec<Vec<f32>> {
    let mut all = Vec::new();
    model.each(&mut |parameter| all.push(parameter.values().to_vec()));
    all
}

#[track_caller]
fn assert_all_near(what: &str, found: &[Vec<f32>], expected: &[Vec<f32>]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    found.iter().zip(expected).enumerate().for_each(|(k, (a, b))| assert_near(&format!("{what} {k}"), a, b));
}

fn bounded() -> AdamConfig {
    AdamConfig { largest_norm: Some(0.05), ..AdamConfig::default() }
}

#[test]
fn an_mlp_learns_as_on_the_cpu() {
    let Some((device, _guard)) = device() else { return };
    for (activation, [inputs, hidden, outputs, rows]) in Activation::ALL.into_iter().zip([
        [5, 7, 3, 9],
        [8, 64, 4, 130],
        [3, 130, 1, 1],
        [17, 33, 9, 200],
        [4, 4, 4, 64],
        [6, 20, 2, 65],
    ]) {
        let name = format!("{activation:?}");
        let shape = MlpShape::new(inputs, &[hidden, hidden + 1], outputs, activation);
        let mut mlp = Mlp::<f32>::new("mlp", &shape, 3);
        let mut statistics = RunningStatistics::new(inputs);
        statistics.add(&wave(inputs * 50, 0.2).iter().map(|x| 2.0 * x + 0.3).collect::<Vec<f32>>());
        mlp.set_normaliser(Normaliser::new(&statistics, 1.0));
        let mut adam = Adam::new(bounded());
        let (x, t) = (wave(rows * inputs, 0.4), wave(rows * outputs, 1.1));
        let mut gradient = vec![0.0; t.len()];

        let weights = Weights::new(&device, &mlp, &adam).unwrap();
        weights.set_rate(1e-3).unwrap();
        let on_gpu = cuda::Mlp::new(&device, &weights, &mlp, rows).unwrap();
        let squared = SquaredError::new(&device).unwrap();
        let (x_gpu, t_gpu) = (device.upload(&x).unwrap(), device.upload(&t).unwrap());
        let x_gpu = cuda::Matrix::new(&x_gpu, rows, inputs, inputs);
        let t_gpu = cuda::Matrix::new(&t_gpu, rows, outputs, outputs);
        let step = || -> Result<(), CudaError> {
            let [lane, beside] = [0, 1].map(|k| device.lane(k));
            on_gpu.take(lane, &x_gpu, None)?;
            on_gpu.forward(lane)?;
            squared.gradient(lane, on_gpu.output(), &t_gpu, on_gpu.gradient())?;
            on_gpu.backward(lane, beside)?;
            weights.step(lane)
        };
        // The first step as it comes, the rest as a graph.
        let mut graph = None;
        for number in 0..4 {
            let error = loss::mean_squared_error(mlp.forward(&x), &t, &mut gradient);
            let output = mlp.forward(&x).to_vec();
            mlp.backward(&gradient, false);
            let expected = gradients(&mlp);
            let report = adam.step(&mut mlp, 1e-3);
            match &graph {
                None => step().unwrap(),
                Some(graph) => cuda::Graph::launch(graph).unwrap(),
            }
            device.wait().unwrap();
            assert_near(&format!("{name}, output {number}"), &device.read_rows(on_gpu.output()).unwrap(), &output);
            assert_all_near(&format!("{name}, gradient {number}"), &weights.gradients().unwrap(), &expected);
            let (norm, refused) = weights.report().unwrap();
            assert!((norm / report.gradient_norm - 1.0).abs() < 1e-4 && refused == 0, "{norm}, {report:?}");
            assert!((squared.value(&device).unwrap() / error - 1.0).abs() < 1e-4);
            graph.get_or_insert_with(|| device.record::<CudaError>(step).unwrap());
        }
        let (mut back, mut adam_back) = (Mlp::<f32>::new("mlp", &shape, 9), Adam::new(bounded()));
        weights.read(&mut back, &mut adam_back).unwrap();
        assert_all_near(&format!("{name}, parameters"), &values(&back), &values(&mlp));
        assert_eq!(adam_back.steps(), adam.steps());
        // A training goes on from what came back, on the CPU as on the GPU.
        back.set_normaliser(Normaliser::new(&statistics, 1.0));
        for (mlp, adam) in [(&mut back, &mut adam_back), (&mut mlp, &mut adam)] {
            loss::mean_squared_error(mlp.forward(&x), &t, &mut gradient);
            mlp.backward(&gradient, false);
            adam.step(mlp, 1e-3);
        }
        assert_all_near(&format!("{name}, parameters after a step on the CPU"), &values(&back), &values(&mlp));
    }
}

#[test]
fn an_lstm_learns_as_on_the_cpu_at_once_and_step_by_step() {
    let Some((device, _guard)) = device() else { return };
    for (inputs, hidden, steps, rows) in [(5, vec![7, 5, 6], 9, 3), (8, vec![64; 4], 12, 32), (3, vec![16], 1, 1)] {
        let shape = LstmShape { inputs, hidden: hidden.clone() };
        let mut stack = LstmStack::<f32>::new("lstm", &shape, 2);
        let adam = Adam::new(bounded());
        let weights = Weights::new(&device, &stack, &adam).unwrap();
        let last = hidden[hidden.len() - 1];
        let (x, t) = (wave(steps * rows * inputs, 0.1), wave(steps * rows * last, 0.7));
        let mut state = stack.zero_state(rows);
        for (k, row) in state.outputs.iter_mut().chain(&mut state.cells).enumerate() {
            *row = wave(row.len(), k as f64).iter().map(|x| 0.5 * x).collect();
        }
        let mut after = state.clone();
        let mut gradient = vec![0.0; t.len()];
        let output = stack.forward(&x, &mut after).to_vec();
        loss::mean_squared_error(&output, &t, &mut gradient);
        let by_input = stack.backward(&gradient, true).to_vec();
        let expected = gradients(&stack);

        let mut on_gpu = cuda::LstmStack::new(&device, &weights, &stack, steps, rows).unwrap();
        for piece in [1, 4, steps] {
            on_gpu.set_piece(piece);
            on_gpu.set_state(&state).unwrap();
            device.write_rows(on_gpu.input(), &x).unwrap();
            let by_output = on_gpu.gradient(0, steps);
            let all = || {
                on_gpu.forward()?;
                on_gpu.backward()
            };
            device.write_rows(&by_output, &gradient).unwrap();
            let graph = device.record::<CudaError>(all).unwrap();
            graph.launch().unwrap();
            device.wait().unwrap();
            let what = format!("{hidden:?} in pieces of {piece}");
            assert_near(&what, &device.read_rows(&on_gpu.output(0, steps)).unwrap(), &output);
            assert_all_near(&what, &weights.gradients().unwrap(), &expected);
        }
        // Step by step; afterwards the state is carried on.
        on_gpu.set_state(&state).unwrap();
        device.write_rows(&on_gpu.gradient(0, steps), &gradient).unwrap();
        let stride = inputs.next_multiple_of(4);
        let room = device.zeros(steps * rows * stride).unwrap();
        let by_input_gpu = cuda::Matrix::new(&room, steps * rows, inputs, stride);
        let memory = cuda::LstmMemory::new(&device, &stack, rows).unwrap();
        let all = || {
            let lane = device.lane(0);
            on_gpu.begin(lane)?;
            (0..steps).try_for_each(|step| on_gpu.forward_step(lane, step))?;
            for step in (0..steps).rev() {
                on_gpu.backward_step(lane, step, Some(&by_input_gpu.part(step * rows, rows)))?;
            }
            on_gpu.finish(lane)?;
            on_gpu.store(lane, &memory)
        };
        let graph = device.record::<CudaError>(all).unwrap();
        graph.launch().unwrap();
        device.wait().unwrap();
        let what = format!("{hidden:?} step by step");
        assert_near(&what, &device.read_rows(&on_gpu.output(0, steps)).unwrap(), &output);
        assert_all_near(&what, &weights.gradients().unwrap(), &expected);
        assert_near(&what, &device.read_rows(&by_input_gpu).unwrap(), &by_input);
        // The same sequence again, from the state that was carried on.
        device.write_rows(&on_gpu.gradient(0, steps), &gradient).unwrap();
        on_gpu.load(device.lane(0), &memory).unwrap();
        graph.launch().unwrap();
        let next = stack.forward(&x, &mut after).to_vec();
        assert_near(&format!("{what}, carried on"), &device.read_rows(&on_gpu.output(0, steps)).unwrap(), &next);
    }
}

#[test]
fn a_gradient_that_is_not_finite_is_not_taken() {
    let Some((device, _guard)) = device() else { return };
    let mut mlp = Mlp::<f32>::new("mlp", &MlpShape::new(3, &[], 2, Activation::Identity), 1);
    let mut adam = Adam::new(AdamConfig::default());
    let before = values(&mlp);
    let weights = Weights::new(&device, &mlp, &adam).unwrap();
    let on_gpu = cuda::Mlp::new(&device, &weights, &mlp, 2).unwrap();
    device.write_rows(on_gpu.input(), &[1.0; 6]).unwrap();
    device.write_rows(on_gpu.gradient(), &[1.0, f32::NAN, 1.0, 1.0]).unwrap();
    on_gpu.forward(device.lane(0)).unwrap();
    on_gpu.backward(device.lane(0), device.lane(1)).unwrap();
    weights.set_rate(0.1).unwrap();
    weights.step(device.lane(0)).unwrap();
    let (norm, refused) = weights.report().unwrap();
    assert!(!norm.is_finite() && refused == 1);
    weights.read(&mut mlp, &mut adam).unwrap();
    assert_eq!((values(&mlp), adam.steps()), (before, 0));
}

#[test]
fn tf32_is_near_and_faster_products_are_a_choice() {
    let Some((exact, _guard)) = device() else { return };
    let rounded = Device::open(Precision::Tf32).unwrap();
    let mlp = Mlp::<f32>::new("mlp", &MlpShape::new(256, &[512], 64, Activation::Tanh), 1);
    let x = wave(256 * 256, 0.3);
    let outputs = [&exact, &rounded].map(|device| {
        let weights = Weights::new(device, &mlp, &Adam::new(AdamConfig::default())).unwrap();
        let on_gpu = cuda::Mlp::new(device, &weights, &mlp, 256).unwrap();
        device.write_rows(on_gpu.input(), &x).unwrap();
        on_gpu.forward(device.lane(0)).unwrap();
        device.read_rows(on_gpu.output()).unwrap()
    });
    let off = outputs[0].iter().zip(&outputs[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-2, "{off}");
}

#[test]
fn too_much_memory_is_refused_in_a_sentence() {
    let Some((device, _guard)) = device() else { return };
    let error = device.zeros::<f32>(1 << 40).unwrap_err();
    assert_eq!(error, CudaError::OutOfMemory { mebibytes: 4 << 20 });
    // It still works.
    assert_eq!(device.read(&device.upload(&[1.0f32, 2.0]).unwrap()).unwrap(), [1.0, 2.0]);
}

#[test]
fn errors_are_one_sentence_that_says_what_is_missing() {
    if let Err(error) = Device::open(Precision::Tf32) {
        let text = error.to_string();
        assert!(text.contains("CUDA") && text.len() < 200 && !text.contains('\n'), "{text}");
    }
    let error = CudaError::NoLibrary { name: "cuBLAS" };
    assert!(error.to_string().contains("cuBLAS of CUDA was not found"), "{error}");
    let error = CudaError::OutOfMemory { mebibytes: 12 };
    assert!(error.to_string().contains("12 MiB"), "{error}");
}
