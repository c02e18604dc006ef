//! All that the compiler cannot check: memory of the GPU, copies, launches, products. Everything else in this folder is safe code.

#![allow(unsafe_code)]

use super::error::CudaError;
use super::library::Library;
use cudarc::cublas::{CudaBlas, sys as blas};
use cudarc::driver::{CudaContext, CudaFunction, CudaGraph, CudaStream, DriverError, result, sys};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

/// Numbers that buffers hold.
pub trait Element: Copy + Default + Send + Sync + 'static {}
impl Element for f32 {}
impl Element for f64 {}
impl Element for u32 {}

/// Whether a library can be opened.
pub(super) fn is_present(library: Library) -> bool {
    // SAFETY: opening these libraries runs their initialisers, which have no preconditions.
    unsafe {
        match library {
            Library::Driver => sys::is_culib_present(),
            Library::CuBlas => blas::is_culib_present(),
            Library::Nvrtc => cudarc::nvrtc::sys::is_culib_present(),
        }
    }
}

/// Opens a library and leaves it open, so that opening it by its name alone finds it.
pub(super) fn keep_open(path: &Path) {
    // SAFETY: as for `is_present`.
    if let Ok(library) = unsafe { libloading::Library::new(path) } {
        std::mem::forget(library);
    }
}

/// The error of the driver in words.
pub(super) fn failed(doing: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| {
        use sys::CUresult as R;
        let name = error.error_name().map(|name| name.to_string_lossy().into_owned());
        let problem = name.unwrap_or_else(|_| format!("error {}", error.0 as u32));
        match error.0 {
            R::CUDA_ERROR_OUT_OF_MEMORY => CudaError::OutOfMemory { mebibytes: 0 },
            R::CUDA_ERROR_ILLEGAL_ADDRESS
            | R::CUDA_ERROR_LAUNCH_FAILED
            | R::CUDA_ERROR_LAUNCH_TIMEOUT
            | R::CUDA_ERROR_HARDWARE_STACK_ERROR
            | R::CUDA_ERROR_ECC_UNCORRECTABLE
            | R::CUDA_ERROR_DEVICE_UNAVAILABLE
            | R::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | R::CUDA_ERROR_DEINITIALIZED
            | R::CUDA_ERROR_UNKNOWN => CudaError::Lost { doing, problem },
            _ => CudaError::Failed { doing, problem },
        }
    }
}

/// A piece of the GPU's memory.
pub(super) struct Memory {
    context: Arc<CudaContext>,
    at: sys::CUdeviceptr,
    bytes: usize,
}

impl Memory {
    /// Takes so many bytes, all 0. Nothing waits for other streams: they may be recorded.
    pub fn zeroed(stream: &Arc<CudaStream>, bytes: usize) -> Result<Arc<Memory>, CudaError> {
        let context = stream.context();
        let bytes = bytes.max(16);
        context.bind_to_thread().map_err(failed("taking memory"))?;
        // SAFETY: the context is current; the memory is set before anything reads it, and freed once, on drop.
        unsafe {
            let at = result::malloc_sync(bytes).map_err(|error| match failed("taking memory")(error) {
                CudaError::OutOfMemory { .. } => CudaError::OutOfMemory { mebibytes: bytes.div_ceil(1 << 20) },
                other => other,
            })?;
            let memory = Memory { context: context.clone(), at, bytes };
            result::memset_d8_async(at, 0, bytes, stream.cu_stream()).map_err(failed("taking memory"))?;
            stream.synchronize().map_err(failed("taking memory"))?;
            Ok(Arc::new(memory))
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            // SAFETY: this memory was taken once, and graphs that use it hold it.
            let _ = unsafe { result::free_sync(self.at) };
        }
    }
}

/// Numbers in a row in the GPU's memory, which they keep.
pub struct Slice<T = f32> {
    memory: Arc<Memory>,
    from: usize,
    length: usize,
    of: PhantomData<T>,
}

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Slice<T> {
        Slice { memory: self.memory.clone(), from: self.from, length: self.length, of: PhantomData }
    }
}

impl<T> std::fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} numbers on the GPU", self.length)
    }
}

impl<T: Element> Slice<T> {
    pub(super) fn take(stream: &Arc<CudaStream>, length: usize) -> Result<Slice<T>, CudaError> {
        let memory = Memory::zeroed(stream, length * size_of::<T>())?;
        Ok(Slice { memory, from: 0, length, of: PhantomData })
    }

    /// Its numbers.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// A part of it.
    ///
    /// # Panics
    /// If it has no such part.
    pub fn part(&self, from: usize, length: usize) -> Slice<T> {
        assert!(from + length <= self.length, "{length} numbers from {from} on, of {}", self.length);
        Slice { memory: self.memory.clone(), from: self.from + from, length, of: PhantomData }
    }

    fn at(&self) -> sys::CUdeviceptr {
        debug_assert!((self.from + self.length) * size_of::<T>() <= self.memory.bytes);
        self.memory.at + (self.from * size_of::<T>()) as u64
    }

    pub(super) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Copies numbers of the host here.
    pub(super) fn write(&self, stream: &CudaStream, numbers: &[T]) -> Result<(), CudaError> {
        assert_eq!(numbers.len(), self.length, "numbers to copy to the GPU");
        self.memory.context.bind_to_thread().map_err(failed("copying"))?;
        // SAFETY: as many numbers as there is room for. They lie in pageable memory, which the driver has read when it returns.
        unsafe { result::memcpy_htod_async(self.at(), numbers, stream.cu_stream()) }.map_err(failed("copying"))
    }

    /// Copies them to the host, once all earlier work of the stream is done.
    pub(super) fn read(&self, stream: &CudaStream, numbers: &mut [T]) -> Result<(), CudaError> {
        assert_eq!(numbers.len(), self.length, "numbers to copy from the GPU");
        self.memory.context.bind_to_thread().map_err(failed("computing"))?;
        // SAFETY: as many numbers as there is room for, and the copy is waited for before they are used.
        unsafe { result::memcpy_dtoh_async(numbers, self.at(), stream.cu_stream()) }.map_err(failed("computing"))?;
        stream.synchronize().map_err(failed("computing"))
    }

    pub(super) fn copy_to(&self, stream: &CudaStream, to: &Slice<T>) -> Result<(), CudaError> {
        assert_eq!(self.length, to.length, "numbers to copy within the GPU");
        self.memory.context.bind_to_thread().map_err(failed("copying"))?;
        let bytes = self.length * size_of::<T>();
        // SAFETY: both have room for as many bytes.
        unsafe { result::memcpy_dtod_async(to.at(), self.at(), bytes, stream.cu_stream()) }.map_err(failed("copying"))
    }

    pub(super) fn clear(&self, stream: &CudaStream) -> Result<(), CudaError> {
        self.memory.context.bind_to_thread().map_err(failed("copying"))?;
        // SAFETY: it has as many bytes.
        unsafe { result::memset_d8_async(self.at(), 0, self.length * size_of::<T>(), stream.cu_stream()) }
            .map_err(failed("copying"))
    }
}

/// What a kernel is given.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A pointer to numbers; the memory is kept by graphs.
    Pointer(u64, Kept),
    /// No pointer.
    Null,
    /// `int`
    Int(i32),
    /// `float`
    Float(f32),
}

/// Memory that a graph must keep.
#[derive(Clone)]
pub struct Kept(pub(super) Arc<Memory>);

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.bytes)
    }
}

impl<T: Element> From<&Slice<T>> for Argument {
    fn from(slice: &Slice<T>) -> Argument {
        Argument::Pointer(slice.at(), Kept(slice.memory.clone()))
    }
}

impl<T: Element> From<Option<&Slice<T>>> for Argument {
    fn from(slice: Option<&Slice<T>>) -> Argument {
        slice.map_or(Argument::Null, Argument::from)
    }
}

impl From<usize> for Argument {
    fn from(number: usize) -> Argument {
        Argument::Int(i32::try_from(number).expect("fewer than 2³¹ numbers"))
    }
}

impl From<f32> for Argument {
    fn from(number: f32) -> Argument {
        Argument::Float(number)
    }
}

/// How many threads run a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// Blocks along x and y.
    pub blocks: [usize; 2],
    /// Threads of a block along x and y.
    pub threads: [usize; 2],
    /// Shared memory of a block that is given at the launch, bytes.
    pub shared_bytes: usize,
}

impl Grid {
    /// A thread for each number, in blocks of 256.
    pub fn of(count: usize) -> Grid {
        Grid { blocks: [count.div_ceil(256).max(1), 1], threads: [256, 1], shared_bytes: 0 }
    }
}

/// Launches a kernel, of whose source `Device::compile` was promised that it stays within what it is given.
pub(super) fn launch(
    function: &CudaFunction,
    stream: &CudaStream,
    grid: Grid,
    arguments: &[Argument],
) -> Result<(), CudaError> {
    // Numbers at addresses that stay until the launch has read them.
    let mut words: Vec<u64> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Pointer(at, _) => *at,
            Argument::Null => 0,
            Argument::Int(number) => u64::from(number.cast_unsigned()),
            Argument::Float(number) => u64::from(number.to_bits()),
        })
        .collect();
    let mut pointers: Vec<*mut c_void> = words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
    let [(bx, by), (tx, ty)] = [grid.blocks, grid.threads].map(|[x, y]| (x as u32, y as u32));
    stream.context().bind_to_thread().map_err(failed("computing"))?;
    // SAFETY: the kernel's source was promised to stay within the slices; words of a little-endian machine begin with the 32-bit numbers they hold.
    unsafe {
        result::launch_kernel(
            function.cu_function(),
            (bx, by, 1),
            (tx, ty, 1),
            grid.shared_bytes as u32,
            stream.cu_stream(),
            &mut pointers,
        )
    }
    .map_err(failed("computing"))
}

/// A matrix in the GPU's memory, row by row.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub(super) slice: Slice,
    /// Rows as they lie in memory.
    pub rows: usize,
    /// Numbers of a row.
    pub columns: usize,
    /// Numbers from one row to the next.
    pub stride: usize,
    is_transposed: bool,
}

impl Matrix {
    /// Rows of `columns` numbers, `stride` numbers apart.
    ///
    /// # Panics
    /// If there are fewer numbers.
    pub fn new(slice: &Slice, rows: usize, columns: usize, stride: usize) -> Matrix {
        assert!(columns <= stride && rows * stride <= slice.length, "{rows} × {stride} numbers of {}", slice.length);
        Matrix { slice: slice.clone(), rows, columns, stride, is_transposed: false }
    }

    /// The same numbers with rows as columns.
    pub fn transposed(&self) -> Matrix {
        Matrix { is_transposed: !self.is_transposed, ..self.clone() }
    }

    /// Some of the rows.
    pub fn part(&self, from: usize, rows: usize) -> Matrix {
        assert!(!self.is_transposed && from + rows <= self.rows, "{rows} rows from {from} on, of {}", self.rows);
        let slice = self.slice.part(from * self.stride, rows * self.stride);
        Matrix { slice, rows, columns: self.columns, stride: self.stride, is_transposed: false }
    }

    /// Its numbers, with those between the rows.
    pub fn slice(&self) -> &Slice {
        &self.slice
    }

    fn shape(&self) -> [usize; 2] {
        if self.is_transposed { [self.columns, self.rows] } else { [self.rows, self.columns] }
    }
}

/// cuBLAS on one stream.
pub(super) struct Products {
    blas: CudaBlas,
    _workspace: Arc<Memory>,
}

impl Products {
    pub fn new(stream: &Arc<CudaStream>) -> Result<Products, CudaError> {
        const WORKSPACE: usize = 32 << 20;
        let refused = |status: cudarc::cublas::result::CublasError| CudaError::Failed {
            doing: "starting cuBLAS",
            problem: format!("{:?}", status.0),
        };
        let workspace = Memory::zeroed(stream, WORKSPACE)?;
        let blas = CudaBlas::new(stream.clone()).map_err(refused)?;
        // SAFETY: the workspace lives as long as the handle. A graph must not take memory while it is recorded, so cuBLAS is given its own.
        unsafe { blas::cublasSetWorkspace_v2(*blas.handle(), workspace.at as *mut c_void, WORKSPACE) }
            .result()
            .map_err(refused)?;
        Ok(Products { blas, _workspace: workspace })
    }

    /// `C = A·B`, or `C += A·B`, in 32 bits or with factors rounded to TF32.
    pub fn product(&self, a: &Matrix, b: &Matrix, c: &Matrix, adds: bool, is_tf32: bool) -> Result<(), CudaError> {
        let ([m, k], [other, n]) = (a.shape(), b.shape());
        assert!(k == other && c.shape() == [m, n] && !c.is_transposed, "{m}×{k} times {other}×{n}: {:?}", c.shape());
        self.multiply([m, n, k], [a, b], (&c.slice, c.stride), adds, is_tf32, None)
    }

    /// `Cᵢ = Aᵢ·Bᵢ` for parts of the depth, of A as it lies and of B transposed; the parts of C lie one after the other.
    pub fn product_in_parts(
        &self,
        a: &Matrix,
        b: &Matrix,
        c: &Slice,
        parts: usize,
        is_tf32: bool,
    ) -> Result<(), CudaError> {
        let ([m, k], [other, n]) = (a.shape(), b.shape());
        let fits = k == other && k.is_multiple_of(parts) && c.length >= parts * m * n;
        assert!(fits && !a.is_transposed && b.is_transposed, "{m}×{k} times {other}×{n} in {parts} parts");
        self.multiply([m, n, k / parts], [a, b], (c, n), false, is_tf32, Some(parts))
    }

    fn multiply(
        &self,
        [m, n, k]: [usize; 3],
        [a, b]: [&Matrix; 2],
        (c, c_stride): (&Slice, usize),
        adds: bool,
        is_tf32: bool,
        parts: Option<usize>,
    ) -> Result<(), CudaError> {
        let turned = |x: &Matrix| {
            if x.is_transposed { blas::cublasOperation_t::CUBLAS_OP_T } else { blas::cublasOperation_t::CUBLAS_OP_N }
        };
        let kind = if is_tf32 {
            blas::cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32
        } else {
            blas::cublasComputeType_t::CUBLAS_COMPUTE_32F
        };
        let (one, start) = (1.0f32, if adds { 1.0f32 } else { 0.0 });
        let [one, start] = [&one, &start].map(|x| std::ptr::from_ref(x).cast::<c_void>());
        let float = blas::cudaDataType_t::CUDA_R_32F;
        let algorithm = blas::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
        let (a_at, b_at) = (a.slice.at() as *const c_void, b.slice.at() as *const c_void);
        let (handle, c_at) = (*self.blas.handle(), c.at() as *mut c_void);
        let [m, n, k, a_stride, b_stride, c_stride] = [m, n, k, a.stride, b.stride, c_stride].map(|x| x as i32);
        c.memory.context.bind_to_thread().map_err(failed("computing"))?;
        // SAFETY: all three have room for their rows, and C for all parts. cuBLAS reads matrices column by column: there ours are their transposes, and
        // Cᵀ = Bᵀ·Aᵀ. A part begins k columns after the one before, in the rows of A and of what B is the transpose of.
        unsafe {
            match parts {
                None => cudarc::cublas::result::gemm_ex(
                    handle,
                    turned(b),
                    turned(a),
                    n,
                    m,
                    k,
                    one,
                    b_at,
                    float,
                    b_stride,
                    a_at,
                    float,
                    a_stride,
                    start,
                    c_at,
                    float,
                    c_stride,
                    kind,
                    algorithm,
                ),
                Some(parts) => {
                    let (step, size) = (i64::from(k), i64::from(m) * i64::from(n));
                    cudarc::cublas::result::gemm_strided_batched_ex(
                        handle,
                        turned(b),
                        turned(a),
                        n,
                        m,
                        k,
                        one,
                        b_at,
                        float,
                        b_stride,
                        step,
                        a_at,
                        float,
                        a_stride,
                        step,
                        start,
                        c_at,
                        float,
                        c_stride,
                        size,
                        parts as i32,
                        kind,
                        algorithm,
                    )
                }
            }
        }
        .map_err(|status| CudaError::Failed { doing: "multiplying matrices", problem: format!("{:?}", status.0) })
    }
}

/// A recorded graph of work, with the memory that it uses.
pub struct Graph {
    graph: CudaGraph,
    _kept: Vec<Kept>,
}

// SAFETY: a graph may be used by any thread, by one at a time; it is not `Sync`.
unsafe impl Send for Graph {}

impl Graph {
    pub(super) fn new(graph: CudaGraph, kept: Vec<Kept>) -> Graph {
        Graph { graph, _kept: kept }
    }

    /// Does all that was recorded, after what the first lane was given before.
    ///
    /// # Errors
    /// Where the GPU fails.
    pub fn launch(&self) -> Result<(), CudaError> {
        self.graph.launch().map_err(failed("computing"))
    }
}
