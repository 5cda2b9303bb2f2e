// Algorithm 2 (ADEPT), Algorithm 1 (BPSS), lazy rollback, reviews and drift. A learner never changes: `learn` returns the
// next one.

class Learner {
  constructor(conceptClass, {T, M, rate, prior}) {
    const base = baseFor(conceptClass);
    M ??= base.mistakeBound;
    Object.assign(this, {conceptClass, base, T, M, prior: priorOf(prior, T, M, conceptClass.size)});
    this.rateRule = rateRule(rate, this.prior, T, M);
    this.paths = [startOf(conceptClass, base)];
    Object.assign(this, {rounds: 0, expectedLoss: 0, gap: 0, asked: 0, lastRate: this.eta});
  }

  // The account of a round that was answered with the weights of `look`.
  charged(look, y) {
    const next = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    const loss = y ? 1 - look.p : look.p, paid = look.costs[y];
    next.rounds += 1;
    next.asked += look.asked;
    next.expectedLoss += paid;
    next.gap += paid - loss + mixabilityGap(loss, y ? -look.logOdds : look.logOdds, look.eta);
    next.lastRate = look.eta;
    return next;
  }

  get regret() {
    return this.expectedLoss - this.bestLoss;
  }

  // The least loss of a path that some rule has: the best rule's.
  get leastLoss() {
    return this.paths.reduce((least, v) => v.concepts.length ? Math.min(least, v.loss) : least, Infinity);
  }

  get bestLoss() {
    return this.leastLoss;
  }

  // Step 4: L_t(u) = L_{t-1}(v) + [u_t != y_t], and V_t becomes the active set.
  learn(look, y) {
    const next = this.charged(look, y);
    next.paths = look.children.map(u => ({...u, loss: u.loss + Number(u.label !== y)}));
    return next;
  }

  // Whether paths of rules may be cut for their mistakes: what is said then is of the rules that are left.
  get partial() {
    return this.M < this.base.mistakeBound;
  }

  // ln of the mass of the best rules' part of the prior that pays for a path of this price.
  priceOf(price) {
    return price;
  }

  // True of every stream of T rounds; nothing is promised where paths beyond M may be dropped.
  get inAdvance() {
    if (this.partial) return null;
    const value = this.rateRule.inAdvance(this.T, this.priceOf(this.prior.price(this.T), this.T));
    return value === null ? null : Math.min(value, this.T);
  }

  // Proven now, for experts that cost so much: cost / eta + Delta, and never more than the rounds.
  proven(cost) {
    const price = cost > 0 ? (this.lastRate ? cost / this.lastRate : Infinity) : 0;
    const bound = Math.min(price + this.gap, this.rounds);
    return bound < this.regret && this.regret <= bound + 1e-10 * (1 + this.rounds) ? this.regret : bound;
  }
}

class Adept extends Learner {
  get eta() {
    return this.rateRule.eta(this.leastLoss);
  }

  // Steps 1-3: extend every active prefix by both labels, prune, weigh, predict.
  look(x, t = this.rounds + 1) {
    const {paths, eta, prior, M} = this;
    const splits = paths.map(v => splitOf(this.conceptClass, this.base, v, x));
    const first = splits.map(s => s.children[0]), twins = splits.filter(s => s.children[1]).map(s => s.children[1]);
    const extended = [...first, ...twins];
    const children = extended.filter(u => u.mistakes <= M), beyond = extended.filter(u => u.mistakes > M);
    for (const u of children) {
      u.logMass = prior.logMass(t, u);
      u.logWeight = this.logWeight(u, t);
    }
    return withCosts({x, t, eta, splits, children, beyond, asked: 2 * paths.length, ...sharesOf(children)});
  }

  // ln of the weight of a path, with its mass after round t.
  logWeight(u, t) {
    return this.prior.logMass(t, u) - this.eta * (u.loss - this.leastLoss);
  }

  get width() {
    return this.paths.length;
  }

  get bestRule() {
    return this.paths.find(v => v.loss === this.leastLoss).concepts[0];
  }

  // ln(1 / prior mass) of the best path, of several the one with the largest mass.
  get leaderCost() {
    const best = this.paths.filter(v => v.loss === this.leastLoss);
    return this.prior.logTotal - Math.max(...best.map(v => this.prior.logMass(this.rounds, v)));
  }

  get bound() {
    return this.proven(this.priceOf(this.leaderCost, this.rounds));
  }
}

// Plain BPSS, with the schedules of mistakes that share their labels so far kept as one history.
class Bpss extends Learner {
  constructor(conceptClass, {T, M, rate}) {
    super(conceptClass, {T, M, rate, prior: "paper"});
  }

  // The best expert, fitted by a rule or not: it sets the rate, and the scale of the weights.
  get bestActive() {
    return this.paths.reduce((least, v) => Math.min(least, v.loss), Infinity);
  }

  get eta() {
    return this.rateRule.eta(this.bestActive);
  }

  look(x) {
    const {eta, prior} = this, t = this.rounds + 1;
    const splits = this.paths.map(v => splitOf(this.conceptClass, this.base, v, x, false));
    const children = splits.flatMap(s => s.children).filter(u => u.mistakes <= this.M);
    for (const u of children) {
      u.logMass = prior.logMass(t, u);
      u.logWeight = this.logWeight(u, t);
    }
    return withCosts({x, t, eta, splits, children, beyond: [], asked: 2 * this.paths.length, ...sharesOf(children)});
  }

  logWeight(u, t) {
    return this.prior.logMass(t, u) - this.eta * (u.loss - this.bestActive);
  }

  // The schedules: N of them, in every round.
  get width() {
    return Math.round(Math.exp(this.prior.logTotal));
  }

  get bound() {
    return this.proven(this.prior.logTotal);
  }
}

// Lazy rollback: ADEPT of K rounds, on the rounds that were drawn; the others are looked at and rolled back.
class LazyAdept extends Adept {
  constructor(conceptClass, {T, M, rate, commits}) {
    super(conceptClass, {T: commits, M, rate, prior: "paper"});
    Object.assign(this, {T, commits, committed: 0, stream: []});
  }

  // Round r + 1 of K, from the committed state.
  look(x) {
    return super.look(x, this.committed + 1);
  }

  // The chance that the coming round is committed, drawn after predicting.
  get chance() {
    return (this.commits - this.committed) / (this.T - this.rounds);
  }

  learn(look, y, kept) {
    const next = kept ? super.learn(look, y) : this.charged(look, y);
    next.committed += Number(kept);
    next.stream = [...this.stream, [look.x, y]];
    return next;
  }

  // Against the best rule of all rounds, committed or not.
  get bestLoss() {
    return this.conceptClass.bestLoss(this.stream ?? []);
  }

  get bound() {
    return null;  // the theorem hides its constant
  }

  get inAdvance() {
    return null;
  }
}

// A third action: a case may be handed to a person, at the cost c of a review. And, or instead of that, drift: the best
// rule may change, and after each round a share of the weight is dealt out again as in the prior.
class Deciding extends Adept {
  constructor(conceptClass, settings) {
    super(conceptClass, settings);
    const {review, drift} = settings;
    Object.assign(this, {review, drift});
    if (review !== null) this.rateRule = new ReviewRate(reviewRate(review));
    this.lastRate = this.eta;
  }

  logWeight(u, t) {
    return this.drift ? this.prior.logMass(t, u) + Math.log(u.g) : super.logWeight(u, t);
  }

  look(x) {
    const look = super.look(x);
    if (this.review === null) return look;
    const acts = actions(look.p, look.eta, this.review), picked = acts.review * this.review;
    return {...look, acts, costs: [acts.one + picked, acts.zero + picked]};
  }

  learn(look, y) {
    const next = super.learn(look, y), t = next.rounds;
    if (!this.drift) return next;
    const before = Array.from({length: SWITCHES}, (_, m) => Math.min(...next.paths.map(u => u.sequences[m])));
    const charged = next.paths.map(u => u.g * (u.label === y ? 1 : Math.exp(-look.eta)));
    const masses = next.paths.map(u => Math.exp(this.prior.logMass(t, u) - this.prior.logTotal));
    const whole = charged.reduce((sum, g, i) => sum + g * masses[i], 0), share = 1 / (t + 1);
    next.paths = next.paths.map((u, i) => ({...u, g: (1 - share) * charged[i] / whole + share,
      sequences: u.sequences.map((loss, m) => (m ? Math.min(loss, before[m - 1]) : loss) + Number(u.label !== y))}));
    return next;
  }

  priceOf(price, t, switches = 0) {
    return this.drift ? sequencePrice(price, t, switches) : price;
  }

  // The loss of the best sequence of rules that changes at most so often, and what is proven of the regret to it.
  sequenceLoss(switches) {
    return Math.min(...this.paths.map(v => v.sequences[switches]));
  }

  sequenceBound(switches) {
    if (!switches) return this.bound;
    const lightest = Math.min(this.prior.price(Math.max(1, this.rounds)),
      Math.max(...this.paths.map(v => this.prior.logTotal - this.prior.logMass(this.rounds, v))));
    return Math.min(this.priceOf(lightest, this.rounds, switches) / this.lastRate + this.gap, this.rounds);
  }
}

// Switches of sequences whose losses are kept, with drift: a path has in `g` what sharing made of its weight, and in
// `sequences` the least losses of sequences that now follow it.
const SWITCHES = 3;

function startOf(conceptClass, base) {
  return {labels: [], mistakes: 0, contested: 0, loss: 0, concepts: conceptClass.everything(), state: base.start(),
    g: 1, sequences: Array(SWITCHES + 1).fill(0)};
}

// Both continuations of a prefix v at x: what the oracle says of each, and what the base learner guesses. Where only
// one label is realizable, that one is guessed. `prune` leaves out the others.
function splitOf(conceptClass, base, v, x, prune = true) {
  const sides = [0, 1].map(label => conceptClass.saying(v.concepts, x, label));
  const can = sides.map(concepts => concepts.length > 0);
  const guess = can[0] !== can[1] ? Number(can[1]) : base.predict(v.state, x);
  const children = [];
  for (const label of [0, 1]) {
    if (prune && !can[label]) continue;
    children.push({
      labels: [...v.labels, label], label, parent: v, loss: v.loss,
      mistakes: v.mistakes + Number(label !== guess), contested: v.contested + Number(can[0] && can[1]),
      concepts: sides[label], state: base.update(v.state, x, label), g: v.g, sequences: v.sequences,
    });
  }
  return {v, guess, can, children};
}

// What a round costs in expectation if its label is 0, and if it is 1.
function withCosts(look) {
  return {...look, costs: [look.p, 1 - look.p]};
}

function sharesOf(children) {
  const all = logSum(children.map(u => u.logWeight));
  for (const u of children) u.share = Math.exp(u.logWeight - all);
  return oddsOfOne(children);
}
