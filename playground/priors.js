// How much mass a path has before its losses are looked at, and what that can cost. Everything in logarithms.

// W_t(u) = sum_{j <= M - k(u)} C(T - t, j): how many schedules of mistakes are still open to the path.
class PaperPrior {
  constructor(T, M) {
    Object.assign(this, {name: "paper", T, M, logTotal: logCapacities(T, M)[M]});
  }

  logMass(t, {mistakes}) {
    return logCapacities(Math.max(0, this.T - t), this.M)[this.M - mistakes];
  }

  price() {
    return this.logTotal;
  }
}

// ln B(k + 1/2, n - k + b) / B(1/2, b).
function logBeta(k, n, b) {
  let log = 0;
  for (let i = 0; i < k; i++) log += Math.log(i + 0.5);
  for (let i = 0; i < n - k; i++) log += Math.log(i + b);
  for (let i = 0; i < n; i++) log -= Math.log(i + 0.5 + b);
  return log;
}

// A mixture of beta priors over the base learner's mistakes and, in the mixed prior, the path's share of all concepts.
class BetaPrior {
  constructor(name, M, parts, counts = 0, size = 0) {
    Object.assign(this, {name, M, parts, counts, size, logTotal: 0});
  }

  logMass(t, {mistakes, contested, concepts}) {
    let mass = this.counts * (this.size ? concepts.length / this.size : 0);
    for (const [share, b] of this.parts) mass += share * Math.exp(logBeta(mistakes, contested, b));
    return Math.log(mass);
  }

  price(t) {
    const byCounts = this.size ? Math.log(this.size) - Math.log(this.counts) : Infinity;
    return Math.min(byCounts, ktCost(t, this.M) - Math.log(this.parts[0][0]));
  }
}

function ktPrior(M) {
  return new BetaPrior("kt", M, [[1, 0.5]]);
}

function mixedPrior(M, size) {
  return new BetaPrior("mixed", M, [[1 / 3, 0.5], [1 / 9, 8], [1 / 9, 64], [1 / 9, 512]], 1 / 3, size);
}

function priorOf(name, T, M, size) {
  return name === "kt" ? ktPrior(M) : name === "mixed" ? mixedPrior(M, size) : new PaperPrior(T, M);
}
