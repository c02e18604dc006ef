// Products of at most 32 rows on tensor cores, with what follows them: a block makes all rows of a few columns, and its 16 warps share the depth.
// A GPU of compute capability 8.0 is needed. Without EXACT, factors are rounded to TF32; with it, they are split in two parts of TF32 each.
//
// A lane of a warp is (g, t) = (lane / 4, lane % 4). In a piece of 16 numbers of depth it reads numbers 4t … 4t + 3 of rows g, g + 8, g + 16, g + 24 and of
// columns g of tiles of 8 columns: the order of the depth is another one than the instruction's, but the same in both factors.

#define WARPS 16
#define ROWS_AT_ONCE 32

#if __CUDA_ARCH__ >= 800

__device__ __forceinline__ unsigned rounded(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return bits;
}

__device__ __forceinline__ void multiply(float* c, const unsigned* a, const unsigned* b) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// c += a·b for 16 rows, 8 columns and a depth of 8.
__device__ __forceinline__ void add_tile(float* c, const float* a, const float* b) {
    unsigned high_a[4], high_b[2];
    #pragma unroll
    for (int k = 0; k < 4; k++) high_a[k] = rounded(a[k]);
    #pragma unroll
    for (int k = 0; k < 2; k++) high_b[k] = rounded(b[k]);
#if EXACT
    unsigned low_a[4], low_b[2];
    for (int k = 0; k < 4; k++) low_a[k] = rounded(a[k] - __uint_as_float(high_a[k]));
    for (int k = 0; k < 2; k++) low_b[k] = rounded(b[k] - __uint_as_float(high_b[k]));
    multiply(c, low_a, high_b);
    multiply(c, high_a, low_b);
#endif
    multiply(c, high_a, high_b);
}

// sums += A·B for a piece of depth: `a` holds four rows, `b` the columns of all tiles.
template <int TILES>
__device__ __forceinline__ void add_piece(float (*sums)[TILES][4], const float4* a, const float (*b)[4]) {
    #pragma unroll
    for (int half = 0; half < 4; half += 2) {
        #pragma unroll
        for (int m = 0; m < 2; m++) {
            float4 upper = a[2 * m], lower = a[2 * m + 1];
            float part[4] = {half ? upper.z : upper.x, half ? lower.z : lower.x, half ? upper.w : upper.y, half ? lower.w : lower.y};
            #pragma unroll
            for (int tile = 0; tile < TILES; tile++) {
                float column[2] = {b[tile][half], b[tile][half + 1]};
                add_tile(sums[m][tile], part, column);
            }
        }
    }
}

__device__ __forceinline__ void read_rows(float4* a, const float* from, int stride, int rows, int depth, int k) {
    int g = threadIdx.x % 32 / 4;
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = g + 8 * i;
        a[i] = row < rows && k < depth ? *(const float4*)(from + (size_t)row * stride + k) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

// Where the number of a row and column lies among those of a warp.
__device__ __forceinline__ int place_of(int tiles, int row, int column) {
    int m = row / 16, high = row % 16 / 8, g = row % 8, tile = column / 8, t = column % 8 / 2, odd = column % 2;
    return ((m * tiles + tile) * 4 + 2 * high + odd) * 32 + 4 * g + t;
}

template <int TILES>
__device__ __forceinline__ void keep(float* kept, float (*sums)[TILES][4]) {
    #pragma unroll
    for (int m = 0; m < 2; m++)
        #pragma unroll
        for (int tile = 0; tile < TILES; tile++)
            #pragma unroll
            for (int k = 0; k < 4; k++) kept[((m * TILES + tile) * 4 + k) * 32 + threadIdx.x % 32] = sums[m][tile][k];
}

// The sums of all warps, of 32 rows × 32 columns, end in the first 8 parts of `kept`, to be added up.
__device__ void keep_in_two_turns(float* kept, float (*sums)[4][4]) {
    int warp = threadIdx.x / 32;
    if (warp >= 8) keep<4>(kept + (warp - 8) * 1024, sums);
    __syncthreads();
    if (warp < 8)
        #pragma unroll
        for (int m = 0; m < 2; m++)
            #pragma unroll
            for (int tile = 0; tile < 4; tile++)
                #pragma unroll
                for (int k = 0; k < 4; k++) sums[m][tile][k] += kept[warp * 1024 + ((m * 4 + tile) * 4 + k) * 32 + threadIdx.x % 32];
    __syncthreads();
    if (warp < 8) keep<4>(kept + warp * 1024, sums);
    __syncthreads();
}

__device__ __forceinline__ float added_up(const float* kept, int parts, int size, int place) {
    float sum = 0.0f;
    for (int part = 0; part < parts; part++) sum += kept[part * size + place];
    return sum;
}

// sums += A·B for the columns that `column` names in each tile, −1 for none; pieces of depth from `first` on, every 16th.
__device__ __forceinline__ void add_columns(float (*sums)[4][4], const float* a, int a_stride, int rows, const float* b, int b_stride, int depth, const int* column, int first) {
    int t = threadIdx.x % 4;
    #pragma unroll 2
    for (int piece = first; piece * 16 < depth; piece += WARPS) {
        int k = piece * 16 + 4 * t;
        float4 rows_of_a[4];
        float columns_of_b[4][4];
        read_rows(rows_of_a, a, a_stride, rows, depth, k);
        #pragma unroll
        for (int tile = 0; tile < 4; tile++)
            #pragma unroll
            for (int e = 0; e < 4; e++)
                columns_of_b[tile][e] = k + e < depth && column[tile] >= 0 ? b[(size_t)(k + e) * b_stride + column[tile]] : 0.0f;
        add_piece<4>(sums, rows_of_a, columns_of_b);
    }
}

// A step of an LSTM layer, from the input and h to h': a block for 8 hidden units.
extern "C" __global__ void __launch_bounds__(512) lstm_step(const float* input, int input_stride, int inputs, const float* input_weight, const float* h, const float* hidden_weight, const float* bias, const float* cells, float* gates, float* new_cells, float* cell_tanh, float* output, int hidden, int rows) {
    __shared__ float kept[8 * 1024];
    int first_unit = blockIdx.x * 8, warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4;
    int column[4];
    for (int gate = 0; gate < 4; gate++) column[gate] = gate * hidden + first_unit + g;
    float sums[2][4][4] = {};
    add_columns(sums, input, input_stride, rows, input_weight, 4 * hidden, inputs, column, warp);
    add_columns(sums, h, hidden, rows, hidden_weight, 4 * hidden, hidden, column, warp);
    keep_in_two_turns(kept, sums);
    int row = threadIdx.x / 8, unit = threadIdx.x % 8;
    if (row >= rows || row >= ROWS_AT_ONCE) return;
    float z[4];
    for (int gate = 0; gate < 4; gate++) z[gate] = added_up(kept, 8, 1024, place_of(4, row, 8 * gate + unit)) + bias[gate * hidden + first_unit + unit];
    float i = sigmoid(z[0]), f = sigmoid(z[1]), new_g = tanhf(z[2]), o = sigmoid(z[3]);
    size_t at = (size_t)row * hidden + first_unit + unit;
    float c = f * cells[at] + i * new_g, tanh_c = tanhf(c);
    float* gate = gates + (size_t)row * 4 * hidden + first_unit + unit;
    gate[0] = i;
    gate[hidden] = f;
    gate[2 * hidden] = new_g;
    gate[3 * hidden] = o;
    new_cells[at] = c;
    cell_tanh[at] = tanh_c;
    output[at] = o * tanh_c;
}

// Y = f(X·W + b): a block for 32 columns.
extern "C" __global__ void __launch_bounds__(512) dense_step(const float* input, int input_stride, int inputs, const float* weight, int weight_stride, const float* bias, float* output, float* kept_sums, int output_stride, int columns, int rows, int function) {
    __shared__ float kept[8 * 1024];
    int first = blockIdx.x * 32, warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4;
    int column[4];
    for (int tile = 0; tile < 4; tile++) column[tile] = first + 8 * tile + g < columns ? first + 8 * tile + g : -1;
    float sums[2][4][4] = {};
    add_columns(sums, input, input_stride, rows, weight, weight_stride, inputs, column, warp);
    keep_in_two_turns(kept, sums);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        int row = i / 32, k = i % 32;
        if (row >= rows || first + k >= columns) continue;
        float z = added_up(kept, 8, 1024, place_of(4, row, k)) + bias[first + k];
        size_t at = (size_t)row * output_stride + first + k;
        if (kept_sums) kept_sums[at] = z;
        output[at] = activated(function, z);
    }
}

// G·Wᵀ for rows of W that lie one after the other, 16 to a block: first those of `weight`, then those of `weight_2`, whose blocks begin at `blocks`.
// What comes of the first is written to `out`; or it is the gradient by h of an LSTM layer below, whose step is taken back here (lstm_backward).
extern "C" __global__ void __launch_bounds__(512) back_step(const float* gradient, int depth, int gradient_stride, const float* weight, int weight_stride, int columns, int blocks, float* out, int out_stride, const float* weight_2, float* out_2, int columns_2, int rows, float* gates, const float* cells, const float* cell_tanh, const float* by_later, float* by_cell, int is_last) {
    __shared__ float kept[WARPS * 512];
    bool is_second = blockIdx.x >= blocks;
    int first = 16 * (is_second ? blockIdx.x - blocks : blockIdx.x), count = is_second ? columns_2 : columns;
    const float* w = is_second ? weight_2 : weight;
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    float sums[2][2][4] = {};
    #pragma unroll 4
    for (int piece = warp; piece * 16 < depth; piece += WARPS) {
        int k = piece * 16 + 4 * t;
        float4 rows_of_a[4];
        float rows_of_w[2][4];
        read_rows(rows_of_a, gradient, gradient_stride, rows, depth, k);
        #pragma unroll
        for (int tile = 0; tile < 2; tile++) {
            int n = first + 8 * tile + g;
            float4 x = n < count && k < depth ? *(const float4*)(w + (size_t)n * weight_stride + k) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            rows_of_w[tile][0] = x.x;
            rows_of_w[tile][1] = x.y;
            rows_of_w[tile][2] = x.z;
            rows_of_w[tile][3] = x.w;
        }
        add_piece<2>(sums, rows_of_a, rows_of_w);
    }
    keep<2>(kept + warp * 512, sums);
    __syncthreads();
    int row = threadIdx.x / 16, n = first + threadIdx.x % 16;
    if (row >= rows || n >= count) return;
    float value = added_up(kept, WARPS, 512, place_of(2, row, threadIdx.x % 16));
    if (is_second) {
        out_2[(size_t)row * columns_2 + n] = value;
        return;
    }
    if (!gates) {
        out[(size_t)row * out_stride + n] = value;
        return;
    }
    size_t at = (size_t)row * columns + n;
    float* z = gates + (size_t)row * 4 * columns + n;
    float i = z[0], f = z[columns], new_g = z[2 * columns], o = z[3 * columns], tanh_c = cell_tanh[at];
    float by_h = is_last ? value : value + by_later[at];
    float by_c = by_h * o * (1.0f - tanh_c * tanh_c);
    if (!is_last) by_c += by_cell[at];
    z[0] = by_c * new_g * (i * (1.0f - i));
    z[columns] = by_c * cells[at] * (f * (1.0f - f));
    z[2 * columns] = by_c * i * (1.0f - new_g * new_g);
    z[3 * columns] = by_h * tanh_c * (o * (1.0f - o));
    by_cell[at] = by_c * f;
}

#else

extern "C" __global__ void lstm_step() {}
extern "C" __global__ void dense_step() {}
extern "C" __global__ void back_step() {}

#endif
