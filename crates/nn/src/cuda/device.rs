//! A GPU with several lanes of work, each of which is done in order, and the graphs that are recorded of it.

use super::error::CudaError;
use super::library;
use super::program::{Kernels, Program};
use super::raw::{Argument, Element, Graph, Grid, Kept, Matrix, Products, Slice, failed};
use cudarc::driver::{CudaContext, CudaStream, sys};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Lanes of a device.
pub const LANES: usize = 8;

/// Most rows of the kernels for few rows.
const FEW_ROWS: usize = 32;

/// How matrix products are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Factors are rounded to TF32 (10 bits after the point), sums are in 32 bits: several times as fast on GPUs with tensor cores.
    #[default]
    Tf32,
    /// Everything in 32 bits.
    F32,
}

/// A GPU. What it is given is done later, in order, lane by lane; reading waits for it.
pub struct Device {
    context: Arc<CudaContext>,
    name: String,
    precision: Precision,
    has_tensor_cores: bool,
    streams: Vec<Arc<CudaStream>>,
    products: Vec<Mutex<Products>>,
    kernels: Kernels,
    /// Memory that the graph which is recorded uses; none where none is recorded.
    recording: Mutex<Option<Vec<Kept>>>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?})", self.name, self.precision)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Opens the first GPU. Its kernels are compiled here, which takes a second.
    ///
    /// # Errors
    /// What is missing, in one sentence.
    pub fn open(precision: Precision) -> Result<Arc<Device>, CudaError> {
        library::find_driver()?;
        let context = CudaContext::new(0).map_err(|error| match failed("starting")(error) {
            CudaError::Failed { problem, .. } | CudaError::Lost { problem, .. } => CudaError::NoDevice(problem),
            other => other,
        })?;
        library::find_toolkit()?;
        let name = context.name().map_err(failed("starting"))?;
        let streams = (0..LANES).map(|_| context.new_stream().map_err(failed("starting")));
        let streams: Vec<Arc<CudaStream>> = streams.collect::<Result<_, _>>()?;
        let products = streams.iter().map(|stream| Products::new(stream).map(Mutex::new));
        let products = products.collect::<Result<_, _>>()?;
        let kernels = Kernels::new(&context, precision == Precision::F32)?;
        let has_tensor_cores = context.compute_capability().map_err(failed("starting"))?.0 >= 8;
        let recording = Mutex::new(None);
        let device = Device { context, name, precision, has_tensor_cores, streams, products, kernels, recording };
        device.warm_up()?;
        Ok(Arc::new(device))
    }

    /// Lets cuBLAS prepare itself in every lane, which it must not do while a graph is recorded.
    fn warm_up(&self) -> Result<(), CudaError> {
        let all = self.zeros(3 * 64)?;
        let [a, b, c] = [0, 1, 2].map(|k| Matrix::new(&all.part(64 * k, 64), 8, 8, 8));
        for index in 0..LANES {
            self.lane(index).product(&a, &b, &c)?;
            self.lane(0).after(self.lane(index))?;
        }
        self.wait()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How products are computed.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Whether kernels for few rows can be used.
    pub(super) fn takes_few_rows(&self, rows: usize) -> bool {
        self.has_tensor_cores && rows <= FEW_ROWS
    }

    pub(super) fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// Compiles further kernels, written in CUDA C++, all `extern "C"`.
    ///
    /// # Safety
    /// Launches trust the source: for the arguments that its kernels are launched with, they must stay within the slices.
    ///
    /// # Errors
    /// What the compiler says.
    pub unsafe fn compile(&self, source: &str, names: &[&'static str]) -> Result<Program, CudaError> {
        Program::new(&self.context, source, names)
    }

    /// Room for so many numbers, all 0.
    ///
    /// # Errors
    /// Where there is not as much memory.
    pub fn zeros<T: Element>(&self, length: usize) -> Result<Slice<T>, CudaError> {
        Slice::take(&self.streams[0], length)
    }

    /// Copies numbers to new room.
    ///
    /// # Errors
    /// Where there is not as much memory.
    pub fn upload<T: Element>(&self, numbers: &[T]) -> Result<Slice<T>, CudaError> {
        let slice = self.zeros(numbers.len())?;
        self.write(&slice, numbers)?;
        Ok(slice)
    }

    /// Copies numbers, in the first lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn write<T: Element>(&self, to: &Slice<T>, numbers: &[T]) -> Result<(), CudaError> {
        to.write(&self.streams[0], numbers)
    }

    /// Waits for the first lane, and returns numbers.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn read<T: Element>(&self, from: &Slice<T>) -> Result<Vec<T>, CudaError> {
        let mut numbers = vec![T::default(); from.len()];
        from.read(&self.streams[0], &mut numbers)?;
        Ok(numbers)
    }

    /// Rows without the room between them; waits for the first lane.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn read_rows(&self, matrix: &Matrix) -> Result<Vec<f32>, CudaError> {
        let all = self.read(matrix.slice())?;
        Ok(all.chunks(matrix.stride).take(matrix.rows).flat_map(|row| &row[..matrix.columns]).copied().collect())
    }

    /// Copies rows that lie one after the other into those of a matrix.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn write_rows(&self, to: &Matrix, numbers: &[f32]) -> Result<(), CudaError> {
        assert_eq!(numbers.len(), to.rows * to.columns, "numbers of rows to copy to the GPU");
        if to.columns == to.stride {
            return self.write(&to.slice().part(0, numbers.len()), numbers);
        }
        let mut spread = vec![0.0; to.rows * to.stride];
        for (row, from) in spread.chunks_mut(to.stride).zip(numbers.chunks(to.columns)) {
            row[..to.columns].copy_from_slice(from);
        }
        self.write(&to.slice().part(0, spread.len()), &spread)
    }

    /// Waits until the first lane has done all.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.context.bind_to_thread().and_then(|()| self.streams[0].synchronize()).map_err(failed("computing"))
    }

    /// A lane.
    pub fn lane(&self, index: usize) -> Lane<'_> {
        Lane { device: self, index: index % LANES }
    }

    /// Records what is given to lanes meanwhile, instead of doing it, so that it can be done at once, many times. It begins in the first lane; other lanes
    /// take part from [`Lane::after`] on, and the first must come after each of them at the end. No other thread may use a GPU meanwhile.
    ///
    /// # Errors
    /// Where recording fails, or the GPU cannot take the graph.
    pub fn record<E: From<CudaError>>(&self, work: impl FnOnce() -> Result<(), E>) -> Result<Graph, E> {
        let stream = &self.streams[0];
        self.wait()?;
        *locked(&self.recording) = Some(Vec::new());
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        let begun = stream.begin_capture(mode).map_err(failed("recording"));
        let done = begun.map_err(E::from).and_then(|()| work());
        let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).map_err(failed("recording"));
        let kept = locked(&self.recording).take().unwrap_or_default();
        done?;
        let graph = graph?.ok_or(CudaError::Failed { doing: "recording", problem: "there is no graph".into() })?;
        Ok(Graph::new(graph, kept))
    }

    fn keep(&self, kept: impl Iterator<Item = Kept>) {
        if let Some(all) = locked(&self.recording).as_mut() {
            all.extend(kept);
        }
    }
}

/// Work that is done in order; several lanes go on side by side.
#[derive(Clone, Copy, Debug)]
pub struct Lane<'a> {
    device: &'a Device,
    index: usize,
}

impl<'a> Lane<'a> {
    /// The device.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    fn stream(&self) -> &'a Arc<CudaStream> {
        &self.device.streams[self.index]
    }

    /// What this lane is given from now on begins after all that the other was given before.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn after(&self, other: Lane<'_>) -> Result<(), CudaError> {
        if self.index == other.index {
            return Ok(());
        }
        self.stream().join(other.stream()).map_err(failed("computing"))
    }

    /// `C = A·B`.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn product(&self, a: &Matrix, b: &Matrix, c: &Matrix) -> Result<(), CudaError> {
        self.multiply(a, b, c, false)
    }

    /// `C += A·B`.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn add_product(&self, a: &Matrix, b: &Matrix, c: &Matrix) -> Result<(), CudaError> {
        self.multiply(a, b, c, true)
    }

    /// `Cᵢ = Aᵢ·Bᵢ`, where A's columns and B's rows are split in so many parts: few columns of C keep a GPU busier that way.
    pub(super) fn product_in_parts(&self, a: &Matrix, b: &Matrix, c: &Slice, parts: usize) -> Result<(), CudaError> {
        self.device.keep([a.slice(), b.slice(), c].into_iter().map(|x| Kept(x.memory().clone())));
        let is_tf32 = self.device.precision == Precision::Tf32;
        locked(&self.device.products[self.index]).product_in_parts(a, b, c, parts, is_tf32)
    }

    fn multiply(&self, a: &Matrix, b: &Matrix, c: &Matrix, adds: bool) -> Result<(), CudaError> {
        self.device.keep([a, b, c].into_iter().map(|x| Kept(x.slice().memory().clone())));
        let is_tf32 = self.device.precision == Precision::Tf32;
        locked(&self.device.products[self.index]).product(a, b, c, adds, is_tf32)
    }

    /// Copies numbers within the GPU.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn copy<T: Element>(&self, from: &Slice<T>, to: &Slice<T>) -> Result<(), CudaError> {
        self.device.keep([from, to].into_iter().map(|x| Kept(x.memory().clone())));
        from.copy_to(self.stream(), to)
    }

    /// Sets numbers to 0.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn clear<T: Element>(&self, slice: &Slice<T>) -> Result<(), CudaError> {
        self.device.keep(std::iter::once(Kept(slice.memory().clone())));
        slice.clear(self.stream())
    }

    /// Launches a kernel of a program, whose compilation has promised that it stays within its slices.
    ///
    /// # Errors
    /// Where the GPU fails.
    ///
    /// # Panics
    /// If the program has no such kernel.
    pub fn launch(&self, program: &Program, name: &str, grid: Grid, arguments: &[Argument]) -> Result<(), CudaError> {
        let pointers = arguments.iter().filter_map(|argument| match argument {
            Argument::Pointer(_, kept) => Some(kept.clone()),
            _ => None,
        });
        self.device.keep(pointers);
        program.launch(name, self.stream(), grid, arguments)
    }
}
