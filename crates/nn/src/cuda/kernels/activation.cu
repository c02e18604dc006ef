// Functions between dense layers, their derivatives, and sums of rows.

enum { IDENTITY, TANH, RELU, ELU, SILU, SIGMOID };

__device__ __forceinline__ float sigmoid(float z) { return 1.0f / (1.0f + expf(-z)); }

__device__ __forceinline__ float activated(int function, float z) {
    switch (function) {
        case TANH: return tanhf(z);
        case RELU: return z < 0.0f ? 0.0f : z;
        case ELU: return z < 0.0f ? expm1f(z) : z;
        case SILU: return z * sigmoid(z);
        case SIGMOID: return sigmoid(z);
        default: return z;
    }
}

// dy/dz of y, or of z for SiLU.
__device__ __forceinline__ float derived(int function, float kept) {
    switch (function) {
        case TANH: return 1.0f - kept * kept;
        case RELU: return kept > 0.0f ? 1.0f : 0.0f;
        case ELU: return kept < 0.0f ? kept + 1.0f : 1.0f;
        case SILU: { float s = sigmoid(kept); return s * (1.0f + kept * (1.0f - s)); }
        case SIGMOID: return kept * (1.0f - kept);
        default: return 1.0f;
    }
}

// y = f(z + b) for rows of 4·quads numbers; z + b is kept where `sums` is given.
extern "C" __global__ void add_bias_and_activate(float4* y, float4* sums, const float4* bias, int quads, int count, int function) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 z = y[i], b = bias[i % quads];
    z = make_float4(z.x + b.x, z.y + b.y, z.z + b.z, z.w + b.w);
    if (sums) sums[i] = z;
    y[i] = make_float4(activated(function, z.x), activated(function, z.y), activated(function, z.z), activated(function, z.w));
}

// g *= dy/dz; and, where `parts` is given, the sums of `rows_each` rows each into a row of `parts`.
// A block has 32 × 8 threads: 128 columns, every eighth row.
extern "C" __global__ void derive_and_sum(float4* g, const float4* kept, float4* parts, int quads, int rows, int rows_each, int function) {
    __shared__ float4 sums[8][32];
    int column = blockIdx.x * 32 + threadIdx.x;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (column < quads) {
        int end = min(rows, (int)(blockIdx.y + 1) * rows_each);
        for (int row = blockIdx.y * rows_each + threadIdx.y; row < end; row += 8) {
            size_t i = (size_t)row * quads + column;
            float4 x = g[i];
            if (function != IDENTITY) {
                float4 k = kept[i];
                x = make_float4(x.x * derived(function, k.x), x.y * derived(function, k.y), x.z * derived(function, k.z), x.w * derived(function, k.w));
                g[i] = x;
            }
            sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
        }
    }
    if (!parts) return;
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || column >= quads) return;
    for (int k = 1; k < 8; k++) {
        float4 x = sums[k][threadIdx.x];
        sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
    }
    parts[(size_t)blockIdx.y * quads + column] = sum;
}

// Sums the rows of `parts`, `stride` numbers apart, for a bias of so many columns.
extern "C" __global__ void sum_parts(const float* parts, int count, int stride, float* out, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0.0f;
    for (int part = 0; part < count; part++) sum += parts[(size_t)part * stride + column];
    out[column] = sum;
}
