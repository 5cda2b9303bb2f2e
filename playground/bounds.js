// The formulas of the bounds, and the learning rates that are made of them.

// ln W for r = 0..M mistakes left and n rounds to come: W = sum_{j <= r} C(n, j).
function logCapacities(n, M) {
  const logs = [0];
  for (let j = 1, choose = 1, sum = 1; j <= M; j++) {
    choose *= (n - j + 1) / j;  // (0 once j is beyond n, and then always)
    sum += choose;
    logs.push(Math.log(sum));
  }
  return logs;
}

function logExpertsBound(T, M) {
  const m = Math.min(M, T);
  return m ? m * Math.log(Math.E * T / m) : 0;
}

// The constant rate at which ln N / eta + eta T / 8 is least.
function tunedRate(T, logExperts) {
  return Math.sqrt(8 * logExperts / T);
}

function paperRate(T, M) {
  return tunedRate(T, logExpertsBound(T, M));
}

function regretAtRate(T, logExperts, rate) {
  return logExperts / rate + rate * T / 8;
}

function firstOrderRegret(bestLoss, logExperts) {
  return Math.max(2.63 * Math.sqrt(logExperts * (bestLoss + 1)), 5.3 * logExperts);
}

// The largest min{bound(L*), T - L*}.
function firstOrderRegretInAdvance(T, logExperts) {
  let low = 0;
  while (low < T && firstOrderRegret(low + 1, logExperts) - (T - low - 1) <= 0) low++;
  return Math.max(Math.min(firstOrderRegret(low, logExperts), T - low), T - low - 1);
}

// What the KT prior costs a path with at most M mistakes in at most T contested rounds.
function ktCost(T, M) {
  if (T === 0) return 0;
  return Math.min(T * Math.LN2, logExpertsBound(T, M)) + Math.log(T) / 2 + Math.LN2;
}

// What T rounds cost every learner that asks at most Q times (d = 1: unions of at most d hidden blocks).
function queryLowerBound(T, Q, d) {
  return T / 2 * Math.min(1, d / (Q + 1)) - Q / 2;
}

// Up to this rate a review that costs c < 1/2 keeps the cost at the mix loss, if a wrong guess costs 1 (Theorem R).
function reviewRate(c) {
  return Math.log((1 - c) / c);
}

// What a sequence with m switches costs, of rules that cost `price` each, where 1/(t + 1) is shared after round t.
function sequencePrice(price, t, switches) {
  const rounds = Math.max(1, t), m = Math.min(switches, rounds - 1);
  let sum = (m + 1) * price;
  for (let j = 0; j <= m; j++) sum += Math.log(rounds - j);
  return sum;
}

class ConstantRate {
  constructor(eta) {
    this.constant = eta;
  }

  eta() {
    return this.constant;
  }

  inAdvance(T, price) {
    if (price === 0) return 0;
    return this.constant ? regretAtRate(T, price, this.constant) : null;
  }
}

class ReviewRate extends ConstantRate {
  inAdvance(T, price) {
    return price / this.constant;  // without a term that grows with T
  }
}

class FirstOrder {
  constructor(logExperts) {
    this.logExperts = logExperts;
  }

  eta(bestLoss) {
    return Math.min(0.5, Math.sqrt(this.logExperts / (bestLoss + 1)));
  }

  inAdvance(T) {
    return firstOrderRegretInAdvance(T, this.logExperts);
  }
}

function rateRule(rate, prior, T, M) {
  if (typeof rate === "number") return new ConstantRate(rate);
  if (rate === "first-order") return new FirstOrder(prior.price(T));
  return new ConstantRate(prior.name === "paper" ? paperRate(T, M) : tunedRate(T, prior.price(T)));
}
