// A window under the network's own output on a GPU; a block for each stretch of motion. What `tables.rs` defines stands above this source:
// DIMS numbers of a state, ACTIONS, ROWS stretches, INPUT_STRIDE and OUTPUT_STRIDE numbers from row to row, PLACES, FEET,
// HEIGHT and BOUND, the weights MOTION, OBJECTIVE, CONTACT, RIGID, STEP_WEIGHT, SCALE = 1 / unit², RETURN_SHARE.

#define CONTROLS 9
// Numbers of a step of a stretch: what is asked for in the world, the true heading frame, the control values of the set (NaN where open).
#define FRAME 9
#define WANTED 12
#define FIELDS 21

// Numbers of a column: mean, deviation, carried share.
#define MEAN(k) columns[k]
#define DEVIATION(k) columns[DIMS + (k)]
#define CARRIED(k) columns[2 * DIMS + (k)]

__device__ __forceinline__ float wrapped(float angle) {
    const float PI = 3.14159265358979f, TAU = 6.28318530717959f;
    return angle - TAU * floorf((angle + PI) / TAU);
}

__device__ __forceinline__ float bounded(float x) { return x < -BOUND ? -BOUND : x > BOUND ? BOUND : x; }

// A control value as the character sees it from the heading frame `own`; `asked` is in the world.
__device__ float seen(int control, const float* asked, const float* own) {
    switch (control) {
        case 0:
        case 1: {
            float x = asked[0] - own[0], y = asked[1] - own[1], s, c;
            sincosf(own[2], &s, &c);
            return control == 0 ? c * x + s * y : c * y - s * x;
        }
        case 2: return wrapped(asked[2] - own[2]);
        case 3: return fmaxf(asked[3], 0.0f);
        case 5: return cosf(asked[5] - own[2]);
        case 6: return sinf(asked[5] - own[2]);
        default: return asked[control];
    }
}

// The input of the network for one stretch: bounded state, actions, control values, which of them are given.
__device__ void write_input(const float* state, const float* asked, unsigned given, unsigned actions, const float* own, const float* controls, float* input) {
    for (int k = threadIdx.x; k < DIMS + ACTIONS + 2 * CONTROLS; k += blockDim.x) {
        float value;
        if (k < DIMS) {
            value = bounded(state[k]);
        } else if (k < DIMS + ACTIONS) {
            value = (float)(actions >> (k - DIMS) & 1u);
        } else if (k < DIMS + ACTIONS + CONTROLS) {
            int control = k - DIMS - ACTIONS;
            value = given >> control & 1u ? bounded((seen(control, asked, own) - controls[control]) / controls[CONTROLS + control]) : 0.0f;
        } else {
            value = (float)(given >> (k - DIMS - ACTIONS - CONTROLS) & 1u);
        }
        input[k] = value;
    }
}

// counter: steps of the stretches that are done, windows that are done.
extern "C" __global__ void begin_window(const float* set_rows, const unsigned* base, const float* steps, const unsigned* flags, const unsigned* counter, const float* controls, float* own, float* states, float* input, double* terms) {
    int row = blockIdx.x;
    unsigned at = counter[0];
    const float* asked = steps + ((size_t)at * ROWS + row) * FIELDS;
    const unsigned* flag = flags + ((size_t)at * ROWS + row) * 2;
    const float* from = set_rows + (size_t)(base[row] + at) * DIMS;
    for (int k = threadIdx.x; k < DIMS; k += blockDim.x) states[row * DIMS + k] = from[k];
    if (threadIdx.x < 3) own[row * 3 + threadIdx.x] = asked[FRAME + threadIdx.x];
    if (threadIdx.x < 4) terms[((size_t)counter[1] * ROWS + row) * 4 + threadIdx.x] = 0.0;
    __syncthreads();
    write_input(states + row * DIMS, asked, flag[0], flag[1], own + row * 3, controls, input + (size_t)row * INPUT_STRIDE);
}

__device__ __forceinline__ void add_up(float value, float* sums, int which) {
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
    if (threadIdx.x % 32 == 0) sums[which * 32 + threadIdx.x / 32] = value;
}

// After the network's output of a step: the next state, the four terms of the loss (losses.rs) with their gradients by the output, the next input.
// ints: place and contact column of each foot; foot of each place or −1; where each place's links begin; the other place of each link.
// lengths: that of each link. The shared memory holds both states without standard, gradients by feet and places, sums.
extern "C" __global__ void end_step(const float* columns, const float* controls, const int* ints, const float* lengths, const float* set_rows, const unsigned* base, const float* steps, const unsigned* flags, const unsigned* counter, const float* output, float* own, float* states, float* gradient, float* input, double* terms, int step, int frames) {
    extern __shared__ float shared[];
    float *was = shared, *is = was + DIMS, *by_foot = is + DIMS, *turned_back = by_foot + 3 * FEET, *by_turn = turned_back + 3 * FEET;
    float *by_place = by_turn + FEET, *sums = by_place + 3 * PLACES;
    const int *foot_place = ints, *foot_contact = ints + FEET, *place_foot = ints + 2 * FEET, *first_link = place_foot + PLACES, *other = first_link + PLACES + 1;
    int row = blockIdx.x;
    unsigned at = counter[0] + step;
    const float* asked = steps + ((size_t)at * ROWS + row) * FIELDS;
    const float* wanted_row = set_rows + (size_t)(base[row] + at + 1) * DIMS;
    const float* before = states + ((size_t)step * ROWS + row) * DIMS;
    float* now = states + ((size_t)(step + 1) * ROWS + row) * DIMS;
    const float* out = output + ((size_t)step * ROWS + row) * OUTPUT_STRIDE;
    float* g = gradient + ((size_t)step * ROWS + row) * OUTPUT_STRIDE;
    float* frame = own + row * 3;
    float scale = 1.0f / ((float)ROWS * (float)frames * (float)DIMS);
    float motion = 0.0f, objective = 0.0f, contact = 0.0f, rigid = 0.0f;

    // How far the root of the set is ahead.
    float off[3];
    {
        float s, c, x = asked[FRAME] - frame[0], y = asked[FRAME + 1] - frame[1];
        sincosf(frame[2], &s, &c);
        off[0] = c * x + s * y;
        off[1] = c * y - s * x;
        off[2] = wrapped(asked[FRAME + 2] - frame[2]);
    }
    // E_motion and E_objective (6).
    for (int k = threadIdx.x; k < DIMS; k += blockDim.x) {
        float z = CARRIED(k) * before[k] + out[k], wanted = wanted_row[k], weight = 1.0f;
        now[k] = z;
        was[k] = MEAN(k) + DEVIATION(k) * before[k];
        is[k] = MEAN(k) + DEVIATION(k) * z;
        if (k < 3) {
            wanted += RETURN_SHARE * off[k] / DEVIATION(k);
            weight = STEP_WEIGHT;
        }
        float d = z - wanted;
        motion += weight * d * d;
        g[k] = scale * MOTION * weight * 2.0f * d;
    }
    for (int k = threadIdx.x; k < CONTROLS; k += blockDim.x) {
        float wanted = asked[WANTED + k];
        float d = isnan(wanted) ? 0.0f : out[DIMS + k] - wanted;
        objective += d * d;
        g[DIMS + k] = scale * OBJECTIVE * 2.0f * d;
    }
    __syncthreads();
    // E_contact (7): a place of the later frame in the heading frame of the earlier one is step + R(turn)·place.
    float sine, cosine;
    sincosf(is[2], &sine, &cosine);
    for (int foot = threadIdx.x; foot < FEET; foot += blockDim.x) {
        int k = foot_contact[foot], p = FIRST_PLACE + 3 * (foot_place[foot] - 1);
        float by[3] = {0.0f, 0.0f, 0.0f}, turn = 0.0f;
        if (was[k] > 0.5f && is[k] > 0.5f) {
            float tx = cosine * is[p] - sine * is[p + 1], ty = sine * is[p] + cosine * is[p + 1];
            float way[3] = {is[0] + tx - was[p], is[1] + ty - was[p + 1], is[p + 2] - was[p + 2]};
            contact += SCALE * (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
            for (int j = 0; j < 3; j++) by[j] = scale * CONTACT * SCALE * 2.0f * way[j];
            turn = by[1] * tx - by[0] * ty;
        }
        for (int j = 0; j < 3; j++) by_foot[3 * foot + j] = by[j];
        by_turn[foot] = turn;
        turned_back[3 * foot] = cosine * by[0] + sine * by[1];
        turned_back[3 * foot + 1] = cosine * by[1] - sine * by[0];
        turned_back[3 * foot + 2] = by[2];
    }
    // E_rigid (8): every place sums up its own links, each of which is counted at both ends.
    for (int place = threadIdx.x; place < PLACES; place += blockDim.x) {
        float by[3] = {0.0f, 0.0f, 0.0f}, here[3];
        for (int j = 0; j < 3; j++) here[j] = place > 0 ? is[FIRST_PLACE + 3 * (place - 1) + j] : j == 2 ? is[HEIGHT] : 0.0f;
        for (int link = first_link[place]; link < first_link[place + 1]; link++) {
            float way[3], square = 0.0f;
            for (int j = 0; j < 3; j++) {
                float there = other[link] > 0 ? is[FIRST_PLACE + 3 * (other[link] - 1) + j] : j == 2 ? is[HEIGHT] : 0.0f;
                way[j] = here[j] - there;
                square += way[j] * way[j];
            }
            float found = sqrtf(square);
            if (found < 1e-9f) continue;
            float d = found - lengths[link];
            rigid += 0.5f * SCALE * d * d;
            for (int j = 0; j < 3; j++) by[j] += way[j] * (scale * RIGID * SCALE * 2.0f * d / found);
        }
        for (int j = 0; j < 3; j++) by_place[3 * place + j] = by[j];
    }
    __syncthreads();
    // Gradients by places, feet and the root's way; deviations come last.
    for (int k = threadIdx.x; k < DIMS; k += blockDim.x) {
        float by = 0.0f, by_before = 0.0f;
        if (k >= FIRST_PLACE && k < FIRST_PLACE + 3 * (PLACES - 1)) {
            int place = 1 + (k - FIRST_PLACE) / 3, j = (k - FIRST_PLACE) % 3, foot = place_foot[place];
            by = by_place[3 * place + j];
            if (foot >= 0) {
                by += turned_back[3 * foot + j];
                by_before = -by_foot[3 * foot + j];
            }
        } else if (k == HEIGHT) {
            by = by_place[2];
        } else if (k < 3) {
            for (int foot = 0; foot < FEET; foot++) by += k < 2 ? by_foot[3 * foot + k] : by_turn[foot];
        }
        g[k] += by * DEVIATION(k);
        if (step > 0 && by_before != 0.0f) g[k - (long long)ROWS * OUTPUT_STRIDE] += by_before * DEVIATION(k);
    }
    add_up(motion, sums, 0);
    add_up(objective, sums, 1);
    add_up(contact, sums, 2);
    add_up(rigid, sums, 3);
    if (threadIdx.x == 0) {
        float s, c, x = frame[0], y = frame[1], yaw = frame[2];
        sincosf(yaw, &s, &c);
        frame[0] = x + c * is[0] - s * is[1];
        frame[1] = y + s * is[0] + c * is[1];
        frame[2] = wrapped(yaw + is[2]);
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        float sum = 0.0f;
        for (int warp = 0; warp < blockDim.x / 32; warp++) sum += sums[threadIdx.x * 32 + warp];
        terms[((size_t)counter[1] * ROWS + row) * 4 + threadIdx.x] += (double)(scale * sum);
    }
    if (step + 1 < frames) {
        const unsigned* flag = flags + ((size_t)(at + 1) * ROWS + row) * 2;
        write_input(now, asked + ROWS * FIELDS, flag[0], flag[1], frame, controls, input + ((size_t)(step + 1) * ROWS + row) * INPUT_STRIDE);
    }
}

// The gradient by a state goes to the output of the step before: through the next input where it was not bounded, and through the share that is carried on.
extern "C" __global__ void pass_back(const float* columns, const float* states, const float* by_input, float* gradient, int step) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= ROWS * DIMS) return;
    int row = i / DIMS, k = i - row * DIMS;
    float* g = gradient + ((size_t)step * ROWS + row) * OUTPUT_STRIDE + k;
    float sum = CARRIED(k) * *g;
    if (fabsf(states[((size_t)step * ROWS + row) * DIMS + k]) < BOUND) sum += by_input[(size_t)row * INPUT_STRIDE + k];
    g[-(long long)ROWS * OUTPUT_STRIDE] += sum;
}

extern "C" __global__ void end_window(unsigned* counter, int frames) {
    counter[0] += frames;
    counter[1] += 1;
}
