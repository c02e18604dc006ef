//! The part of a graph in which every node leads to every other.

/// Finds the strongly connected component of each node (Tarjan 1972), with a stack of its own instead of recursion.
///
/// `edges` lists the nodes that each node leads to. Components are numbered from 0.
pub fn strong_components(edges: &[Vec<u32>]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let count = edges.len();
    let (mut order, mut low, mut component) = (vec![UNSEEN; count], vec![0; count], vec![UNSEEN; count]);
    let (mut next_order, mut next_component) = (0, 0);
    let mut open: Vec<u32> = Vec::new();
    // A node, and how many of its edges were followed.
    let mut calls: Vec<(u32, usize)> = Vec::new();
    for root in 0..count as u32 {
        if order[root as usize] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((node, followed)) = calls.pop() {
            let at = node as usize;
            if followed == 0 {
                (order[at], low[at]) = (next_order, next_order);
                next_order += 1;
                open.push(node);
            }
            if let Some(&to) = edges[at].get(followed) {
                calls.push((node, followed + 1));
                if order[to as usize] == UNSEEN {
                    calls.push((to, 0));
                } else if component[to as usize] == UNSEEN {
                    low[at] = low[at].min(order[to as usize]);
                }
                continue;
            }
            if low[at] == order[at] {
                while let Some(member) = open.pop() {
                    component[member as usize] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
            if let Some(&(caller, _)) = calls.last() {
                low[caller as usize] = low[caller as usize].min(low[at]);
            }
        }
    }
    component
}

/// Whether each node is in the largest component, of at least two nodes; of equal ones in that of the lowest node.
pub fn strong_core(edges: &[Vec<u32>]) -> Vec<bool> {
    let component = strong_components(edges);
    let mut sizes = vec![0usize; component.iter().map(|&c| c as usize + 1).max().unwrap_or(0)];
    component.iter().for_each(|&c| sizes[c as usize] += 1);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    if largest < 2 {
        return vec![false; edges.len()];
    }
    let core = component.iter().copied().find(|&c| sizes[c as usize] == largest);
    component.iter().map(|&c| Some(c) == core).collect()
}

/// Nodes that can be reached from those in `from`.
pub fn reached(edges: &[Vec<u32>], from: &[bool]) -> Vec<bool> {
    let mut is_reached = from.to_vec();
    let mut open: Vec<usize> = (0..from.len()).filter(|&node| from[node]).collect();
    while let Some(node) = open.pop() {
        for &to in &edges[node] {
            if !std::mem::replace(&mut is_reached[to as usize], true) {
                open.push(to as usize);
            }
        }
    }
    is_reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(count: usize, pairs: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let mut edges = vec![Vec::new(); count];
        pairs.iter().for_each(|&(a, b)| edges[a as usize].push(b));
        edges
    }

    #[test]
    fn the_core_of_a_known_graph() {
        // 0 leads into the ring 1-2-3-4, which leads out to 5 and to the smaller ring 6-7.
        let edges = graph(8, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 1), (3, 5), (4, 6), (6, 7), (7, 6), (2, 4)]);
        assert_eq!(strong_core(&edges), [false, true, true, true, true, false, false, false]);
        let component = strong_components(&edges);
        assert_eq!(component[6], component[7]);
        assert_ne!(component[5], component[6]);
        assert_eq!(reached(&edges, &strong_core(&edges)), [false, true, true, true, true, true, true, true]);
    }

    #[test]
    fn a_line_has_no_core_and_a_long_ring_does_not_overflow() {
        assert_eq!(strong_core(&graph(3, &[(0, 1), (1, 2)])), [false; 3]);
        let count = 200_000;
        let mut edges: Vec<Vec<u32>> = (1..=count).map(|next| vec![next]).collect();
        edges.push(vec![0]);
        assert!(strong_core(&edges).iter().all(|&is_core| is_core));
    }

    #[test]
    fn components_agree_with_reachability_on_random_graphs() {
        let mut stream = crate::random::Stream::new(5, "graphs", 0);
        for _ in 0..50 {
            let pairs: Vec<(u32, u32)> =
                (0..14).map(|_| (stream.uniform(0.0, 9.0) as u32, stream.uniform(0.0, 9.0) as u32)).collect();
            let edges = graph(9, &pairs);
            let component = strong_components(&edges);
            let from = |node: usize| reached(&edges, &(0..9).map(|n| n == node).collect::<Vec<_>>());
            for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))) {
                assert_eq!(component[a] == component[b], from(a)[b] && from(b)[a], "{pairs:?}: {a}, {b}");
            }
        }
    }
}
