//! Which samples stay alive: a range of costs that favours the low ones (Keys-to-Sim §5.4, after Liu et al. 2010).

/// Share of the samples, the worst ones, that never stay.
const DROPPED: f64 = 0.4;
/// Exponent of the selection.
const POWER: f64 = 6.0;

/// Indices of `keep` samples in order of their choice: of the best 60 %, those nearest to
/// `y_i = c_min + (c_max − c_min)·(i/(k−1))⁶`, each taken once.
pub(crate) fn select(costs: &[f64], keep: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]).then(a.cmp(&b)));
    let kept = ((order.len() as f64 * (1.0 - DROPPED)).ceil() as usize).max(keep.min(order.len()));
    order.truncate(kept);
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return Vec::new() };
    let (low, high) = (costs[first], costs[last]);
    let mut chosen = Vec::with_capacity(keep);
    for i in 0..keep.min(order.len()) {
        let share = if keep > 1 { i as f64 / (keep - 1) as f64 } else { 0.0 };
        let wanted = low + (high - low) * libm::pow(share, POWER);
        let distance = |&at: &usize| (costs[order[at]] - wanted).abs();
        let nearest = (0..order.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)).then(a.cmp(b)));
        if let Some(at) = nearest {
            chosen.push(order.remove(at));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::select;

    #[test]
    fn greedy_takes_the_best() {
        assert_eq!(select(&[3.0, 1.0, 2.0], 1), [1]);
    }

    #[test]
    fn costs_are_spread_by_the_sixth_power() {
        let costs: Vec<f64> = (0..1000).map(|i| i as f64).rev().collect();
        let chosen: Vec<f64> = select(&costs, 5).iter().map(|&i| costs[i]).collect();
        // Of 0..600: 599·(i/4)⁶ = 0, 0.146, 9.36, 106.6, 599.
        assert_eq!(chosen, [0.0, 1.0, 9.0, 107.0, 599.0]);
    }

    #[test]
    fn equal_costs_and_few_samples() {
        assert_eq!(select(&[1.0, 1.0, 1.0], 3), [0, 1, 2]);
        assert_eq!(select(&[1.0, 2.0], 5), [0, 1]);
        assert!(select(&[], 2).is_empty());
        assert_eq!(select(&[f64::INFINITY, 1.0], 1), [1]);
    }
}
