// One round at a time, under a slider; without this script the page shows all rounds at once.
const rounds = [...document.querySelectorAll("section.round")];
const nav = document.querySelector("nav"), slider = nav.querySelector("input"), output = nav.querySelector("output");
const [back, next] = nav.querySelectorAll("button");
function go(t) {
  rounds.forEach((round, i) => { round.hidden = i + 1 !== t; });
  slider.value = t;
  output.textContent = t + " of " + rounds.length;
  back.disabled = t === 1;
  next.disabled = t === rounds.length;
}
slider.addEventListener("input", () => go(+slider.value));
back.addEventListener("click", () => go(+slider.value - 1));
next.addEventListener("click", () => go(+slider.value + 1));
nav.hidden = false;
go(1);
