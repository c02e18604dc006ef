// Rows on their way into a network.

// The rows that `chosen` names, from and to other strides; all rows in order where it is null.
extern "C" __global__ void gather_rows(const float* from, int from_stride, const unsigned* chosen, float* to, int to_stride, int columns, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int row = i / columns, column = i - row * columns;
    size_t source = chosen ? chosen[row] : (unsigned)row;
    to[(size_t)row * to_stride + column] = from[source * from_stride + column];
}

// y = clamp((x − mean)·scale, ±bound).
extern "C" __global__ void normalise_rows(const float* x, int x_stride, const float* mean, const float* scale, float bound, float* y, int y_stride, int columns, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int row = i / columns, column = i - row * columns;
    float z = (x[(size_t)row * x_stride + column] - mean[column]) * scale[column];
    y[(size_t)row * y_stride + column] = z < -bound ? -bound : z > bound ? bound : z;
}
