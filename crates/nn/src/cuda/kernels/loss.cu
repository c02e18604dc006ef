// The mean squared error with its gradient: sums of blocks, and their sum.

// Rows of `columns` numbers; g = 2·weight·(y − t).
extern "C" __global__ void squared_error(const float* y, int y_stride, const float* t, int t_stride, float* g, int g_stride, int columns, int count, float weight, double* sums) {
    double sum = 0.0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int row = i / columns, column = i - row * columns;
        float off = y[(size_t)row * y_stride + column] - t[(size_t)row * t_stride + column];
        g[(size_t)row * g_stride + column] = 2.0f * weight * off;
        sum += (double)(weight * off * off);
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// One block: out = Σ.
extern "C" __global__ void sum_numbers(const double* numbers, int count, double* out) {
    double sum = 0.0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += numbers[i];
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) *out = sum;
}
