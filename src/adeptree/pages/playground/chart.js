// Regret, and what is proven of it, round by round.

function drawChart(game) {
  const svg = byId("chart"), chain = game.plain ? game.bpss : game.adept, {T} = game.settings, last = chain.at(-1);
  const [wide, high, left, right, top, bottom] = [Math.max(280, svg.parentElement.clientWidth), 200, 34, 10, 10, 34];
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
  if (bounds.length) parts.push(["p", "path", {class: "proven", d: line(bounds)}]);
  parts.push(["r", "path", {class: "regret", d: line(chain.map(a => a.regret))}],
    ["dot", "circle", {class: "regret", cx: x(game.rounds), cy: y(last.regret), r: 4}]);
  const names = [["regret", "regret"], ["proven", "proven now"], ["advance", "in advance"]];
  names.forEach(([kind, name], i) => {
    const at = (wide < 420 ? 4 : left) + (wide < 420 ? 104 : 130) * i;
    parts.push([`k${i}`, "line", {class: kind, x1: at, x2: at + 20, y1: high - 7, y2: high - 7}],
      [`l${i}`, "text", {x: at + 25, y: high - 3}, name]);
  });
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  keep(svg, parts);
  svg.setAttribute("aria-label", `Regret after ${counted(game.rounds, "round")}: ${fixed(last.regret)}` +
    (last.bound === null ? "" : `; proven now at most ${upTo(last.bound)}; in advance ${upTo(last.inAdvance)}`));
}
