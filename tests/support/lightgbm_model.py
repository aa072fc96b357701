"""Models of boosted trees in LightGBM's text format, of trees that nobody trained, and what they predict."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

NONE, ZERO, NAN = 0, 1, 2


@dataclass
class Tree:
    """Nodes as LightGBM writes them: children are nodes, or leaves as ~number."""

    features: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    leaves: list[float] = field(default_factory=list)

    def leaf(self, vector: Sequence[float]) -> float:
        """The one that a vector comes to."""
        node = 0 if self.features else -1
        while node >= 0:
            value, missing = vector[self.features[node]], self.decisions[node] >> 2
            if abs(value) < 1e-35 or (math.isnan(value) and missing != NAN):
                value = 0.0
            if (missing == ZERO and value == 0) or (missing == NAN and math.isnan(value)):
                left = bool(self.decisions[node] & 2)
            else:
                left = value <= self.thresholds[node]
            node = self.left[node] if left else self.right[node]
        return self.leaves[~node]


@dataclass
class Forest:
    """A model."""

    columns: int
    trees: list[Tree]
    objective: str
    classes: int = 1
    average: bool = False

    def text(self) -> str:
        """The file."""
        head = ["tree", "version=v4", f"num_class={self.classes}", f"num_tree_per_iteration={self.classes}"]
        head += ["label_index=0", f"max_feature_idx={self.columns - 1}", f"objective={self.objective}"]
        head += ["average_output"] if self.average else []
        head += ["feature_names=" + " ".join(f"Column_{i}" for i in range(self.columns)), ""]
        blocks = []
        for number, tree in enumerate(self.trees):
            lists: dict[str, list[int] | list[float]] = {
                "split_feature": tree.features,
                "threshold": tree.thresholds,
                "decision_type": tree.decisions,
                "left_child": tree.left,
                "right_child": tree.right,
                "leaf_value": tree.leaves,
            }
            block = [f"Tree={number}", f"num_leaves={len(tree.leaves)}", "num_cat=0"]
            block += [f"{key}={' '.join(str(value) for value in values)}" for key, values in lists.items() if values]
            blocks += [*block, "is_linear=0", "shrinkage=0.1", "", ""]
        return "\n".join([*head, *blocks, "end of trees", "", "feature_importances:", "", "parameters:", ""])

    def predict(self, vector: Sequence[float]) -> list[float]:
        """One number for each class."""
        sums = [0.0] * self.classes
        for number, tree in enumerate(self.trees):
            sums[number % self.classes] += tree.leaf(vector)
        if self.average:
            sums = [one / (len(self.trees) // self.classes) for one in sums]
        name, *settings = self.objective.split(" ")
        sigmoid = next((float(one[8:]) for one in settings if one.startswith("sigmoid:")), 1.0)
        if name == "multiclass":
            powers = [math.exp(one - max(sums)) for one in sums]
            return [power / sum(powers) for power in powers]
        if name in ("binary", "multiclassova", "cross_entropy"):
            return [1 / (1 + math.exp(-sigmoid * one)) for one in sums]
        return [math.exp(one) if name == "poisson" else one for one in sums]


def random_tree(choose: random.Random, columns: int, leaves: int) -> Tree:
    """Leaves are split one after the other."""
    tree = Tree(leaves=[choose.uniform(-1, 1)])
    where: list[tuple[list[int], int]] = []  # of each leaf: the list and the place that lead to it
    for node in range(leaves - 1):
        leaf = choose.randrange(len(tree.leaves))
        if node > 0:
            children, place = where[leaf]
            children[place] = node
        tree.features.append(choose.randrange(columns))
        tree.thresholds.append(choose.choice([choose.gauss(0, 0.4), 0.0, 1.0000000180025095e-35]))
        tree.decisions.append(choose.choice([0, 2]) | choose.choice([NONE, ZERO, NAN]) << 2)
        tree.left.append(~leaf)
        tree.right.append(~len(tree.leaves))
        tree.leaves.append(choose.uniform(-1, 1))
        where[leaf : leaf + 1] = [(tree.left, node)]
        where.append((tree.right, node))
    return tree


def random_forest(
    objective: str, columns: int, classes: int = 1, *, average: bool = False, seed: int = 1, trees: int = 24
) -> Forest:
    """Trees of 1 to 20 leaves."""
    choose = random.Random(seed)
    made = [random_tree(choose, columns, choose.choice([1, 2, 7, 20])) for _ in range(trees)]
    return Forest(columns, made, objective, classes, average)
