// One step of an LSTM cell and its gradient; a thread for each hidden unit of each row. `gates` holds i, f, g, o of a row one after the other.

extern "C" __global__ void lstm_forward(float* gates, const float* bias, const float* cells, float* new_cells, float* cell_tanh, float* output, int hidden, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    int row = at / hidden, unit = at - row * hidden;
    float* z = gates + (size_t)row * 4 * hidden + unit;
    const float* b = bias + unit;
    float i = sigmoid(z[0] + b[0]);
    float f = sigmoid(z[hidden] + b[hidden]);
    float g = tanhf(z[2 * hidden] + b[2 * hidden]);
    float o = sigmoid(z[3 * hidden] + b[3 * hidden]);
    float c = f * cells[at] + i * g;
    float t = tanhf(c);
    z[0] = i;
    z[hidden] = f;
    z[2 * hidden] = g;
    z[3 * hidden] = o;
    new_cells[at] = c;
    cell_tanh[at] = t;
    output[at] = o * t;
}

// The gates become the gradient by their sums. `by_later` is the part of the gradient by h' through the next step, in so many parts.
// At the last step nothing comes from later ones.
extern "C" __global__ void lstm_backward(float* gates, const float* cells, const float* cell_tanh, const float* by_output, const float* by_later, float* by_cell, int hidden, int count, int is_last, int parts) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= count) return;
    int row = at / hidden, unit = at - row * hidden;
    float* z = gates + (size_t)row * 4 * hidden + unit;
    float i = z[0], f = z[hidden], g = z[2 * hidden], o = z[3 * hidden];
    float t = cell_tanh[at];
    float by_h = by_output[at];
    for (int part = 0; part < parts && !is_last; part++) by_h += by_later[(size_t)part * count + at];
    float by_c = by_h * o * (1.0f - t * t);
    if (!is_last) by_c += by_cell[at];
    z[0] = by_c * g * (i * (1.0f - i));
    z[hidden] = by_c * cells[at] * (f * (1.0f - f));
    z[2 * hidden] = by_c * i * (1.0f - g * g);
    z[3 * hidden] = by_h * t * (o * (1.0f - o));
    by_cell[at] = by_c * f;
}
