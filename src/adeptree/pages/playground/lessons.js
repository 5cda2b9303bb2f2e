// Five lessons. A step loads a game (a text as in links, or a function that plays one) at a phase of its round, and says
// a few sentences; what is said in numbers is computed from the game.

const LINE = {kind: "thresholds", n: 8, T: 8};
const SINGLES = [...Array(8).keys()].map(one => [...Array(8).keys()].map(x => Number(x === one)).join(""));
const LAZY = "c=thresholds-8&T=12&rate=paper&prior=paper&K=3&g=";
const LAZY_ROUNDS = "4.1r,2.0,6.1r,3.0r,5.1r,4.0,1.0r,7.1r,3.1r,5.1,2.0r,4.1r";

// The same stream, learnt in every round.
const learntWhole = game => new Game({...game.settings, commits: null}, game.moves.map(({x, y}) => ({x, y}))).adept.at(-1);
const ghosts = game => game.bpss.at(-1).paths.filter(v => !v.concepts.length).length;
const last = game => game.adept.at(-1);

const LESSONS = [
  {
    id: "randomise", title: "Why randomise?", about: "the coin you cannot see",
    steps: [
      {game: "c=thresholds-8&T=8&g=", phase: "x", text: () =>
        "You are the adversary. You know the rules, the program and P(1), the chance with which it will guess 1 (the columns below " +
        "are P(1) at every x). The one thing you do not know is how its coin will fall."},
      {game: "c=thresholds-8&T=8&g=4", phase: "weigh", text: game =>
        `At x = 4 it guesses 1 with chance ${fixed(game.look.p)}. Suppose it had no coin and always said the likelier label, ` +
        `here ${1 - lessLikely(game.look.p)}. You would say ${lessLikely(game.look.p)}, and it would be wrong. In every round.`},
      {game: () => playedBy(LINE, GREEDY, 8), phase: "x", text: game =>
        `Here you have done that ${game.rounds} times, each time at the x of which it was least sure. Without a coin it would have erred ` +
        `${game.lossWithoutCoin} times in ${game.rounds} rounds. With the coin it expects ${fixed(last(game).expectedLoss)}: where you attack, P(1) is near ½, ` +
        "and neither answer hurts much more than the other."},
      {game: () => playedBy(LINE, GREEDY, 8), phase: "x", text: game =>
        `And no rule likes your labels: the best of all ${game.conceptClass.size} errs ${last(game).bestLoss} times. What counts is the difference, ` +
        `the regret, ${fixed(last(game).regret)}; from what was seen it is proven to be at most ${upTo(last(game).bound)}. Try to do better: undo, and play yourself.`},
    ],
  },
  {
    id: "pruning", title: "What pruning saves", about: "ADEPT beside BPSS",
    steps: [
      {game: "c=thresholds-8&T=8&g=3.1,5", phase: "split", text: () =>
        "Two paths: at x = 3 the label was 0, or it was 1. Now x = 5 comes. The path 1 cannot go on with 0, as no threshold says 1 at 3 and 0 at 5. " +
        "The oracle says so, and ADEPT cuts the branch (the red cross)."},
      {game: "c=thresholds-8&T=8&prune=0&g=3.1,5", phase: "split", text: game =>
        `With pruning off this is BPSS, Algorithm 1. It never asks, and keeps every labelling on which the base learner errs at most M = ${game.learner.M} times: ` +
        `${game.look.children.length} now, one of them (dashed) of no rule at all.`},
      {game: "c=thresholds-8&T=8&prune=0&g=3.1,5.1,1.0,6.1,2.0,4.1", phase: "x", text: game =>
        `Six rounds later BPSS carries ${game.bpss.at(-1).paths.length} labellings, ${ghosts(game)} of them of no rule, for its ${game.experts} experts.`},
      {game: "c=thresholds-8&T=8&g=3.1,5.1,1.0,6.1,2.0,4.1", phase: "x", text: game =>
        `ADEPT keeps ${last(game).width}: six points have no more labellings by thresholds. (VC dimension 1: at most t + 1 after t points; this is Sauer's lemma.) ` +
        `It asked ${last(game).asked} questions where BPSS, asked the same way, has ${game.bpss.at(-1).asked}.`},
      {game: "c=thresholds-8&T=8&g=3.1,5.1,1.0,6.1,2.0,4.1,7", phase: "weigh", text: game =>
        `Nothing is lost: the path of the best rule is never cut, so the regret bound of the paper holds for both. P(1) may differ: at x = 7 ADEPT says ` +
        `${fixed(game.looked.adept.p)}, BPSS ${fixed(game.looked.bpss.p)}, because it still listens to experts that no rule backs.`},
    ],
  },
  {
    id: "littlestone", title: "Why Littlestone, not VC", about: "what prices regret",
    steps: [
      {game: () => playedBy({...LINE, n: 3}, new HalvingPlayer(), 2), phase: "x", text: game =>
        `Thresholds on 3 points: 4 rules, VC dimension 1, Littlestone dimension 2. You play the middle of the rules that still fit and say the less likely label: ` +
        `two halvings, at least ½ lost in each. A rule fits all your labels, so the regret is all that was lost: ${fixed(last(game).regret)}.`},
      {game: () => playedBy({...LINE, n: 7}, new HalvingPlayer(), 3), phase: "x", text: game =>
        `Seven points, 8 rules. VC dimension still 1, but there are three halvings: Littlestone dimension 3. Regret ${fixed(last(game).regret)}, and still a rule fits everything.`},
      {game: () => playedBy({...LINE, n: 15}, new HalvingPlayer(), 4), phase: "x", text: game =>
        `Fifteen points: four halvings, Littlestone dimension 4, regret ${fixed(last(game).regret)}. Each halving costs any learner at least ½, whatever it does. On the whole real line you ` +
        "could go on for ever, with VC dimension 1."},
      {game: () => playedBy({kind: "table", rows: ["00000000", ...SINGLES], T: 8}, {x: game => game.rounds, y: game => Number(game.rounds === 0)}, 8), phase: "x", text: game =>
        `Now 9 rules, as many as thresholds on 8 points have, and VC dimension 1 again: at most one point is 1. After a single 1 everything is known: Littlestone dimension ` +
        `${game.conceptClass.littlestoneDimension}. You forced one mistake in the first round, and nothing after: regret ${fixed(last(game).regret)}.`},
      {game: () => playedBy({...LINE, n: 15}, new HalvingPlayer(), 4), phase: "x", text: game =>
        `What VC dimension 1 does buy is a small tree: ${last(game).width} paths after ${game.rounds} points. VC prices paths and questions, Littlestone prices regret.`},
    ],
  },
  {
    id: "lazy", title: "Lazy rollback", about: "fewer questions",
    steps: [
      {game: LAZY, phase: "x", text: game =>
        `Every path asks twice per round; with a large tree that is a lot. So let the tree grow in only K = ${game.settings.commits} of the ${game.settings.T} rounds, drawn by lot. ` +
        "Capacities and rate are those of a game of K rounds."},
      {game: `${LAZY}4`, phase: "weigh", text: game =>
        `x = 4 comes. It splits, asks and predicts as always: whether this round will be drawn is not known yet, to you or to it. (The chance is ${game.settings.commits} in ${game.settings.T}.)`},
      {game: `${LAZY}4.1r`, phase: "x", text: () =>
        "You said 1. The lot did not fall on this round: what was grown is forgotten, and the tree is as it was. The two questions were asked all the same."},
      {game: `${LAZY}4.1r,2.0`, phase: "x", text: () =>
        "x = 2, label 0. This round was drawn: it is committed, and the tree has grown. What counts is that the prediction came before the lot."},
      {game: LAZY + LAZY_ROUNDS, phase: "x", text: game =>
        `The end: ${last(game).width} paths and ${last(game).asked} questions. Learning in every round would have had ${learntWhole(game).width} paths and ${learntWhole(game).asked} questions on these labels. ` +
        `Its regret would have been ${fixed(learntWhole(game).regret)} instead of ${fixed(last(game).regret)}: that is the trade of the paper, about T^(1 + c·VC) questions for T^(1 − c/2) regret with K = T^c.`},
    ],
  },
  {
    id: "lower-bound", title: "The lower bound", about: "the paper's second figure",
    steps: [
      {reset: [0, 0, 60], text: () =>
        "Now you own the oracle. The points lie in hidden blocks, and each rule is 1 on one block. You toss a coin per round: a fresh point of block 1 (label 1) " +
        "or of block 2 (label 0). A fresh point shows nothing of its block, so a learner that never asks errs half of the time."},
      {reset: [3, 0, 60], text: () =>
        "A learner may ask, and would then know this phase's blocks. So you reset: after each question a new phase begins, with two blocks that no answer can have spoken of. " +
        "The round of the question itself you give it for free."},
      {reset: [3, 60, 60], text: () => {
        const {phases, best} = resetGame(3, 60);
        return `In hindsight there was a good rule: the block of 1s of phase ${best}. It is right in all of that phase, and says 0 everywhere else, which is right half of the time. It saves the ` +
          `${phases[best].ones} ones of its phase, and the largest of Q + 1 phases has at least a share 1/(Q + 1) of them.`;
      }},
      {reset: [1, 60, 60], text: () =>
        `So Q questions cost at least T/(2(Q + 1)) − Q/2 mistakes on average. Move the slider: with ${RESET_ROUNDS} rounds, one question leaves at least ${fixed(queryLowerBound(RESET_ROUNDS, 1, 1), 1)}; ` +
        "only when Q is about √T does the bound vanish. Whoever asks rarely must regret."},
    ],
  },
];
