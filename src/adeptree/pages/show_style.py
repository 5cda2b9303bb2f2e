"""Style and script of the page: light and dark, phone and desk; without the script all rounds are shown at once."""

CSS = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5b5b5b; --line: #d4d4d4; --ground: #fff; --band: #f4f5f6;
  --one: #0072b2; --cut: #c0390b; --beyond: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --soft: #a9a9a9; --line: #4a4a4a; --ground: #161718;
  --band: #202224; --one: #4aa8e0; --cut: #ff8a5c; --beyond: #e6b450; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: .4rem 0; }
h2 { font-size: 1.2rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; max-width: 75ch; }
.soft, figcaption { color: var(--soft); font-size: .9rem; }
nav { display: flex; gap: .6rem; align-items: center; position: sticky; top: 0; background: var(--ground);
  padding: .5rem 0; border-bottom: 1px solid var(--line); z-index: 1; }
nav[hidden], section[hidden] { display: none; }
nav input { flex: 1; min-width: 0; accent-color: var(--one); height: 2rem; }
nav button { font: inherit; color: inherit; background: var(--band); border: 1px solid var(--line); border-radius: 6px;
  padding: .3rem .8rem; min-height: 2.6rem; cursor: pointer; }
nav button:disabled { opacity: .4; cursor: default; }
nav output { min-width: 4.2em; text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: .6rem 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 720px; }
svg text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); }
svg .head { fill: var(--soft); text-anchor: middle; }
svg .edge { fill: none; stroke: var(--ink); stroke-linecap: round; }
svg .against { stroke-dasharray: 5 4; stroke-linecap: butt; }
svg .zero { fill: var(--ground); stroke: var(--ink); stroke-width: 1.5; }
svg .one { fill: var(--one); stroke: var(--one); stroke-width: 1.5; }
svg .digit { text-anchor: middle; }
svg .one + .digit { fill: #fff; }
svg .stub { stroke: var(--cut); stroke-width: 1.5; }
svg .mark { fill: var(--cut); text-anchor: middle; font-weight: bold; }
svg .beyond { stroke: var(--beyond); }
svg .mark.beyond { fill: var(--beyond); stroke: none; }
svg .old { opacity: .35; }
svg .share { fill: var(--soft); }
svg .share.is-one { fill: var(--one); }
.scale { display: flex; height: 1.9rem; border: 1px solid var(--line); border-radius: 4px; overflow: hidden;
  font-size: .85rem; max-width: 720px; }
.scale span { text-indent: .4rem; line-height: 1.8rem; white-space: nowrap; overflow: hidden; }
.scale .is-one { background: var(--one); color: #fff; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: right; font-weight: normal; }
th:first-child { text-align: left; font-family: ui-monospace, monospace; }
thead th { color: var(--soft); }
li { margin: .15rem 0; }
@media (max-width: 480px) { body { font-size: 15px; } th, td { padding: .2rem .4rem; } table { width: 100%; } }
@media print { nav { display: none; } section[hidden] { display: block; } section { break-inside: avoid; } }
"""

SCRIPT = """
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
"""
