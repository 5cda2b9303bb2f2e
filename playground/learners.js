// Algorithm 2 (ADEPT), Algorithm 1 (BPSS) and lazy rollback. A learner never changes: `learn` returns the next one.

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
    const loss = y ? 1 - look.p : look.p;
    next.rounds += 1;
    next.asked += look.asked;
    next.expectedLoss += loss;
    next.gap += mixabilityGap(loss, y ? -look.logOdds : look.logOdds, look.eta);
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

  // True of every stream of T rounds; nothing is promised where paths beyond M may be dropped.
  get inAdvance() {
    if (this.partial) return null;
    const value = this.rateRule.inAdvance(this.T, this.prior.price(this.T));
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
    const {paths, eta, leastLoss, prior, M} = this;
    const splits = paths.map(v => splitOf(this.conceptClass, this.base, v, x));
    const first = splits.map(s => s.children[0]), twins = splits.filter(s => s.children[1]).map(s => s.children[1]);
    const extended = [...first, ...twins];
    const children = extended.filter(u => u.mistakes <= M), beyond = extended.filter(u => u.mistakes > M);
    for (const u of children) {
      u.logMass = prior.logMass(t, u);
      u.logWeight = u.logMass - eta * (u.loss - leastLoss);
    }
    return {x, t, eta, splits, children, beyond, asked: 2 * paths.length, ...sharesOf(children)};
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
    return this.proven(this.leaderCost);
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
    const {eta, bestActive, prior} = this, t = this.rounds + 1;
    const splits = this.paths.map(v => splitOf(this.conceptClass, this.base, v, x, false));
    const children = splits.flatMap(s => s.children).filter(u => u.mistakes <= this.M);
    for (const u of children) {
      u.logMass = prior.logMass(t, u);
      u.logWeight = u.logMass - eta * (u.loss - bestActive);
    }
    return {x, t, eta, splits, children, beyond: [], asked: 2 * this.paths.length, ...sharesOf(children)};
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

function startOf(conceptClass, base) {
  return {labels: [], mistakes: 0, contested: 0, loss: 0, concepts: conceptClass.everything(), state: base.start()};
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
      concepts: sides[label], state: base.update(v.state, x, label),
    });
  }
  return {v, guess, can, children};
}

function sharesOf(children) {
  const all = logSum(children.map(u => u.logWeight));
  for (const u of children) u.share = Math.exp(u.logWeight - all);
  return oddsOfOne(children);
}
