// The query-budget lower bound as the paper's second figure: the adversary resets whenever the learner asks.

const RESET_ROUNDS = 60;

// Coins that are the same whenever the figure is drawn, so that it can go back in time.
const resetCoin = t => Number(coin(SEED, t, 2026) < 0.5);

// The game up to round t, of a learner that spreads Q questions evenly (d = 1: one hidden block is all 1).
function resetGame(Q, t) {
  const asks = new Set([...Array(Q).keys()].map(i => Math.round((i + 1) * RESET_ROUNDS / (Q + 1))));
  const phases = [{from: 1, to: 0, ones: 0}];
  let ones = 0, learner = 0;
  for (let round = 1; round <= t; round++) {
    const y = resetCoin(round), phase = phases.at(-1);
    ones += y;
    phase.ones += y;
    phase.to = round;
    // A fresh point says nothing of its block: any guess errs half of the time. A round with a question costs nothing.
    learner += asks.has(round) ? 0 : 0.5;
    if (asks.has(round)) phases.push({from: round + 1, to: round, ones: 0});
  }
  const best = phases.reduce((most, phase, i) => phase.ones > phases[most].ones ? i : most, 0);
  const bestLoss = ones - phases[best].ones;
  const bound = queryLowerBound(RESET_ROUNDS, Q, 1);
  return {phases, asks, best, learner, bestLoss, regret: learner - bestLoss, bound};
}

function drawReset(Q, t) {
  const game = resetGame(Q, t), svg = byId("reset");
  const [wide, left, right] = [Math.max(300, Math.min(960, svg.parentElement.clientWidth)), 82, 4];
  const x = round => left + (wide - left - right) * round / RESET_ROUNDS, parts = [];
  parts.push(["time", "line", {class: "axis", x1: left, x2: wide - right, y1: 92, y2: 92}],
    ["tl", "text", {class: "end", x: wide - right, y: 110}, `round ${t} of ${RESET_ROUNDS}`],
    ["n1", "text", {class: "name", x: 4, y: 62}, "adversary"], ["n2", "text", {class: "name", x: 4, y: 134}, "learner"],
    ["n3", "text", {class: "name good", x: 4, y: 168}, "best rule"]);
  game.phases.forEach((phase, i) => {
    const from = x(phase.from - 1) + 2, to = Math.max(from, x(phase.to) - 2), broad = to - from;
    if (phase.to < phase.from) return;
    const best = i === game.best && phase.ones > 0, kind = best ? "phase best" : "phase";
    // The longest caption that has room.
    const caption = (key, more, y, ...texts) => parts.push([`${key}${i}`, "text",
      {class: `middle${more}`, x: (from + to) / 2, y}, texts.find(text => broad > 7.2 * text.length) ?? ""]);
    parts.push([`p${i}`, "rect", {class: kind, x: from, y: 34, width: broad, height: 50, rx: 6}],
      [`e${i}`, "line", {class: "wrong", x1: from, x2: to, y1: 129, y2: 129}],
      [`b${i}`, "line", {class: best ? "right strong" : "right", x1: from, x2: to, y1: 163, y2: 163}]);
    caption("q", "", 55, `phase ${i}`, String(i));
    const blocks = `${2 * i + 1}, ${2 * i + 2}`;
    caption("r", " soft", 74, `fresh blocks ${blocks}`, `blocks ${blocks}`, blocks);
    caption("f", "", 146, "½ lost per round", "½ each", "½");
    caption("c", " good", 181, ...best ? ["always right", "right"] : ["says 0", "0"]);
  });
  [...game.asks].filter(round => round <= t).forEach((round, i) => {
    parts.push([`k${i}`, "line", {class: "ask", x1: x(round), x2: x(round), y1: 26, y2: 172}],
      [`a${i}`, "text", {class: "middle asked", x: x(round), y: 18}, Q > 5 ? "?" : "asks"]);
  });
  svg.setAttribute("viewBox", `0 0 ${wide} 190`);
  svg.style.maxWidth = `${wide}px`;
  keep(svg, parts);
  svg.setAttribute("aria-label", `Round ${t}: ${counted(game.phases.length, "phase")}, the learner expects ` +
    `${game.learner} mistakes, the best rule has ${game.bestLoss}.`);
  const says = game.bound > 0 ? `at least ${fixed(game.bound, 1)} on average, whatever the learner does`
    : "nothing: with so many questions the theorem is silent";
  fill("reset-account", `Learner ${fixed(game.learner, 1)} expected mistakes, best rule ${game.bestLoss}, regret ` +
    `${fixed(game.regret, 1)}. The theorem says of ${RESET_ROUNDS} rounds and ${counted(Q, "question")}: ${says}.`);
  return game;
}
