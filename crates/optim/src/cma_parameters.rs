//! The constants of CMA-ES that follow from dimension and population, each formula once.
//!
//! Hansen 2016, *The CMA Evolution Strategy: A Tutorial*, table 1, with the two changes of pycma 4: `c_σ ≤ 1/2`, and more damping
//! of the step size where the population is large.

use serde::{Deserialize, Serialize};

/// Constants of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Dimension n.
    pub dimension: usize,
    /// Points in each generation, λ.
    pub population: usize,
    /// Points that make the new mean, μ: those with a positive weight.
    pub parents: usize,
    /// μ_eff = 1 / Σ_{i≤μ} w_i²: how many equally weighted parents would vary as much.
    pub effective_parents: f64,
    /// c_σ, rate of the path of the step size.
    pub step_path_rate: f64,
    /// d_σ, damping of the step size.
    pub step_damping: f64,
    /// E‖N(0, I)‖.
    pub expected_length: f64,
    /// Rates of the whole covariance matrix.
    pub full: CovarianceRates,
    /// Rates as long as only its diagonal is learnt.
    pub diagonal: CovarianceRates,
}

/// How fast the covariance matrix is learnt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CovarianceRates {
    /// c_c, rate of the path.
    pub path_rate: f64,
    /// c_1, rate of the rank-one update.
    pub rank_one: f64,
    /// c_μ, rate of the rank-μ update.
    pub rank_mu: f64,
    /// w, from the best to the worst; the positive ones sum to 1.
    pub weights: Vec<f64>,
}

impl Parameters {
    /// For dimension `n` ≥ 1 and population ≥ 2; `active` whether the worse half gets negative weights.
    pub fn new(dimension: usize, population: usize, active: bool) -> Parameters {
        let n = dimension as f64;

        // w'_i = ln((λ+1)/2) − ln i, positive for the better half; scaled so that these sum to 1.
        let middle = libm::log((population as f64 + 1.0) / 2.0);
        let raw: Vec<f64> = (1..=population).map(|i| middle - libm::log(i as f64)).collect();
        let parents = raw.iter().filter(|w| **w > 0.0).count();
        let positive_sum: f64 = raw[..parents].iter().sum();
        let weights: Vec<f64> = raw.iter().map(|w| w / positive_sum).collect();
        let mu_eff = 1.0 / weights[..parents].iter().map(|w| w * w).sum::<f64>();

        // Step size: c_σ = (μ_eff+2)/(n+μ_eff+3), d_σ = 1 + c_σ + 2 max(0, γ √((μ_eff−1)/(n+1)) − 1), γ = max(1, 3 (1 − 2^(−n/9))).
        let step_path_rate = ((mu_eff + 2.0) / (n + mu_eff + 3.0)).min(0.5);
        let gamma = (3.0 * (1.0 - libm::pow(0.5, n / 9.0))).max(1.0);
        let crowd = gamma * ((mu_eff - 1.0) / (n + 1.0)).max(0.0).sqrt() - 1.0;
        let step_damping = 1.0 + step_path_rate + 2.0 * crowd.max(0.0);
        let expected_length = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));

        // Whole matrix: Hansen 2016, equations 56 to 58.
        let rank_one = (population as f64 / 6.0).min(1.0) * 2.0 / ((n + 1.3) * (n + 1.3) + mu_eff);
        let novelty = 0.25 + mu_eff + 1.0 / mu_eff - 2.0;
        let rank_mu = (2.0 * novelty / ((n + 2.0) * (n + 2.0) + mu_eff)).min(1.0 - rank_one);
        let path_rate = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let full = CovarianceRates::new(path_rate, rank_one, rank_mu, &weights, parents, mu_eff, n, active);

        // Diagonal: n degrees of freedom in place of n², as pycma 4 sets them.
        let rank_one = 1.0 / (n + 2.0 * n.sqrt() + mu_eff / n);
        let rank_mu = (novelty / (n + 4.0 * n.sqrt() + mu_eff / 2.0)).min(1.0 - rank_one);
        let path_rate = (1.0 + 1.0 / n + mu_eff / n) / (n.sqrt() + 1.0 / n + 2.0 * mu_eff / n);
        let diagonal = CovarianceRates::new(path_rate, rank_one, rank_mu, &weights, parents, mu_eff, n, active);

        Parameters {
            dimension,
            population,
            parents,
            effective_parents: mu_eff,
            step_path_rate,
            step_damping,
            expected_length,
            full,
            diagonal,
        }
    }
}

impl CovarianceRates {
    /// Scales the negative weights to sum to −α, or to nothing (Hansen 2016, equations 49 to 53):
    ///
    /// `α = min(1 + c_1/c_μ, 1 + 2 μ_eff⁻/(μ_eff+2), (1 − c_1 − c_μ)/(n c_μ))`: no decay; no more than the good points teach;
    /// and a matrix that stays positive definite.
    #[allow(clippy::too_many_arguments, reason = "the symbols of the formula")]
    fn new(
        path_rate: f64,
        c_1: f64,
        c_mu: f64,
        weights: &[f64],
        parents: usize,
        mu_eff: f64,
        n: f64,
        active: bool,
    ) -> CovarianceRates {
        let negative_sum: f64 = weights[parents..].iter().map(|w| -w).sum();
        let negative_square: f64 = weights[parents..].iter().map(|w| w * w).sum();
        let mu_eff_negative = negative_sum * negative_sum / negative_square;
        let alpha = (1.0 + c_1 / c_mu)
            .min(1.0 + 2.0 * mu_eff_negative / (mu_eff + 2.0))
            .min((1.0 - c_1 - c_mu).max(0.0) / (n * c_mu));
        let factor = if active && negative_sum > 0.0 { alpha / negative_sum } else { 0.0 };
        let weights = weights.iter().enumerate().map(|(i, w)| if i < parents { *w } else { w * factor }).collect();
        CovarianceRates { path_rate, rank_one: c_1, rank_mu: c_mu, weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(x: f64, y: f64) -> bool {
        (x - y).abs() <= 1e-12 * y.abs()
    }

    /// Printed by pycma 4.5: `es = cma.CMAEvolutionStrategy(n * [1], 1, {'popsize': λ})`, then `es.sp`, `es.adapt_sigma`, `es.sm.parameters()`.
    #[test]
    fn constants_are_those_of_pycma() {
        let p = Parameters::new(10, 10, true);
        assert!(close(p.effective_parents, 3.1672992814107017) && close(p.step_path_rate, 0.3196142529106334));
        assert!(close(p.step_damping, 1.3196142529106334) && close(p.full.path_rate, 0.29499038303562225));
        assert!(close(p.full.rank_one, 0.015283824524751714) && close(p.full.rank_mu, 0.02355177665041747));
        assert!(close(p.full.weights[9], -0.5497499176973853));
        assert!(close(p.diagonal.rank_one, 0.0600915124684537) && close(p.diagonal.rank_mu, 0.07151581831113847));
        assert!(close(p.diagonal.path_rate, 0.3636615460252773));
        let p = Parameters::new(10, 30, true);
        assert!(close(p.step_damping, 2.1778042752213236) && close(p.full.weights[29], -0.11379109616038381));
        let p = Parameters::new(20, 30, true);
        assert!(close(p.step_path_rate, 0.3363477990464437) && close(p.step_damping, 2.180327513540871));
        assert!(close(p.full.rank_mu, 0.02845378424759894) && close(p.full.weights[29], -0.13473320568424324));
    }

    #[test]
    fn weights_are_sane_for_every_size() {
        for n in [1, 2, 3, 10, 100] {
            for population in [2, 3, 4, 5, 30, 1000] {
                for active in [false, true] {
                    let p = Parameters::new(n, population, active);
                    for rates in [&p.full, &p.diagonal] {
                        assert!((rates.weights[..p.parents].iter().sum::<f64>() - 1.0).abs() < 1e-12);
                        assert!(rates.weights.iter().all(|w| w.is_finite()) && p.step_damping.is_finite());
                        assert!(rates.weights.windows(2).all(|w| w[0] >= w[1]));
                        // What is left of the matrix in the worst case is not negative.
                        let sum: f64 = rates.weights.iter().sum();
                        let negative: f64 = rates.weights.iter().filter(|w| **w < 0.0).sum();
                        let left = 1.0 - rates.rank_one - rates.rank_mu * sum + rates.rank_mu * n as f64 * negative;
                        assert!(left > -1e-12, "n {n}, population {population}: {left}");
                    }
                }
            }
        }
    }
}
