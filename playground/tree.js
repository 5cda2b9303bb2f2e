// The tree of paths: rounds from left to right, the label 0 above the label 1.

const DRAWN = 64;  // paths; of more, only those that some rule has

// Where everything is. `leaves` are the paths at the right end.
class Places {
  constructor(leaves, columns, room) {
    const count = leaves.length, ordered = [...leaves].sort((a, b) => word(a.labels) < word(b.labels) ? -1 : 1);
    Object.assign(this, {leaves: ordered, columns, left: 24});
    this.row = count <= 8 ? 36 : count <= 12 ? 30 : count <= 20 ? 25 : 20;
    this.radius = count > 20 ? 8 : count > 8 || room < 420 ? 10 : 12;
    this.ends = room < 420 ? 92 : 122;  // room at the right for what is known of each path
    this.column = Math.max(28, Math.min(110, (room - this.left - this.ends) / columns));
    this.top = 46;
    this.nodes = new Map();
    this.leaves.forEach((leaf, i) => {
      for (let node = leaf, last = true; node; node = node.parent, last = false) {
        const key = node.labels.join("");
        const known = this.nodes.get(key) ?? {node, labels: node.labels, share: 0, low: i, high: i, leaf: last};
        this.nodes.set(key, {...known, share: known.share + (leaf.share ?? 0), high: i});
      }
    });
    // A node stands in the middle of those that continue it.
    const byLength = [...this.nodes.values()].sort((a, b) => b.labels.length - a.labels.length);
    for (const place of byLength) {
      const below = [0, 1].map(b => this.nodes.get([...place.labels, b].join(""))).filter(Boolean);
      place.x = this.left + this.column * place.labels.length;
      place.y = place.leaf ? this.top + this.row * (place.low + 0.5)
        : below.reduce((sum, p) => sum + p.y, 0) / below.length;
    }
  }

  of(labels) {
    return this.nodes.get(labels.join(""));
  }

  get size() {
    const rows = Math.max(this.leaves.length, 2);
    return [this.left + this.column * this.columns + this.ends, this.top + this.row * rows + 6];
  }
}

// The paths at the right end, with their shares: of the open round, or of the rounds so far.
function leavesOf(game, phase) {
  if (phase === "weigh") return game.look.children;
  if (phase === "split") return game.look.children.map(u => ({...u, share: undefined}));
  const {paths, rounds, committed} = game.learner;
  const weights = paths.map(v => game.learner.logWeight(v, committed ?? rounds)), all = logSum(weights);
  return paths.map((v, i) => ({...v, share: Math.exp(weights[i] - all)}));
}

function drawTree(game, phase) {
  const all = leavesOf(game, phase);
  const leaves = all.length > DRAWN ? all.filter(v => v.concepts.length) : all;
  const kept = game.moves.filter(move => move.kept);
  const svg = byId("tree"), scroll = svg.parentElement;
  const places = new Places(leaves, Math.max(kept.length + Number(game.looked !== null), 3), scroll.clientWidth);
  const [wide, high] = places.size;
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  svg.style.width = `${wide}px`;
  const now = game.looked ? kept.length + 1 : kept.length;
  svg.setAttribute("aria-label", treeText(game, phase, leaves.length, all.length));
  keep(svg, [...heads(places, kept, game), ...now ? [] : awaited(places), ...edges(places, now), ...stubs(places, game, kept, now),
    ...nodes(places, game), ...guesses(places, game, phase), ...ends(places, game, phase)]);
  byId("undrawn").textContent = leaves.length < all.length
    ? `Not drawn: ${counted(all.length - leaves.length, "labelling")} of no rule, which BPSS carries along.` : "";
  scroll.scrollLeft = scroll.scrollWidth;
  scroll.onscroll = () => tellEarlier(places, scroll.scrollLeft);
  scroll.onscroll();
}

// A long game is wider than a phone: how many rounds lie to the left of what is seen.
function tellEarlier({left, column}, from) {
  const earlier = Math.max(0, Math.floor((from - left) / column));
  byId("earlier").textContent = earlier ? `… ${counted(earlier, "earlier round")}: move the tree to see them.` : "";
}

function treeText(game, phase, drawn, all) {
  const what = game.looked ? `round ${game.rounds + 1}, x = ${game.looked.x}` : counted(game.rounds, "round");
  const rest = all > drawn ? `, ${all - drawn} more not drawn` : "";
  return `Tree of labellings after ${what}: ${counted(drawn, "path")}${rest}. A table below has the numbers.`;
}

function heads(places, kept, game) {
  const {left, column} = places, columns = kept.map(({x, y}) => [x, y]);
  if (game.looked) columns.push([game.looked.x, "?"]);
  const parts = ["x", "y"].map((name, i) => [`h${name}`, "text", {class: "head", x: left - 12, y: 15 + 18 * i}, name]);
  columns.forEach(([x, y], i) => {
    const at = left + column * (i + 1);
    parts.push([`hx${i}`, "text", {class: "head", x: at, y: 15}, String(x)]);
    parts.push([`hy${i}`, "text", {class: y === "?" ? "head open" : "head", x: at, y: 33}, String(y)]);
  });
  return parts;
}

// Before the first round: the two branches to come.
function awaited({left, column, top, row}) {
  const y = top + row / 2, to = left + column * 0.8;
  return [0, 1].flatMap(b => {
    const at = y + (b ? 0.6 : -0.6) * row;
    return [[`w${b}`, "path", {class: "edge awaited", d: `M${left} ${y}C${left + column * 0.4} ${y} ${to - column * 0.4} ${at} ${to} ${at}`}],
      [`wn${b}`, "circle", {class: "zero awaited", cx: to + 10, cy: at, r: 10}],
      [`wd${b}`, "text", {class: "digit", x: to + 10, y: at + 4.5}, String(b)]];
  }).concat([["wt", "text", {x: to + 30, y: y + 4.5}, "Choose a column."]]);
}

// As thick as the weight they carry; dashed where the base learner said otherwise.
function edges(places, now) {
  const drawn = [...places.nodes.values()].filter(place => place.labels.length);
  return drawn.map(place => {
    const from = places.of(place.labels.slice(0, -1)), {node} = place;
    const bend = places.column * 0.45;
    const d = `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${place.x - bend} ${place.y} ${place.x} ${place.y}`;
    const kind = ["edge", node.mistakes > node.parent.mistakes ? "against" : "", node.concepts.length ? "" : "ghost",
      place.labels.length === now ? "" : "old"].filter(Boolean).join(" ");
    const style = `stroke-width:${(1 + 5 * place.share).toFixed(2)}px`;
    return [`e${place.labels.join("")}`, "path", {class: kind, d, style}];
  });
}

// The rest of a cut branch: a cross, or an M where it was cut for its mistakes.
function stubs(places, game, kept, now) {
  const looks = [...kept.map(move => move.look), ...game.looked ? [game.look] : []], parts = [];
  looks.forEach((look, i) => {
    const cut = look.splits.flatMap(({v, can}) => [0, 1].filter(b => !can[b]).map(b => [[...v.labels, b], "×", ""]));
    if (game.plain) cut.length = 0;
    for (const [labels, mark, more] of [...cut, ...look.beyond.map(u => [u.labels, "M", " beyond"])]) {
      const from = places.of(labels.slice(0, -1));
      if (!from) continue;
      const [right, away] = [Math.min(34, places.column * 0.42), places.row * 0.4];
      const old = i + 1 < now ? " old" : "", key = labels.join(""), y = from.y + (labels.at(-1) ? away : -away);
      const line = {x1: from.x, y1: from.y, x2: from.x + right - 5, y2: y};
      parts.push([`s${key}`, "line", {class: `stub${more}${old}`, ...line}]);
      parts.push([`m${key}`, "text", {class: `mark${more}${old}`, x: from.x + right, y: y + 5}, mark]);
    }
  });
  return parts;
}

function nodes(places, game) {
  return [...places.nodes.values()].flatMap(place => {
    const {x, y, labels, node} = place, key = labels.join("");
    if (!labels.length) return [["root", "circle", {class: "zero", cx: x, cy: y, r: 4}]];
    const kind = `${labels.at(-1) ? "one" : "zero"}${node.concepts.length ? "" : " ghost"}`;
    return [[`n${key}`, "circle", {class: kind, cx: x, cy: y, r: places.radius}],
      [`d${key}`, "text", {class: kind === "one" ? "digit pale" : "digit", x, y: y + 4.5}, String(labels.at(-1))]];
  });
}

// What the base learner guesses on every path that has a choice: the branch that is not dashed.
function guesses(places, game, phase) {
  if (phase !== "split" || places.column < 44 || places.row < 30) return [];
  return game.look.splits.filter(({v, can}) => can[0] && can[1] && places.of(v.labels)).map(({v, guess}) => {
    const {x, y} = places.of(v.labels);
    return [`a${word(v.labels)}`, "text", {class: "guess", x: x + places.column * 0.56, y: y + 4.5}, `A: ${guess}`];
  });
}

// Beside every path: what was just found out about it.
function ends(places, game, phase) {
  const best = game.learner.leastLoss;
  return places.leaves.flatMap(leaf => {
    const {x, y} = places.of(leaf.labels), key = leaf.labels.join(""), at = x + places.radius + 6;
    if (!leaf.labels.length) return [];
    if (phase === "split") return [[`t${key}`, "text", {x: at, y: y + 4.5}, `k = ${leaf.mistakes}`]];
    const text = phase === "weigh" ? percent(leaf.share) : `L = ${leaf.loss}`;
    const isBest = phase === "x" && leaf.loss === best && leaf.concepts.length;
    const kind = `share${leaf.labels.at(-1) && phase === "weigh" ? " is-one" : ""}`;
    const style = `width:${Math.max(1, (places.ends - 78) * leaf.share).toFixed(1)}px`;
    return [[`t${key}`, "text", {class: isBest ? "best" : "", x: at, y: y + 4.5}, text],
      [`b${key}`, "rect", {class: kind, x: at + 50, y: y - 5, height: 10, rx: 2, style}]];
  });
}
