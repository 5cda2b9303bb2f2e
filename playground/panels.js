// What stands around the tree: the points, the account, the lines of the algorithm, the paths and the rounds.

// The points as columns, as high as the chance that the learner would guess 1 there. Who knows its program knows that.
function drawPoints(game, phase) {
  const {n} = game.conceptClass, open = phase === "x" && !game.over;
  const peek = game.learner.paths.length <= 400;
  const focused = byId("points").contains(document.activeElement) ? Number(document.activeElement.dataset.x) : null;
  const start = game.looked?.x ?? game.moves.at(-1)?.x ?? 0;
  fill("points", [...Array(n).keys()].map(x => {
    const p = game.looked?.x === x ? game.look.p : peek ? game.learner.look(x).p : null;
    const said = game.moves.filter(move => move.x === x).map(move => move.y);
    const chosen = game.looked?.x === x;
    const would = p === null ? "" : `, P(1) ${fixed(p, 2)}`;
    const given = said.length ? `, labels so far ${said.join(" ")}` : "";
    return el("button", {type: "button", "data-x": x, "aria-label": `x = ${x}${would}${given}`,
      "aria-pressed": String(chosen), "aria-disabled": String(!open), tabindex: x === start ? 0 : -1,
      class: chosen ? "chosen" : null},
    el("span", {class: "column", "aria-hidden": "true"}, el("i", {style: `height:${100 * (p ?? 0)}%`})),
    el("b", {}, String(x)),
    el("span", {class: "labels", "aria-hidden": "true"},
      said.slice(-3).map(y => el("i", {class: y ? "one" : "zero"}))));
  }));
  if (focused !== null) byId("points").children[focused]?.focus();
}

function drawScale(game, phase) {
  const p = phase === "weigh" ? game.look.p : null, acts = p === null ? undefined : game.look.acts;
  const part = (label, share, kind) => el("span", {class: kind, style: `width:${100 * share}%`},
    share > 0.22 ? `${label}: ${fixed(share)}` : "");
  fill("scale", p === null ? [] : acts ? [part("says 0", acts.zero, "is-zero"), part("review", acts.review, "is-review"),
    part("says 1", acts.one, "is-one")] : [part("P(0)", 1 - p, "is-zero"), part("P(1)", p, "is-one")]);
  byId("scale").hidden = p === null;
}

// The account: what was lost, and what is proven of it; that of BPSS next to it, where it runs.
function drawAccount(game) {
  const adept = game.adept.at(-1), bpss = game.bpss?.at(-1), columns = [adept, bpss].filter(Boolean);
  const rule = game.conceptClass.rules[adept.bestRule], {review, drift} = game.settings;
  const rows = [
    review === null ? ["expected mistakes", "each round adds |P(1) − y|", a => fixed(a.expectedLoss), "loss"]
      : ["expected cost", `a mistake costs 1, a review ${review}`, a => fixed(a.expectedLoss), "loss"],
    ["best rule's mistakes", game.lazy ? "of all rounds" : `now: ${rule}`, a => String(a.bestLoss), "best"],
    ["regret", "the difference", a => fixed(a.regret), "regret"],
    ["proven now", adept.partial ? "against the rules left" : "from what was seen", a => upTo(a.bound),
      adept.partial ? "now partial" : "now"],
    ["proven in advance", `any ${counted(game.settings.T, "round")}, at the end`, a => upTo(a.inAdvance), "advance"],
    ...drift ? [["best sequence's mistakes", "with one change of the rule", a => String(a.sequenceLoss(1)), "sequence"],
      ["regret to it, proven now", "at most", a => upTo(a.sequenceBound(1)), "sequence-bound"]] : [],
    bpss ? ["paths, experts", "BPSS lists N schedules", a => a.width.toLocaleString("en"), "width"]
      : ["paths kept", "", a => a.width.toLocaleString("en"), "width"],
    ["questions", bpss ? "to the oracle; BPSS asks for its base learner's guesses" : "to the oracle",
      a => a.asked.toLocaleString("en"), "asked"],
  ];
  const head = ["", game.lazy ? "lazy ADEPT" : game.decides ? "adeptree" : "ADEPT", bpss ? "BPSS" : null].filter(name => name !== null);
  const headCells = head.map(name => name ? el("th", {scope: "col"}, name) : el("td", {}));
  fill("account", el("thead", {}, el("tr", {}, headCells)),
    el("tbody", {}, rows.map(([name, small, value, key]) => el("tr", {class: key},
      el("th", {scope: "row"}, name, small ? el("small", {}, small) : null),
      columns.map(learner => el("td", {"data-value": key.split(" ")[0]}, value(learner)))))));
  if (review !== null) {
    const reviews = game.moves.filter(move => move.guess === REVIEW).length;
    const wrong = game.moves.filter(({guess, y}) => guess !== REVIEW && guess !== y).length;
    fill("coins", `The coin has drawn ${counted(reviews, "review")} and ${counted(wrong, "wrong guess", "wrong guesses")} ` +
      `in ${counted(game.rounds, "round")}: cost ${fixed(game.realisedLoss, 2)}.`);
  } else fill("coins", `The coin has erred ${counted(game.realisedLoss, "time")} in ${counted(game.rounds, "round")}. ` +
    `Without a coin, always saying the likelier label, it would have erred ${counted(game.lossWithoutCoin, "time")}.`);
  fill("promise", promiseText(game, adept));
}

function promiseText(game, adept) {
  if (game.lazy) return "Of lazy rollback the theorem hides a constant: no number is proven here.";
  if (adept.partial) {
    return `M = ${adept.M} is less than the ${adept.base.mistakeBound} mistakes that the base learner may make: ` +
      "paths beyond M are cut, of their rules nothing is proven; the regret, and what is proven of it, are against " +
      "the rules that are left.";
  }
  const {T, prior} = game.settings, coin = T / 2;
  const heard = !game.bpss || !game.rounds ? "" :
    ` ${game.plain ? "ADEPT" : "BPSS"} hears the same labels, which were not chosen against its own P(1).`;
  const weak = adept.inAdvance !== null && adept.inAdvance >= coin
    ? ` Guessing by a coin promises ${fixed(coin, 1)}: for so few rounds the bound in advance is true and weak.` : "";
  const missing = game.bpss || prior !== "paper" ? "" :
    ` BPSS would list ${game.experts.toLocaleString("en")} experts: too many to run beside it.`;
  const {size, vcDimension, littlestoneDimension} = game.conceptClass;
  return `${counted(size, "rule")}, VC dimension ${vcDimension}, Littlestone dimension ${littlestoneDimension}; ` +
    `M = ${adept.M}, rate η = ${fixed(adept.eta)}.${weak}${missing}${heard}`;
}

// Algorithm 2, line by line, and in which step of the round a line is executed.
function algorithmLines(game) {
  const {prior} = game.settings;
  const mass = prior === "paper" ? `W(u) = Σ C(${game.lazy ? "K−r" : "T−t"}, j), j ≤ M−k(u)`
    : prior === "kt" ? "W(u) = B(k+½, n−k+½) / B(½, ½)" : "W(u) = KT, sparse and share of the rules, mixed";
  return [
    ["1", 0, "split", `Receive x. Let V′ be empty.`],
    ["2", 0, "split", "For each active path v in V:"],
    ["2a", 1, "split", `the base learner guesses g = A(v, x)${game.plain
      ? "; if rules allow one label only, that one (two questions)" : ""}`],
    ["2b", 1, "split", "for both labels b, let u = v followed by b:"],
    ["ii", 2, "split", "ask the oracle: does a rule have these labels?", "prune"],
    ["iii", 2, "split", "if not, discard u", "prune"],
    ["iv", 2, "weigh", "k(u) = k(v) + [b ≠ g]"],
    ["v", 2, "weigh", `if k(u) ≤ M: keep u in V′, ${mass}, w(u) = W(u) · ${game.settings.drift ? "g(v)" : "exp(−η L(v))"}`],
    ["3", 0, "weigh", "Guess 1 with chance P(1) = weight of the u that end in 1 / weight of all u."],
    ["4", 0, "x", "See y. L(u) = L(v) + [last label of u ≠ y]. V = V′."],
    ...game.settings.review === null ? [] : [["", 0, "weigh",
      "Review: choose the chances of 0, 1 and a person so that either label costs at most the mix loss."]],
    ...game.settings.drift ? [["", 0, "x", "Drift: g(u) = g(v) · exp(−η [wrong]); then deal out 1/(t + 1) of the weight again, as in the prior."]] : [],
    ...game.lazy ? [["", 0, "x", "Lazy: unless this round is one of the K drawn, forget V′ and keep V."]] : [],
  ];
}

function drawAlgorithm(game, phase) {
  const done = phase === "x" && !game.rounds ? null : phase;
  fill("algorithm", algorithmLines(game).map(([number, depth, step, text, needs]) => el("li", {
    class: needs && game.plain ? "skipped" : step === done ? "on" : null,
    "aria-current": step === done ? "step" : null, style: `--depth:${depth}`,
  }, el("b", {}, number), el("span", {}, text),
  needs && game.plain ? el("small", {}, "skipped: pruning is off, nothing is asked here") : null)));
  byId("which").textContent = game.plain ? "Algorithm 2 without its pruning: BPSS"
    : game.lazy ? "Algorithm 2, lazy" : game.decides ? "Algorithm 2, extended" : "Algorithm 2: ADEPT";
  for (const item of document.querySelectorAll("#steps li")) {
    const on = item.dataset.phase === done;
    item.classList.toggle("on", on);
    if (on) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
  }
}

// Every path with its numbers: of the open round, else of the last.
function drawPaths(game) {
  const look = game.look ?? game.moves.at(-1)?.look, y = game.looked ? null : game.moves.at(-1)?.y;
  const guesses = new Map(look?.splits.map(s => [s.v, s.guess]));
  const shown = [...look?.children ?? []].sort((a, b) => b.share - a.share).slice(0, 40);
  const digits = game.settings.prior === "paper" ? 0 : 4, mass = u => fixed(Math.exp(u.logMass), digits);
  const cells = u => [guesses.get(u.parent), u.mistakes, mass(u), u.loss, percent(u.share),
    y === null || y === undefined ? "" : u.loss + Number(u.label !== y)];
  fill("paths", el("thead", {}, el("tr", {}, ["path", "A says", "k", "W", "L before", "weight", "L after"].map(
    name => el("th", {scope: "col"}, name)))),
  el("tbody", {}, shown.sort((a, b) => word(a.labels) < word(b.labels) ? -1 : 1).map(u => el("tr",
    {class: u.concepts.length ? null : "ghost"}, el("th", {scope: "row"}, word(u.labels)), cells(u).map(
      value => el("td", {}, String(value)))))));
  const more = (look?.children.length ?? 0) - shown.length;
  byId("paths-note").textContent = !look ? "Choose an x to see the paths."
    : `Round ${game.looked ? game.rounds + 1 : game.rounds}, x = ${look.x}. ` +
      (more > 0 ? `The ${shown.length} heaviest; ${more} more have less weight. ` : "");
}

function drawRounds(game) {
  const head = ["round", "x", "P(1)", "coin", "y", "loss", "regret", "proven"];
  const chain = game.plain ? game.bpss : game.adept;
  fill("rounds", el("thead", {}, el("tr", {}, head.map(name => el("th", {scope: "col"}, name)))),
    el("tbody", {}, game.moves.map(({x, y, p, guess, kept, look}, i) => {
      const after = chain[i + 1];
      const cells = [x, fixed(p), guess === REVIEW ? "review" : guess, y, fixed(look.costs[y]), fixed(after.regret), upTo(after.bound)];
      return el("tr", {class: kept ? null : "rolled"}, el("th", {scope: "row"}, String(i + 1)),
        cells.map(value => el("td", {}, String(value))));
    })));
}
