// What the learner competes with: every rule as a row of 0/1 over the points 0..n-1, and the one question about them.

const LIMITS = {thresholds: 16, intervals: 8, rows: 12, columns: 8, T: 40, M: 6, experts: 20000};

class ConceptClass {
  // The first of several rules is the one that is shown: the lowest threshold, the shortest interval, the first row.
  constructor(kind, rows, rules, littlestoneDimension, vcDimension) {
    Object.assign(this, {kind, rows, rules, n: rows[0].length, size: rows.length});
    this.known = new Map();
    this.littlestoneDimension = littlestoneDimension ?? this.dimension(this.everything());
    this.vcDimension = vcDimension ?? this.shattered();
  }

  everything() {
    return this.rows.map((_, concept) => concept);
  }

  // The concepts among these that say `label` at x.
  saying(concepts, x, label) {
    return concepts.filter(concept => this.rows[concept][x] === label);
  }

  // The weak-consistency oracle: does a rule have these labels? A sample is a list of [x, y].
  realizable(sample) {
    return this.rows.some(row => sample.every(([x, y]) => row[x] === y));
  }

  // A smallest part of an unrealizable sample that no rule fits.
  conflict(sample) {
    let core = sample;
    for (const pair of sample) {
      const rest = core.filter(other => other !== pair);
      if (!this.realizable(rest)) core = rest;
    }
    return core;
  }

  // Littlestone dimension of a list of concepts; no concept: -1.
  dimension(concepts) {
    if (concepts.length < 2) return concepts.length - 1;
    const key = concepts.join();
    if (!this.known.has(key)) {
      let most = 0;
      for (let x = 0; x < this.n; x++) {
        const ones = this.saying(concepts, x, 1);
        if (ones.length === 0 || ones.length === concepts.length) continue;
        most = Math.max(most, 1 + Math.min(this.dimension(ones), this.dimension(this.saying(concepts, x, 0))));
      }
      this.known.set(key, most);
    }
    return this.known.get(key);
  }

  // VC dimension: the most points on which the rules have all labellings.
  shattered() {
    let most = 0;
    for (let points = 1; points < 1 << this.n; points++) {
      const size = points.toString(2).split("1").length - 1;
      if (size <= most || 2 ** size > this.size) continue;
      const patterns = new Set(this.rows.map(row => row.filter((_, x) => points >> x & 1).join("")));
      if (patterns.size === 2 ** size) most = size;
    }
    return most;
  }

  // The least loss of a rule on a stream.
  bestLoss(sample) {
    return Math.min(...this.rows.map(row => sample.filter(([x, y]) => row[x] !== y).length));
  }
}

// x >= a for a in 0..n.
function thresholds(n) {
  const starts = [...Array(n + 1).keys()];
  const rows = starts.map(a => [...Array(n).keys()].map(x => Number(x >= a)));
  const always = {0: " (always 1)", [n]: " (always 0)"};
  const rules = starts.map(a => `x ≥ ${a}${always[a] ?? ""}`);
  return new ConceptClass("thresholds", rows, rules, Math.floor(Math.log2(n + 1)), 1);
}

// a <= x < b, the empty one included.
function intervals(n) {
  const found = [{rule: "never 1", row: Array(n).fill(0)}];
  for (let length = 1; length <= n; length++) {
    for (let a = 0; a + length <= n; a++) {
      const row = [...Array(n).keys()].map(x => Number(a <= x && x < a + length));
      found.push({rule: `${a} ≤ x < ${a + length}`, row});
    }
  }
  const dimension = [1, 2, 4, 6, 9].filter(shortest => shortest <= n).length;  // (shortest_line of families/line)
  return new ConceptClass("intervals", found.map(f => f.row), found.map(f => f.rule), dimension, Math.min(2, n));
}

// A table of the reader's own: texts of 0 and 1, one per rule. Equal rows are one rule.
function table(texts) {
  const rows = [...new Set(texts)].map(text => [...text].map(Number));
  return new ConceptClass("table", rows, rows.map((row, i) => `row ${i + 1}: ${row.join("")}`));
}

function classOf({kind, n, rows}) {
  return kind === "table" ? table(rows) : kind === "intervals" ? intervals(n) : thresholds(n);
}
