// Seven lessons. A step loads a game (a text as in links, or a function that plays one) at a phase of its round, and
// says a few sentences; what is said in numbers is computed from the game.

const LINE = {kind: "thresholds", n: 8, T: 8};
const SIX_ROUNDS = "3.1,5.1,1.0,6.1,2.0,4.1";
const SINGLES = ["00000000", ...[...Array(8).keys()].map(one => "0".repeat(one) + "1" + "0".repeat(7 - one))];
const LAZY = "c=thresholds-8&T=12&K=3&g=";
const LAZY_ROUNDS = "4.1r,2.0,6.1r,3.0r,5.1r,4.0,1.0r,7.1r,3.1r,5.1,2.0r,4.1r";

const greedyGame = () => playedBy(LINE, GREEDY, LINE.T);
const halved = (n, rounds) => () => playedBy({...LINE, n}, HALVING, rounds);
const oneThenZeros = {x: game => game.rounds, y: game => Number(game.rounds === 0)};
// The stream of a lazy game, learnt in every round.
const learntWhole = ({settings, moves}) =>
  new Game({...settings, commits: null}, moves.map(({x, y}) => ({x, y}))).adept.at(-1);

const REVIEWED = {...LINE, T: 24, prior: "mixed", review: 0.25};
const ALONE = {...LINE, prior: "mixed"};
const attacked = (settings, T) => playedBy({...settings, T}, GREEDY, T);
// Rounds whose labels are those of x >= 1, and from `change` on those of x >= 7.
const CHANGE = 20, CHANGED = {...LINE, T: 40, prior: "mixed", rate: 2};
const changed = (settings, rounds = 40, change = CHANGE) => new Game({...CHANGED, ...settings},
  [...Array(rounds).keys()].map(t => ({x: 3 * t % 8, y: Number(3 * t % 8 >= (t < change ? 1 : 7)), kept: true})));
const shareOf = (game, label) => leavesOf(game, "x").filter(v => v.concepts.includes(label))[0].share;

const LESSONS = [
  {
    id: "randomise",
    steps: [
      {game: "c=thresholds-8&T=8&g=", phase: "x", text: () =>
        "You know the rules, the program, and P(1), the chance that it will guess 1: the columns below are P(1) at " +
        "every x. The one thing you do not know is how its coin will fall."},
      {game: "c=thresholds-8&T=8&g=4", phase: "weigh", text: ({look: {p}}) =>
        `At x = 4 it guesses 1 with chance ${fixed(p)}. Suppose it had no coin and always said the likelier label, ` +
        `here ${1 - lessLikely(p)}. You would say ${lessLikely(p)}, and it would be wrong. In every round.`},
      {game: greedyGame, phase: "x", text: game =>
        `Here you have done that ${game.rounds} times, each time at the x of which it was least sure. Without a coin ` +
        `it would have erred ${game.lossWithoutCoin} times in ${game.rounds} rounds. With the coin it expects ` +
        `${fixed(game.learner.expectedLoss)} mistakes. That is more than the ${game.rounds / 2} of guessing ` +
        "by a fair coin, as it leans to the rules that did well so far and you say the opposite; but " +
        `${fixed(game.lossWithoutCoin - game.learner.expectedLoss)} fewer than without.`},
      {game: greedyGame, phase: "x", text: game =>
        `And no rule likes your labels: even the best of all ${game.conceptClass.size} errs ${game.learner.bestLoss} ` +
        `times. What counts is the difference, the regret: ${fixed(game.learner.regret)}, proven from what was seen ` +
        `to be at most ${upTo(game.learner.bound)}. Can you do better? Undo, or leave the lesson, and play yourself.`},
    ],
  },
  {
    id: "pruning",
    steps: [
      {game: "c=thresholds-8&T=8&g=3.1,5", phase: "split", text: () =>
        "Two paths: the label at x = 3 was 0, or it was 1. Now x = 5 comes. The path 1 cannot go on with 0, as no " +
        "threshold says 1 at 3 and 0 at 5. The oracle says so, and ADEPT cuts the branch: the red cross."},
      {game: "c=thresholds-8&T=8&prune=0&g=3.1,5", phase: "split", text: ({look, learner}) =>
        "With pruning off this is BPSS, Algorithm 1. It keeps every labelling on which the base learner errs at most " +
        `M = ${learner.M} times: ${look.children.length} now, one of them (dotted, red) of no rule at all.`},
      {game: `c=thresholds-8&T=8&prune=0&g=${SIX_ROUNDS}`, phase: "x", text: ({learner: {paths}, experts}) =>
        `After six rounds BPSS carries ${paths.length} labellings for its ${experts} experts. ` +
        `${paths.filter(v => !v.concepts.length).length} of them are of no rule.`},
      {game: `c=thresholds-8&T=8&g=${SIX_ROUNDS}`, phase: "x", text: ({learner: {width, asked}, bpss}) =>
        `ADEPT keeps ${width}, for six points have no more labellings by thresholds: at most t + 1 after t points, ` +
        `as the VC dimension is 1 (Sauer's lemma). It has asked ${asked} questions. BPSS asks too, though only for ` +
        `what its base learner should guess, and of all that it carries: ${bpss.at(-1).asked}.`},
      {game: `c=thresholds-8&T=8&g=${SIX_ROUNDS},7`, phase: "weigh", text: ({looked: {adept, bpss}}) =>
        "Nothing is lost: the path of the best rule is never cut, so the bound of the paper holds for both. But they " +
        `may differ in P(1): at x = 7 ADEPT says ${fixed(adept.p)}, BPSS ${fixed(bpss.p)}, as it still listens to ` +
        "experts that no rule backs."},
    ],
  },
  {
    id: "littlestone",
    steps: [
      {game: halved(3, 2), phase: "x", text: ({learner}) =>
        "Thresholds on 3 points: 4 rules, VC dimension 1, Littlestone dimension 2. You play the middle of the rules " +
        "that still fit, and say the less likely label: two halvings, at least ½ lost in each. One rule fits all " +
        `your labels, so all that was lost is regret: ${fixed(learner.regret)}.`},
      {game: halved(7, 3), phase: "x", text: ({learner}) =>
        "Seven points, 8 rules. The VC dimension is still 1, but there are three halvings: Littlestone dimension 3. " +
        `Regret ${fixed(learner.regret)}, and still one rule fits everything.`},
      {game: halved(15, 4), phase: "x", text: ({learner}) =>
        `Fifteen points: four halvings, Littlestone dimension 4, regret ${fixed(learner.regret)}. Each halving costs ` +
        "any learner at least ½, whatever it does. On the whole real line you could go on for ever, with VC " +
        "dimension 1."},
      {game: () => playedBy({kind: "table", rows: SINGLES, T: 8}, oneThenZeros, 8), phase: "x", text: ({adept}) => {
        const [first, third, last] = [1, 3, 8].map(t => adept[t].regret);
        return "Nine rules, VC dimension 1 again: at most one point is 1. But after a single 1 everything is known: " +
          `Littlestone dimension 1. You said 1 at once: ${fixed(first)}. The other 7 rounds cost ` +
          `${fixed(last - first)} together, ${fixed(last)} in all. Compare equal times: regret ${fixed(third)} after ` +
          `3 rounds, where the three halvings of 7 points, also with T = 8, cost ` +
          `${fixed(halved(7, 3)().learner.regret)}.`;
      }},
      {game: halved(15, 4), phase: "x", text: ({learner, rounds}) =>
        `What VC dimension 1 does buy is a small tree: ${learner.width} paths after ${rounds} points. The VC ` +
        "dimension prices paths and questions; the Littlestone dimension prices regret."},
    ],
  },
  {
    id: "lazy",
    steps: [
      {game: LAZY, phase: "x", text: ({settings: {commits, T}}) =>
        "Every path asks twice per round; with a large tree that is a lot. So let the tree grow in only " +
        `K = ${commits} of the ${T} rounds, drawn by lot. Capacities and rate are those of a game of K rounds.`},
      {game: `${LAZY}4`, phase: "weigh", text: ({settings: {commits, T}}) =>
        "x = 4 comes. The learner splits, asks and predicts as always: nobody knows yet whether this round will be " +
        `drawn. (The chance is ${commits} in ${T}.)`},
      {game: `${LAZY}4.1r`, phase: "x", text: () =>
        "You said 1. The lot did not fall on this round: what had grown is forgotten, and the tree is as it was. The " +
        "two questions were asked all the same."},
      {game: `${LAZY}4.1r,2.0`, phase: "x", text: () =>
        "x = 2, label 0. This round was drawn: it is committed, and the tree has grown. As the prediction came " +
        "before the lot, the drawn rounds are a fair sample of all."},
      {game: LAZY + LAZY_ROUNDS, phase: "x", text: game => {
        const lazy = game.learner, whole = learntWhole(game);
        return `The end: ${lazy.width} paths, ${lazy.asked} questions, regret ${fixed(lazy.regret)}. Learning in ` +
          `every round, from the same labels: ${whole.width} paths, ${whole.asked} questions, regret ` +
          `${fixed(whole.regret)}. That is the trade of the paper: with K = T^c about T^(1+c·VC) questions, for a ` +
          "regret of about T^(1−c/2).";
      }},
    ],
  },
  {
    id: "lower-bound",
    steps: [
      {reset: [0, 0], text: () =>
        "Now you own the oracle. All points lie in hidden blocks, and each rule is 1 on one block. In every round " +
        "you toss a coin: a fresh point of block 1 (label 1), or of block 2 (label 0). A fresh point shows nothing " +
        "of its block, so a learner that never asks errs half of the time."},
      {reset: [3, 0], text: () =>
        "A learner that asks would know the blocks of this phase. So you reset: after each question a new phase " +
        "begins, with two blocks of which no answer can have spoken. The round of the question you give it for free."},
      {reset: [3, RESET_ROUNDS], text: () => {
        const {phases, best} = resetGame(3, RESET_ROUNDS);
        return `In hindsight there was a good rule: the block of 1s of phase ${best}. It is right in all of that ` +
          "phase, and says 0 elsewhere, which is right whenever the label is 0. So of all the 1s it saves the " +
          `${phases[best].ones} of its phase; the best of Q + 1 phases has at least a share 1/(Q + 1) of them.`;
      }},
      {reset: [1, RESET_ROUNDS], text: () =>
        "So Q questions leave a regret of at least T/(2(Q + 1)) − Q/2 on average. Move the slider: of " +
        `${RESET_ROUNDS} rounds one question leaves at least ${fixed(queryLowerBound(RESET_ROUNDS, 1, 1), 1)}; only ` +
        "when Q is about √T does the bound vanish. Whoever asks rarely must regret."},
    ],
  },
  {
    id: "review",
    steps: [
      {game: () => new Game(REVIEWED), phase: "x", text: ({settings: {review}}) =>
        `Now the learner has a third action. A wrong guess costs 1. Asking a person costs ${review}, and the person ` +
        "knows the label. In every round it draws one of three: say 0, say 1, or ask."},
      {game: () => new Game(REVIEWED, [], 4), phase: "weigh", text: ({look: {p, acts, costs}}) =>
        `At x = 4 it is not sure: P(1) = ${fixed(p)}. It asks with chance ${fixed(acts.review)}. A label 1 then costs ` +
        `${fixed(costs[1])} in expectation, a label 0 costs ${fixed(costs[0])}. Without reviews the two always add up ` +
        `to 1, however the coin is loaded; here they add up to ${fixed(costs[0] + costs[1])}.`},
      {game: () => new Game(REVIEWED, gameFromText(`c=thresholds-8&T=8&g=${SIX_ROUNDS}`).moves, 7), phase: "weigh",
        text: ({look: {p, acts}}) =>
          `After six labels that one rule fits it is nearly sure at x = 7: P(1) = ${fixed(p)}. It asks with chance ` +
          `${fixed(acts.review)} only. Of all chances that keep the guarantee it takes those with the fewest reviews.`},
      {game: () => attacked(REVIEWED, 24), phase: "x", text: game => {
        const alone = attacked(ALONE, 24).learner;
        return `The adversary has played ${game.rounds} rounds. The cost exceeds that of the best rule by ` +
          `${fixed(game.learner.regret)}. The same adversary makes a learner without reviews regret ` +
          `${fixed(alone.regret)}, and after 40 rounds ${fixed(attacked(ALONE, 40).learner.regret)}; with reviews it is ` +
          `still ${fixed(attacked(REVIEWED, 40).learner.regret)}.`;
      }},
      {game: () => attacked(REVIEWED, 40), phase: "x", text: ({learner, settings: {review}}) =>
        `In advance it is at most ${upTo(learner.inAdvance)}, for any number of rounds: the largest price of a rule, ` +
        `${fixed(learner.prior.price(40))}, divided by the rate, ${fixed(reviewRate(review))}. If a review costs 0.1 ` +
        `it is ${upTo(new Game({...REVIEWED, review: 0.1}).learner.inAdvance)}. A review that costs ½ or more never ` +
        "pays off. Leave the lesson, and set its cost yourself."},
    ],
  },
  {
    id: "drift",
    steps: [
      {game: () => changed({}), phase: "x", text: ({learner}) =>
        `For ${CHANGE} rounds the labels were those of x ≥ 1, then those of x ≥ 7. The best single rule errs ` +
        `${learner.bestLoss} times, and the learner expects ${fixed(learner.expectedLoss)} mistakes. Its regret is ` +
        `small, ${fixed(learner.regret)}. But a promise about one rule is worth little in a world that changes.`},
      {game: () => changed({}, CHANGE), phase: "x", text: game =>
        `The moment of the change. The rule x ≥ 7 has lost ${game.learner.paths.find(v => v.concepts.includes(7)).loss} ` +
        `times, so only ${shareOf(game, 7).toExponential(0)} of the weight is left on it. It would have to be right ` +
        "for about as many rounds before the learner listens to it."},
      {game: () => changed({drift: true}, CHANGE), phase: "x", text: game =>
        "The same rounds with drift. After round t the learner deals out 1/(t + 1) of all weight again, as in the " +
        `prior. So x ≥ 7 keeps ${shareOf(game, 7).toExponential(0)} of the weight, and can come back within a few ` +
        "rounds. No rule is ever out of reach."},
      {game: () => changed({drift: true}), phase: "x", text: ({learner}) =>
        `After all ${learner.rounds} rounds it expects ${fixed(learner.expectedLoss)} mistakes, and the best single ` +
        `rule has ${learner.bestLoss}. The best sequence of rules with one change errs ${learner.sequenceLoss(1)} times; ` +
        `the regret to any such sequence is proven to be at most ${upTo(learner.sequenceBound(1))}.`},
      {game: () => changed({drift: true}, 40, 40), phase: "x", text: ({learner}) =>
        `Drift has a price. If nothing changes, the learner expects ${fixed(learner.expectedLoss)} mistakes with it and ` +
        `${fixed(changed({}, 40, 40).learner.expectedLoss)} without. It pays for changes that never come.`},
      {game: () => changed({drift: true, review: 0.1}), phase: "x", text: ({learner, settings: {review}}) =>
        `Both together: with drift, and a person who answers for ${review}, the changing stream costs ` +
        `${fixed(learner.expectedLoss)}. Now change the rule whenever you like: leave the lesson, and play.`},
    ],
  },
];
