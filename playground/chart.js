// Regret, and what is proven of it, round by round.

function drawChart(game) {
  const svg = byId("chart"), chain = game.plain ? game.bpss : game.adept, {T} = game.settings, last = chain.at(-1);
  const [wide, high, left, right, top, bottom] = [Math.max(240, svg.parentElement.clientWidth), 185, 34, 10, 10, 20];
  const bounds = last.bound === null ? [] : chain.map(a => a.bound);
  const most = Math.max(1, last.inAdvance ?? 0, ...bounds, ...chain.map(a => a.regret));
  const least = Math.min(0, ...chain.map(a => a.regret));
  const step = [0.5, 1, 2, 5, 10, 20].find(size => (most - least) / size <= 5) ?? 50;
  const ticks = [];
  for (let tick = Math.floor(least / step) * step; tick < most + step; tick += step) ticks.push(tick);
  const x = t => left + (wide - left - right) * t / T;
  const y = value => top + (high - top - bottom) * (ticks.at(-1) - value) / (ticks.at(-1) - ticks[0]);
  const line = values => `M${values.map((value, t) => `${x(t).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}`;
  const parts = ticks.flatMap((tick, i) => [
    [`g${i}`, "line", {class: tick === 0 ? "axis" : "grid", x1: left, x2: wide - right, y1: y(tick), y2: y(tick)}],
    [`v${i}`, "text", {class: "end", x: left - 5, y: y(tick) + 4}, String(tick).replace("-", MINUS)]]);
  parts.push(["t0", "text", {class: "middle", x: x(0), y: high - bottom + 15}, "0"],
    ["tT", "text", {class: "middle", x: x(T) - 4, y: high - bottom + 15}, String(T)]);
  if (last.inAdvance !== null) {
    const at = y(last.inAdvance);
    parts.push(["a", "line", {class: "advance", x1: x(0), x2: x(T), y1: at, y2: at}]);
  }
  const proven = last.partial ? "proven partial" : "proven";
  if (bounds.length) parts.push(["p", "path", {class: proven, d: line(bounds)}]);
  parts.push(["r", "path", {class: "regret", d: line(chain.map(a => a.regret))}],
    ["dot", "circle", {class: "regret", cx: x(game.rounds), cy: y(last.regret), r: 4}]);
  // The legend is text outside the drawing, which wraps; it names the lines that are there.
  const names = [["regret", "regret"], bounds.length ? [proven, last.partial ? "proven, against the rules left"
    : "proven now"] : null, last.inAdvance === null ? null : ["advance", "in advance"]];
  fill("legend", names.filter(Boolean).map(([kind, name]) => el("span", {}, el("i", {class: kind}), name)));
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  keep(svg, parts);
  svg.setAttribute("aria-label", `Regret after ${counted(game.rounds, "round")}: ${fixed(last.regret)}` +
    (bounds.length ? `; proven now at most ${upTo(last.bound)}${last.partial ? " against the rules left" : ""}` : "") +
    (last.inAdvance === null ? "" : `; in advance ${upTo(last.inAdvance)}`));
}
