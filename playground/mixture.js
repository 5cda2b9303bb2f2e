// The share of the weight that says 1, what mixing costs, and the coin of a round.

function logSum(logs) {
  const largest = Math.max(-Infinity, ...logs);
  if (largest === -Infinity) return largest;
  return largest + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - largest), 0));
}

// P(1) and its log-odds, right also where P rounds to 0 or 1. `weighed` are children with logWeight and label.
function oddsOfOne(weighed) {
  const side = label => logSum(weighed.filter(u => u.label === label).map(u => u.logWeight));
  const logOdds = side(1) - side(0), rest = Math.exp(-Math.abs(logOdds));
  return {p: (logOdds > 0 ? 1 : rest) / (1 + rest), logOdds};
}

function softplus(z) {
  return Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
}

// How much Hedge's expected loss exceeds its mix loss; `logOdds` are those of the side that loses.
function mixabilityGap(loss, logOdds, eta) {
  if (eta === 0) return 0;
  let gap;
  if (eta <= 4 || logOdds <= 0) {
    gap = loss < 1 ? loss + Math.log1p(loss * Math.expm1(-eta)) / eta : 0;
  } else if (logOdds >= eta) {
    const rest = Math.exp(-logOdds);
    gap = (Math.log1p(Math.exp(eta - logOdds)) - Math.log1p(rest)) / eta - rest / (1 + rest);
  } else {
    gap = 1 / (1 + Math.exp(-logOdds)) - (softplus(logOdds) - softplus(logOdds - eta)) / eta;
  }
  return Math.max(gap, 0);
}

// Theorem R, costs 1, 1 and c: the chances of saying 1, of saying 0 and of a review whose expected cost is the mix loss,
// whichever label comes. Of all such chances these have the fewest reviews.
function actions(p, eta, c) {
  const mixLoss = wrong => 1 - Math.log1p((1 - wrong) * Math.expm1(eta)) / eta;
  const ifOne = mixLoss(1 - p), ifZero = mixLoss(p);
  const review = Math.min(1, Math.max(0, (1 - ifOne - ifZero) / (1 - 2 * c)));
  const one = Math.min(1 - review, Math.max(0, 1 - review - (ifOne - review * c)));
  return {one, review, zero: Math.max(0, 1 - one - review)};
}

// The coin of round t at the point x, uniform in [0, 1): the library's own hash of both and of the seed.
const MASK = (1n << 64n) - 1n;

function mixed(z) {
  z = (z ^ z >> 30n) * 0xBF58476D1CE4E5B9n & MASK;
  z = (z ^ z >> 27n) * 0x94D049BB133111EBn & MASK;
  return z ^ z >> 31n;
}

function coin(seed, t, x) {
  const drawn = mixed(mixed(seed + BigInt(t) * 0x9E3779B97F4A7C15n & MASK) ^ BigInt(x)) >> 11n;
  return Number(drawn) / 9007199254740992;
}
