// Who plays in the reader's place. Each says x, and then y knowing P(1), never the coin.

// The label that is held less likely; 1 if both are equally likely.
const lessLikely = p => Number(p <= 0.5 + 1e-9);

// Greedy: the x of which the learner is least sure, and the less likely label.
const GREEDY = {
  x(game) {
    const doubts = [...Array(game.conceptClass.n).keys()].map(x => Math.abs(game.learner.look(x).p - 0.5));
    return doubts.findIndex(doubt => doubt <= Math.min(...doubts) + 1e-9);  // (a tie, whatever the rounding)
  },
  y: game => lessLikely(game.look.p),
};

// Chance: any x, and the label of one hidden rule, every tenth of them wrong.
class Chance {
  constructor(conceptClass, random = Math.random) {
    Object.assign(this, {conceptClass, random, rule: Math.floor(random() * conceptClass.size)});
  }

  x() {
    return Math.floor(this.random() * this.conceptClass.n);
  }

  y(game) {
    return this.conceptClass.rows[this.rule][game.looked.x] ^ Number(this.random() < 0.1);
  }
}

// Halving: the middle of the thresholds that fit, and the less likely label. The stream stays realizable.
const HALVING = {
  x(game) {
    let [low, high] = [0, game.conceptClass.n];
    for (const {x, y} of game.moves) [low, high] = y ? [low, Math.min(high, x)] : [Math.max(low, x + 1), high];
    return Math.floor((low + high - 1) / 2);
  },
  y: game => lessLikely(game.look.p),
};

function playRound(game, player, kept) {
  if (!game.looked) game.choose(player.x(game));
  game.answer(player.y(game), kept);
}

function playedBy(settings, player, rounds) {
  const game = new Game(settings);
  for (let t = 0; t < rounds; t++) playRound(game, player);
  return game;
}
