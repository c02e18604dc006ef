// Gradients of a minibatch by the outputs of the policy and the value (update.rs); a thread for each row. ACTIONS numbers of an action, ROWS rows,
// MEAN_STRIDE and VALUE_STRIDE numbers from row to row of the networks' outputs, CLIP and LEARNS_DEVIATION stand above this source.

// The gradient of the clipped objective −min(r·A, clip(r, 1 ± ε)·A) by μ and ln σ. `moved` sums up the divergence of each row over minibatches.
extern "C" __global__ void policy_gradient(const unsigned* chosen, const float* means, const float* log_deviation, const float* old_log, const float* old_means, const float* actions, const float* advantages, float* by_means, float* by_log, double* moved) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS) return;
    size_t at = chosen[row];
    const float *mean = means + (size_t)row * MEAN_STRIDE, *old_mean = old_means + at * ACTIONS, *action = actions + at * ACTIONS;
    float *by_mean = by_means + (size_t)row * MEAN_STRIDE, *by_deviation = by_log + (size_t)row * MEAN_STRIDE;
    float log_ratio = 0.0f, divergence = 0.0f;
    for (int j = 0; j < ACTIONS; j++) {
        float log = log_deviation[j], before = old_log[j];
        float inverse = expf(-log), old_inverse = expf(-before);
        float z = (action[j] - mean[j]) * inverse, old_z = (action[j] - old_mean[j]) * old_inverse;
        log_ratio += 0.5f * (old_z * old_z - z * z) + before - log;
        float way = (mean[j] - old_mean[j]) * inverse;
        divergence += 0.5f * way * way;
        by_mean[j] = z * inverse;
        by_deviation[j] = z * z - 1.0f;
    }
    float ratio = expf(fminf(fmaxf(log_ratio, -20.0f), 20.0f)), advantage = advantages[at];
    bool is_clipped = advantage > 0.0f ? ratio > 1.0f + CLIP : ratio < 1.0f - CLIP;
    float scale = is_clipped ? 0.0f : -advantage * ratio / (float)ROWS;
    for (int j = 0; j < ACTIONS; j++) {
        by_mean[j] *= scale;
        by_deviation[j] *= LEARNS_DEVIATION ? scale : 0.0f;
    }
    moved[row] += (double)divergence;
}

// The gradient of Σ (V − target)²/2; `losses` sums up (V − target)² of each row over minibatches.
extern "C" __global__ void value_gradient(const unsigned* chosen, const float* values, const float* targets, float* by_values, double* losses) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS) return;
    float off = values[(size_t)row * VALUE_STRIDE] - targets[chosen[row]];
    by_values[(size_t)row * VALUE_STRIDE] = off / (float)ROWS;
    losses[row] += (double)(off * off);
}
