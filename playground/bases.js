// The realizable base learners: state machines start / predict / update, each with its mistake bound M.

// Is x at or above `high`, or between the two points and nearer to it? A tie is no.
function nearerToHigh(low, high, x) {
  return high <= x || (low < x && high - x < x - low);
}

// Thresholds: the middle of the cuts that fit. The state is the gap low..high of those cuts.
class Bisection {
  constructor(conceptClass) {
    this.n = conceptClass.n;
    this.mistakeBound = conceptClass.littlestoneDimension;
  }

  start() {
    return [0, this.n];
  }

  predict([low, high], x) {
    return Number(low <= x && nearerToHigh(low - 1, high, x));
  }

  update([low, high], x, y) {
    return y ? [low, Math.min(high, x)] : [Math.max(low, x + 1), high];
  }
}

// Intervals: bisection at both ends once a 1 was seen; before that, a 1 exactly where it could not afford a surprise.
class IntervalSearch {
  constructor(conceptClass) {
    this.n = conceptClass.n;
    this.mistakeBound = conceptClass.littlestoneDimension;
  }

  start() {
    return {mistakes: 0, zeros: [], box: null};
  }

  neighbours(zeros, x) {
    return [Math.max(-1, ...zeros.filter(zero => zero < x)), Math.min(this.n, ...zeros.filter(zero => zero > x))];
  }

  predict({mistakes, zeros, box}, x) {
    if (box) {
      const [low, first, past, above] = box;
      return Number(nearerToHigh(low - 1, first, x) && nearerToHigh(-above, -(past - 1), -x));
    }
    const [below, above] = this.neighbours(zeros, x);
    const dimension = Math.floor(Math.log2(x - below)) + Math.floor(Math.log2(above - x));
    return Number(!zeros.includes(x) && dimension >= this.mistakeBound - mistakes);
  }

  update(state, x, y) {
    const {mistakes, zeros, box} = state;
    if (!box) {
      const [below, above] = this.neighbours(zeros, x);
      if (y) return {mistakes, zeros, box: [below + 1, x, x + 1, above]};
      return {mistakes: mistakes + this.predict(state, x), zeros: [...zeros, x], box: null};
    }
    const [low, first, past, above] = box;
    const narrowed = x < first ? (y ? [low, x, past, above] : [Math.max(low, x + 1), first, past, above])
      : past <= x ? (y ? [low, first, x + 1, above] : [low, first, past, Math.min(above, x)]) : box;
    return {mistakes, zeros, box: narrowed};
  }
}

// Tables: Littlestone's Standard Optimal Algorithm, the label whose side has the larger dimension. The state is the
// list of the concepts that fit.
class SOA {
  constructor(conceptClass) {
    this.concepts = conceptClass;
    this.mistakeBound = conceptClass.littlestoneDimension;
  }

  start() {
    return this.concepts.everything();
  }

  predict(state, x) {
    const side = label => this.concepts.dimension(this.concepts.saying(state, x, label));
    return Number(side(1) > side(0));
  }

  update(state, x, y) {
    return this.concepts.saying(state, x, y);
  }
}

function baseFor(conceptClass) {
  return new {thresholds: Bisection, intervals: IntervalSearch, table: SOA}[conceptClass.kind](conceptClass);
}
