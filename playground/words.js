// The sentences of a round: what is shown beside the tree and told to screen readers.

const word = labels => labels.join("") || "the empty path";

// "no rule says 1 at 3 and 0 at 5"
function conflictText(game, labels) {
  const xs = [...game.moves.filter(move => move.kept).map(move => move.x), game.looked?.x].slice(0, labels.length);
  const conflict = game.conceptClass.conflict(xs.map((x, i) => [x, labels[i]])).sort(([a], [b]) => a - b);
  const [[first, y], [second, z]] = conflict.length === 2 ? conflict : [[], []];
  if (first !== undefined && first === second && y !== z) return `no rule says both 0 and 1 at ${first}`;
  return `no rule says ${conflict.map(([x, label]) => `${label} at ${x}`).join(" and ")}`;
}

// What the oracle refuses in the open round: each reason with the branches it cuts.
function refusals(game) {
  const found = new Map();
  for (const {v, can} of game.look.splits) {
    for (const b of [0, 1]) {
      if (can[b] || !v.concepts.length) continue;
      const labels = [...v.labels, b], why = conflictText(game, labels);
      found.set(why, [...found.get(why) ?? [], word(labels)]);
    }
  }
  return [...found].map(([why, words]) => ({why, words}));
}

function splitText(game) {
  const {look} = game, refused = refusals(game), cut = refused.reduce((sum, one) => sum + one.words.length, 0);
  const before = look.splits.length;
  const guesses = look.splits.filter(s => s.can[0] && s.can[1]);
  const ones = guesses.filter(s => s.guess).length;
  const parts = [], remain = look.children.length;
  if (game.plain) {
    const none = look.children.filter(u => !u.concepts.length).length;
    parts.push(`BPSS lets every labelling go on with 0 and 1, up to M mistakes: ${remain} now, ${none} of no rule.`);
  } else {
    const asked = counted(2 * before, "question");
    parts.push(`${counted(before, "path")}, ${asked} to the oracle: can 0 follow? can 1?`);
    const beyond = look.beyond.length ? `, and ${look.beyond.length} more went beyond M` : "";
    parts.push(`It refuses ${cut || "nothing"}${beyond}; ${counted(remain, "path remains", "paths remain")}.`);
  }
  const zeros = guesses.length - ones;
  if (guesses.length === 1) parts.push(`Where both labels are possible the base learner guesses ${ones}.`);
  else if (guesses.length) parts.push(`Where both are possible the base learner guesses 0 on ${zeros}, 1 on ${ones}.`);
  else parts.push("Every path has one way on: nothing is in doubt, and the base learner takes it.");
  return parts.join(" ");
}

function weighText(game) {
  const {p, acts, costs} = game.look;
  if (acts) {
    return `P(1) = ${fixed(p)} is the share of the weight that says 1. The learner says 0 with chance ` +
      `${fixed(acts.zero)}, 1 with ${fixed(acts.one)}, and asks a person with ${fixed(acts.review)}. Say 1 and the round ` +
      `costs ${fixed(costs[1])} in expectation; say 0 and it costs ${fixed(costs[0])}.`;
  }
  const sure = p === 0 || p === 1;
  return `P(1) = ${fixed(p)} is the share of the weight that says 1: the chance that the learner guesses 1. ` + (sure
    ? "No path says otherwise."
    : `Say 1 and it loses ${fixed(1 - p)} in expectation; say 0 and it loses ${fixed(p)}.`);
}

function labelText(game) {
  const {x, y, guess, kept, look} = game.moves.at(-1), learner = game.learner;
  const fell = guess === REVIEW ? `a review, which cost ${game.settings.review}`
    : `${guess}, ${guess === y ? "right" : "wrong"}`;
  const lost = `You said ${y} at x = ${x}. Expected loss ${fixed(look.costs[y])}; the coin fell on ${fell}.`;
  const drawn = !game.lazy ? "" : kept
    ? ` The draw kept this round: the tree grew (${learner.committed} of ${learner.commits}).`
    : " The draw did not take this round: rolled back, the tree is as before.";
  return `${lost}${drawn} Regret ${fixed(learner.regret)}${provenText(learner)}.`;
}

// What stands behind a regret: its bound, if there is one.
function provenText({bound, partial}) {
  if (bound === null) return "";
  return `, proven at most ${upTo(bound)}${partial ? " (both against the rules left)" : ""}`;
}

function settingsText({conceptClass: {kind, n, size}, settings: {T, rate, prior, commits, review, drift}, adept, plain}) {
  const rules = kind === "table" ? `a table of ${counted(size, "rule")}` : `${kind} on ${counted(n, "point")}`;
  const rates = review !== null ? `a review costs ${review}` : typeof rate === "number" ? `η = ${rate}` : `rate ${rate}`;
  return [rules, counted(T, "round"), `M = ${adept[0].M}`, rates, drift ? "drift" : null, `prior ${prior}`, plain ? "pruning off" : "pruning on", commits === null ? null : `lazy, K = ${commits}`]
    .filter(Boolean).join(" · ");
}

// What to do now.
function promptText(game, phase) {
  const t = game.rounds + 1, {T} = game.settings;
  const goes = game.plain ? "Every labelling goes on both ways." : "Every path asks how it may go on.";
  if (phase === "split") return `Round ${t}: x = ${game.looked.x}. ${goes}`;
  if (phase === "weigh") {
    const {p, acts} = game.look;
    return acts ? `Round ${t}: it asks a person with chance ${fixed(acts.review)}. Your label?`
      : `Round ${t}: it will guess 1 with chance ${fixed(p)}. Your label?`;
  }
  if (!game.rounds) return `Round 1 of ${T}: choose an x, by its column.`;
  if (!game.over) return `Round ${t} of ${T}: choose the next x.`;
  const {learner} = game;
  return `All ${T} rounds are played. Regret ${fixed(learner.regret)}${provenText(learner)}. Undo, or start a new game.`;
}
