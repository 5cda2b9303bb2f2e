// Walking through a lesson, and the figure of the lower bound in motion.

let lesson = null, step = 0;

function openLesson(id, at = 0) {
  lesson = LESSONS.find(one => one.id === id) ?? null;
  byId("lesson").hidden = !lesson;
  byId("board").hidden = Boolean(lesson?.steps[0].reset);
  byId("reset-box").hidden = !lesson?.steps[0].reset;
  for (const card of byId("lessons").children) {
    const chosen = card.dataset.lesson === lesson?.id;
    card.setAttribute("aria-pressed", String(chosen));
    if (chosen) card.parentElement.scrollLeft = card.offsetLeft - card.parentElement.offsetLeft;  // (on a phone)
  }
  stopReset();
  if (lesson) goTo(Math.min(Math.max(at, 0), lesson.steps.length - 1));
  else draw();
}

function goTo(at) {
  step = at;
  const {game: given, phase: wanted, text, reset} = lesson.steps[at];
  byId("lesson-title").textContent = byId(`lesson=${lesson.id}`).querySelector("b").textContent;
  byId("lesson-place").textContent = `${at + 1} of ${lesson.steps.length}`;
  byId("lesson-back").disabled = at === 0;
  byId("lesson-next").disabled = at === lesson.steps.length - 1;
  if (reset) {
    playReset(...reset);
  } else {
    show(typeof given === "function" ? given() : gameFromText(given), wanted);
  }
  byId("lesson-text").textContent = text(game);
  writeLink(`lesson=${lesson.id}.${at + 1}`);
}

// --- The figure of the lower bound, animated ---

let timer = null;

function stopReset() {
  clearInterval(timer);
  timer = null;
  byId("reset-play").textContent = "Play";
}

function showReset(Q, t) {
  byId("reset-q").value = Q;
  byId("reset-q-value").textContent = Q;
  byId("reset-time").value = t;
  drawReset(Q, t);
}

function playReset(Q, from) {
  stopReset();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  showReset(Q, still ? RESET_ROUNDS : from);
  if (still || from === RESET_ROUNDS) return;
  byId("reset-play").textContent = "Pause";
  timer = setInterval(() => {
    const t = Number(byId("reset-time").value) + 1;
    showReset(Number(byId("reset-q").value), t);
    if (t >= RESET_ROUNDS) stopReset();
  }, 110);
}
