// What the reader does, and what is drawn then. All that is shown follows from `game`, `phase` and the lesson.

// The game that the page begins with; `adeptree play` replaces this line.
const START = "c=thresholds-8&T=8&rate=paper&prior=paper&g=";

const FIRST_GAME = "c=thresholds-8&T=8&rate=paper&prior=paper";
const MOST_WORDS = 4;  // paths that are named with a reason
let game, phase, chance;

function take(newGame, newPhase) {
  game = newGame;
  phase = newPhase ?? (game.looked ? "weigh" : "x");
  chance = new Chance(game.conceptClass);
  byId("link-note").textContent = "";
  showSettings(game.settings);
}

function show(newGame, newPhase) {
  take(newGame, newPhase);
  draw();
}

function draw(said = "") {
  drawPoints(game, phase);
  drawTree(game, phase);
  drawScale(game, phase);
  drawAccount(game);
  drawChart(game);
  drawAlgorithm(game, phase);
  drawPaths(game);
  drawRounds(game);
  byId("as-set").textContent = settingsText(game);
  byId("prompt").textContent = promptText(game, phase);
  byId("say").textContent = phase === "split" ? splitText(game) : phase === "weigh" ? weighText(game)
    : game.rounds ? labelText(game) : "Click a column. There is one path so far, the empty one, and every rule fits it.";
  fill("refused", phase === "split" && !game.plain
    ? refusals(game).map(({why, words}) => el("li", {}, el("b", {}, words.slice(0, MOST_WORDS).join(", ")),
      words.length > MOST_WORDS ? ` and ${words.length - MOST_WORDS} more` : "", ` refused: ${why}`)) : []);
  byId("go-on").hidden = phase !== "split";
  byId("answers").hidden = phase !== "weigh";
  byId("points").classList.toggle("awaits", phase === "x" && !game.rounds);
  byId("undo").disabled = !game.rounds && !game.looked;
  byId("greedy").disabled = byId("chance").disabled = game.over;
  byId("told").textContent = said;
  byId("live").textContent = ["say", "refused", "prompt"].map(id => byId(id).textContent).join(" ");
  writeLink();
}

// --- A round ---

function choose(x) {
  if (phase !== "x" || game.over) return;
  game.choose(x);
  phase = byId("stepwise").checked ? "split" : "weigh";
  draw();
  byId(phase === "split" ? "go-on" : "say-0").focus({preventScroll: true});
}

function goOn() {
  if (phase !== "split") return;
  phase = "weigh";
  draw();
  byId("say-0").focus({preventScroll: true});
}

function say(y) {
  if (phase !== "weigh") return;
  game.answer(y, drawn());
  phase = "x";
  draw();
  byId("points").querySelector("[tabindex='0']").focus({preventScroll: true});
}

// Whether lazy rollback keeps the round: drawn after predicting, so that K rounds are kept in the end.
function drawn() {
  return !game.lazy || Math.random() < game.learner.chance;
}

function letPlay(player) {
  do {
    if (game.over) break;
    playRound(game, player, drawn());
  } while (byId("to-end").checked);
  phase = "x";
  draw();
}

function undo() {
  game.undo();
  phase = "x";
  draw("Undone.");
}

// --- Settings ---

function showSettings({kind, n, rows, T, M, rate, prior, prune, commits, review, drift}) {
  const values = {kind, n, rows: rows.join("\n"), T, M: M ?? "", prior, K: commits ?? "", review: review ?? "",
    rate: typeof rate === "number" ? "number" : rate};
  for (const [id, value] of Object.entries(values)) byId(id).value = value;
  if (typeof rate === "number") byId("eta").value = rate;
  byId("prune").checked = prune;
  byId("drift").checked = drift;
  for (const id of ["M", "K", "prune"]) byId(id).disabled = game.decides;
  byId("rate").disabled = review !== null;
  byId("n-label").hidden = kind === "table";
  byId("rows-label").hidden = kind !== "table";
  byId("eta-label").hidden = typeof rate !== "number";
  byId("n").max = LIMITS[kind] ?? LIMITS.thresholds;
  byId("K").max = T;
  byId("M").placeholder = game.adept[0].base.mistakeBound;
  byId("prune").disabled ||= !game.bpss;
  byId("prior").disabled = game.lazy;
  byId("settings-note").textContent = "";
}

// Take over the form. The stream stays, where it can: then it is the same labels for another learner.
function readSettings() {
  const {kind, n, rows, T, M, rate, eta, prior, K, review} = Object.fromEntries([...byId("settings").elements].map(
    field => [field.id, field.value.trim()]));
  // Another kind of rules may have fewer points than the last; a number that was typed is never changed.
  const points = kind === game.settings.kind ? n : Math.min(n, LIMITS[kind]);
  const size = kind === "table" ? rows.split(/\s+/).join("-") : points;
  const drift = byId("drift").checked, parts = [`c=${kind}-${size}`, `T=${T}`];
  if (review || drift) {  // (these go with a prior that needs no horizon, and a rate that stays)
    parts.push(`prior=${prior === "paper" ? "mixed" : prior}`, review ? `review=${review}` : `rate=${eta}`);
    if (drift) parts.push("drift=1");
  } else {
    parts.push(`rate=${rate === "number" ? eta : rate}`, `prior=${K ? "paper" : prior}`);
    if (M) parts.push(`M=${M}`);
    if (K) parts.push(`K=${K}`);
    else if (!byId("prune").checked) parts.push("prune=0");
  }
  try {
    const fresh = gameFromText(parts.join("&"));
    const {conceptClass: {n}, settings: {T}, lazy} = fresh;
    const stays = !lazy && !game.lazy && game.moves.every(({x}) => x < n);
    show(new Game(fresh.settings, stays ? game.moves.slice(0, T) : []));
    byId("told").textContent = game.rounds ? "The same rounds, for the learner as it is set now." : "A new game.";
  } catch (error) {
    byId("settings-note").textContent = `Not possible: ${error.message}.`;
  }
}

// --- The address ---

function writeLink(text = gameToText(game)) {
  if (location.hash.slice(1) !== text) history.replaceState(null, "", `#${text}`);
}

function readLink() {
  const text = location.hash.slice(1).replaceAll("%2C", ",");  // (some programs write a comma so)
  const [, id, at] = /^lesson=([a-z-]+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (id && LESSONS.some(one => one.id === id)) {
    openLesson(id, (at ?? 1) - 1);
    return;
  }
  if (lesson) openLesson(null);
  try {
    if (!text && START === `${FIRST_GAME}&g=`) openLesson(LESSONS[0].id);  // no blank start
    else show(gameFromText(text || START));
  } catch (error) {
    show(gameFromText(START));
    const why = /(^|&)c=/.test(text) ? error.message : "it names neither a game nor a lesson";
    byId("link-note").textContent = `The link could not be read (${why}); this is a new game.`;
  }
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    byId("told").textContent = "Copied: the link holds the whole game.";
  } catch {
    byId("told").textContent = `Copy this link, it holds the whole game: ${location.href}`;
  }
}

// --- Listening ---

const KEYS = {0: () => say(0), 1: () => say(1), u: undo, g: () => letPlay(GREEDY), c: () => letPlay(chance), n: anew};

function anew() {
  show(new Game(game.settings));
}

function pressed(event) {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (KEYS[event.key] && !byId("board").hidden) {
    event.preventDefault();
    KEYS[event.key]();
  }
}

function along(event) {
  const buttons = [...byId("points").children], at = buttons.indexOf(document.activeElement);
  const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1}[event.key];
  if (to === undefined || !buttons[to]) return;
  event.preventDefault();
  buttons.forEach((button, i) => { button.tabIndex = i === to ? 0 : -1; });
  buttons[to].focus();
}

function listen() {
  const clicks = {"go-on": goOn, "say-0": () => say(0), "say-1": () => say(1), undo, anew, copy: copyLink,
    greedy: () => letPlay(GREEDY), chance: () => letPlay(chance), "lesson-close": () => openLesson(null),
    "lesson-back": () => goTo(step - 1), "lesson-next": () => goTo(step + 1),
    "reset-play": () => timer ? stopReset() : playReset(Number(byId("reset-q").value),
      Number(byId("reset-time").value) % RESET_ROUNDS)};
  for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
  byId("points").addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button) choose(Number(button.dataset.x));
  });
  byId("points").addEventListener("keydown", along);
  byId("settings").addEventListener("change", readSettings);
  byId("settings").addEventListener("submit", event => event.preventDefault());
  for (const id of ["reset-q", "reset-time"]) byId(id).addEventListener("input", () => {
    if (id === "reset-time") stopReset();
    showReset(Number(byId("reset-q").value), Number(byId("reset-time").value));
  });
  document.addEventListener("keydown", pressed);
  addEventListener("resize", () => {
    if (lesson?.steps[0].reset) showReset(Number(byId("reset-q").value), Number(byId("reset-time").value));
    else draw(byId("told").textContent);
  });
  addEventListener("hashchange", readLink);
  byId("lessons").addEventListener("click", event => {
    const id = event.target.closest("button")?.dataset.lesson;
    if (!id) return;
    openLesson(id);
    byId("lesson-title").focus({preventScroll: true});
  });
}

byId("algorithm-box").open = matchMedia("(min-width: 901px)").matches;
listen();
take(gameFromText(START));
readLink();
