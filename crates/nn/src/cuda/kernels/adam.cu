// Adam with a bounded norm, in three launches: sums of squares, what follows of them, the step.

// What Adam reads and tells, as f64.
enum { STEPS, RATE, FIRST_DECAY, SECOND_DECAY, EPSILON, LARGEST_NORM, NORM, IS_TAKEN, REFUSED, SHORTENED, STEP_RATE, ROOT_SCALE };

// The sum of a block's 256 values, in its first thread.
__device__ __forceinline__ double sum_of_block(double value) {
    __shared__ double warps[8];
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = threadIdx.x < 8 ? warps[threadIdx.x] : 0.0;
        for (int by = 4; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
    }
    return value;
}

extern "C" __global__ void sum_squares(const float4* gradient, int quads, double* sums) {
    float sum = 0.0f;
    double all = 0.0;
    int k = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        float4 g = gradient[i];
        sum += g.x * g.x + g.y * g.y + g.z * g.z + g.w * g.w;
        if (++k % 16 == 0) { all += sum; sum = 0.0f; }
    }
    double total = sum_of_block(all + sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

// One block. Where the norm is not finite, the step is not taken.
extern "C" __global__ void prepare_step(const double* sums, int count, double* state) {
    double sum = 0.0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += sums[i];
    sum = sum_of_block(sum);
    if (threadIdx.x != 0) return;
    double norm = sqrt(sum);
    bool is_taken = isfinite(norm);
    state[NORM] = norm;
    state[IS_TAKEN] = is_taken ? 1.0 : 0.0;
    if (!is_taken) { state[REFUSED] += 1.0; return; }
    double steps = state[STEPS] + 1.0, largest = state[LARGEST_NORM];
    state[STEPS] = steps;
    state[SHORTENED] = largest >= 0.0 && largest < norm ? largest / norm : 1.0;
    state[STEP_RATE] = -state[RATE] / (1.0 - pow(state[FIRST_DECAY], steps));
    state[ROOT_SCALE] = 1.0 / sqrt(1.0 - pow(state[SECOND_DECAY], steps));
}

__device__ __forceinline__ void adam_step(float& x, float g, float& m, float& v, const float* c) {
    g *= c[0];
    m = c[1] * m + c[2] * g;
    v = c[3] * v + c[4] * (g * g);
    x += c[5] * (m / (sqrtf(v) * c[6] + c[7]));
}

extern "C" __global__ void adam(float4* x, const float4* gradient, float4* first, float4* second, int quads, const double* state) {
    if (state[IS_TAKEN] == 0.0) return;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float c[8] = {
        (float)state[SHORTENED], (float)state[FIRST_DECAY], (float)(1.0 - state[FIRST_DECAY]), (float)state[SECOND_DECAY],
        (float)(1.0 - state[SECOND_DECAY]), (float)state[STEP_RATE], (float)state[ROOT_SCALE], (float)state[EPSILON],
    };
    float4 p = x[i], g = gradient[i], m = first[i], v = second[i];
    adam_step(p.x, g.x, m.x, v.x, c);
    adam_step(p.y, g.y, m.y, v.y, c);
    adam_step(p.z, g.z, m.z, v.z, c);
    adam_step(p.w, g.w, m.w, v.w, c);
    x[i] = p;
    first[i] = m;
    second[i] = v;
}
