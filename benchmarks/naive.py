"""What one would write first: the paths as a dictionary, and Hedge over all thresholds in plain numpy."""

from __future__ import annotations

import math

import numpy as np


class DictionaryAdept:
    """Algorithm 2 for thresholds, word for word: a dictionary from every active prefix to its k and L.

    A kind version: beside k and L it keeps the range of thresholds that fit the prefix, so that it need not read
    the prefix again, and it keeps the expansion between ``predict_proba`` and ``learn``.
    """

    def __init__(self, n: int, T: int, M: int, rate: float) -> None:
        self.T, self.M, self.rate, self.t = T, M, rate, 0
        self.active: dict[bytes, tuple[int, int, int, int]] = {b"": (0, 0, 0, n)}
        self.expanded: dict[bytes, tuple[int, int, int, int]] = {}

    def predict_proba(self, x: int) -> float:
        log_capacity = self._log_capacities(self.T - self.t - 1)
        self.expanded = {}
        logs: tuple[list[float], list[float]] = ([], [])
        for prefix, (k, L, low, high) in self.active.items():
            ones = min(high, x) - low + 1
            zeros = high - max(low - 1, x)
            guess = int(ones > zeros)
            if zeros > 0 and k + guess <= self.M:
                self.expanded[prefix + b"0"] = (k + guess, L, max(low, x + 1), high)
                logs[0].append(log_capacity[self.M - k - guess] - self.rate * L)
            if ones > 0 and k + 1 - guess <= self.M:
                self.expanded[prefix + b"1"] = (k + 1 - guess, L, low, min(high, x))
                logs[1].append(log_capacity[self.M - k - 1 + guess] - self.rate * L)
        largest = max(max(side, default=-math.inf) for side in logs)
        zero, one = (sum(math.exp(log - largest) for log in side) for side in logs)
        return one / (zero + one)

    def learn(self, x: int, y: int) -> None:
        said = b"01"[y]
        self.active = {
            prefix: (k, L + (prefix[-1] != said), low, high) for prefix, (k, L, low, high) in self.expanded.items()
        }
        self.t += 1

    def _log_capacities(self, n: int) -> list[float]:
        logs, term, total = [0.0], 1.0, 1.0
        for j in range(1, self.M + 1):
            term = term * (n - j + 1) / j if j <= n else 0.0
            total += term
            logs.append(math.log(total))
        return logs

    @property
    def width(self) -> int:
        return len(self.active)


class NumpyHedge:
    """Exponential weights over all thresholds 0..n: one product on a slice and two sums per round."""

    def __init__(self, n: int, T: int) -> None:
        self.weights = np.ones(n + 1)
        self.shrink = math.exp(-math.sqrt(8 * math.log(n + 1) / T))
        self.t = 0

    def predict_proba(self, x: int) -> float:
        ones, zeros = self.weights[: x + 1].sum(), self.weights[x + 1 :].sum()
        return float(ones / (ones + zeros))

    def learn(self, x: int, y: int) -> None:
        wrong = self.weights[x + 1 :] if y else self.weights[: x + 1]
        wrong *= self.shrink
        self.t += 1
        if self.t % 64 == 0:
            self.weights /= self.weights.max()
            self.weights[self.weights < 1e-290] = 0.0  # denormal numbers would cost five times the time
