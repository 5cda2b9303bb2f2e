// A game: its settings, its rounds so far, and the learners after each of them. Undo forgets the last.

// The seed of the coins of Adept(seed=0): Coins(0).seed.
const SEED = 8493733112532773764n;

const DEFAULTS = {kind: "thresholds", n: 8, T: 8, M: null,
  rows: ["00001111", "00110011", "01010101", "11110000", "11111111"],
  rate: "paper", prior: "paper", prune: true, commits: null, review: null, drift: false};

// The third action, next to 0 and 1.
const REVIEW = 2;

class Game {
  constructor(settings = {}, moves = [], x = null) {
    this.settings = {...DEFAULTS, ...settings};
    this.conceptClass = classOf(this.settings);
    this.adept = [new (this.lazy ? LazyAdept : this.decides ? Deciding : Adept)(this.conceptClass, this.settings)];
    this.bpss = this.compared ? [new Bpss(this.conceptClass, this.settings)] : null;
    this.moves = [];
    this.looked = null;
    for (const move of moves) {
      this.choose(move.x);
      this.answer(move.y, move.kept);
    }
    if (x !== null) this.choose(x);
  }

  get lazy() {
    return this.settings.commits !== null;
  }

  // Whether there is a third action, or the best rule may change.
  get decides() {
    return this.settings.review !== null || this.settings.drift;
  }

  // BPSS is defined with the paper's prior, and runs beside ADEPT where its experts can be listed.
  get compared() {
    return this.settings.prior === "paper" && !this.lazy && !this.decides && this.experts <= LIMITS.experts;
  }

  // N, the schedules of mistakes.
  get experts() {
    const {M} = this.adept[0];
    return Math.round(Math.exp(logCapacities(this.settings.T, M)[M]));
  }

  // Whether it is BPSS whose tree is drawn.
  get plain() {
    return !this.settings.prune && this.bpss !== null;
  }

  get rounds() {
    return this.moves.length;
  }

  get over() {
    return this.rounds >= this.settings.T;
  }

  // The learner whose tree is drawn and whom greedy reads.
  get learner() {
    return (this.plain ? this.bpss : this.adept)[this.rounds];
  }

  choose(x) {
    this.looked = {x, adept: this.adept.at(-1).look(x), bpss: this.bpss?.at(-1).look(x)};
  }

  // What the shown learner sees in the round that is open.
  get look() {
    return this.looked && (this.plain ? this.looked.bpss : this.looked.adept);
  }

  answer(y, kept = true) {
    const {x, adept, bpss} = this.looked, p = this.look.p, guess = this.guess;
    this.adept.push(this.adept.at(-1).learn(adept, y, kept));
    this.bpss?.push(this.bpss.at(-1).learn(bpss, y));
    this.moves.push({x, y, p, guess, kept, look: this.look});
    this.looked = null;
  }

  // The coin of the open round, as the library draws it with seed 0.
  get guess() {
    const drawn = coin(SEED, this.rounds + 1, this.looked.x), {p, acts} = this.look;
    return !acts ? Number(drawn < p) : drawn < acts.one ? 1 : drawn >= 1 - acts.review && acts.review > 0 ? REVIEW : 0;
  }

  undo() {
    if (this.looked) {
      this.looked = null;
    } else if (this.rounds) {
      this.moves.pop();
      this.adept.pop();
      this.bpss?.pop();
    }
  }

  get realisedLoss() {
    return this.moves.reduce((sum, {guess, y}) => sum + (guess === REVIEW ? this.settings.review : +(guess !== y)), 0);
  }

  // What the likelier label, said without a coin, would have lost.
  get lossWithoutCoin() {
    return this.moves.filter(move => Number(move.p > 0.5) !== move.y).length;
  }
}

// The whole game as a text for the address, and back: "c=thresholds-8&T=8&...&g=3.1,5.0,4"; the last x may be open.
function gameToText(game) {
  const {kind, n, rows, T, M, rate, prior, prune, commits, review, drift} = game.settings;
  const parts = [`c=${kind}-${kind === "table" ? rows.join("-") : n}`, `T=${T}`];
  if (M !== null) parts.push(`M=${M}`);
  if (review === null) parts.push(`rate=${rate}`);
  parts.push(`prior=${prior}`);
  if (review !== null) parts.push(`review=${review}`);
  if (drift) parts.push("drift=1");
  if (!prune) parts.push("prune=0");
  if (commits !== null) parts.push(`K=${commits}`);
  const rounds = game.moves.map(({x, y, kept}) => `${x}.${y}${kept ? "" : "r"}`);
  if (game.looked) rounds.push(String(game.looked.x));
  return [...parts, `g=${rounds.join(",")}`].join("&");
}

function gameFromText(text) {
  const given = new Map(text.split("&").map(part => part.split("=", 2)));
  const whole = (name, low, high) => {
    const value = given.get(name) ?? "";
    if (!/^\d{1,3}$/.test(value) || +value < low || +value > high) throw new Error(`${name} must be ${low} to ${high}`);
    return +value;
  };
  const [kind, ...rest] = (given.get("c") ?? "").split("-");
  const settings = {kind, T: whole("T", 1, LIMITS.T)};
  if (kind === "table") {
    settings.rows = rest;
    const problem = tableProblem(rest);
    if (problem) throw new Error(problem);
  } else if (kind === "thresholds" || kind === "intervals") {
    given.set("n", rest[0]);
    settings.n = whole("n", 1, LIMITS[kind]);
  } else {
    throw new Error("c must be thresholds, intervals or table");
  }
  settings.M = given.has("M") ? whole("M", 0, LIMITS.M) : null;
  settings.rate = rateFromText(given.get("rate") ?? "paper");
  settings.prior = given.get("prior") ?? "paper";
  if (!["paper", "kt", "mixed"].includes(settings.prior)) throw new Error("prior must be paper, kt or mixed");
  settings.prune = given.get("prune") !== "0";
  settings.commits = given.has("K") ? whole("K", 1, settings.T) : null;
  if (settings.commits !== null && (settings.prior !== "paper" || !settings.prune)) {
    throw new Error("lazy rollback is ADEPT with the paper's prior");
  }
  settings.review = given.has("review") ? reviewFromText(given.get("review")) : null;
  settings.drift = given.get("drift") === "1";
  if (settings.review !== null || settings.drift) {
    const alone = settings.M === null && settings.prune && settings.commits === null;
    if (!alone || settings.prior === "paper") throw new Error("reviews and drift go with prior=kt or mixed, without M, K");
    if (settings.review === null && typeof settings.rate !== "number") throw new Error("drift goes with a number as rate");
  }
  return new Game(settings, ...movesFromText(given.get("g") ?? "", settings));
}

function movesFromText(text, settings) {
  const n = settings.rows ? settings.rows[0].length : settings.n, moves = [];
  let x = null;
  for (const part of text ? text.split(",") : []) {
    const found = /^(\d{1,2})(?:\.([01])(r?))?$/.exec(part);
    const fitsIn = found && +found[1] < n && x === null && moves.length < settings.T;
    if (!fitsIn) throw new Error(`round "${part}" cannot be`);
    const kept = !found[3];
    if (found[2] === undefined) x = +found[1];
    else moves.push({x: +found[1], y: +found[2], kept});
    const K = settings.commits, done = moves.filter(move => move.kept).length;
    const fits = K === null ? kept : done <= K && done + settings.T - moves.length >= K;
    if (!fits) throw new Error(`round "${part}" is kept or rolled back out of turn`);
  }
  return [moves, x];
}

function rateFromText(text) {
  if (text === "paper" || text === "first-order") return text;
  const eta = Number(text);
  if (!(eta >= 0.01 && eta <= 20)) throw new Error("the rate must be paper, first-order or a number from 0.01 to 20");
  return eta;
}

function reviewFromText(text) {
  const cost = Number(text);
  if (!(cost >= 0.05 && cost <= 0.45)) throw new Error("a review must cost 0.05 to 0.45: from 0.5 on it never pays off");
  return cost;
}

// What is wrong with a table, as a sentence; empty if nothing is.
function tableProblem(rows) {
  const wide = rows[0]?.length ?? 0;
  if (rows.some(row => !/^[01]+$/.test(row))) return "a row is made of 0 and 1 only";
  if (rows.some(row => row.length !== wide)) return "all rows must be equally long";
  if (!rows.length || rows.length > LIMITS.rows) return `a table has 1 to ${LIMITS.rows} rows`;
  return wide > LIMITS.columns ? `a row has at most ${LIMITS.columns} labels` : "";
}
