"""The page's style sheet: light and dark, narrow and wide, screen and paper."""

CSS = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #5b5b5b; --line: #d4d4d4; --ground: #ffffff; --band: #f4f5f6;
  --good: #00694c; --bad: #b3360a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --soft: #a9a9a9; --line: #444; --ground: #161718;
  --band: #202224; --good: #3fc79a; --bad: #ff8a5c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 1.2rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .4rem; }
p { max-width: 75ch; }
small { display: block; font-weight: normal; color: var(--soft); font-size: .82em; line-height: 1.35; }
code { font-size: .92em; }
.sum { padding: .6rem .8rem; border-left: 4px solid var(--good); background: var(--band); }
.sum.failed { border-color: var(--bad); }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .95rem; }
a { color: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { text-align: left; }
tbody th[scope=row] { font-weight: normal; min-width: 16rem; }
.right { text-align: right; white-space: nowrap; }
td.held, td.failed { white-space: nowrap; }
td.held { color: var(--good); }
td.failed { color: var(--bad); font-weight: bold; }
tr.group th { background: var(--band); padding-top: .6rem; }
.figures { display: grid; gap: 2rem 2.2rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); }
figure { margin: 0; min-width: 0; }
figure.wide { grid-column: 1 / -1; max-width: 680px; width: 100%; justify-self: center; }
figure svg { display: block; width: 100%; height: auto; }
figure svg text { font-family: system-ui, "DejaVu Sans", sans-serif !important; }
figcaption { color: var(--soft); font-size: .88rem; line-height: 1.45; }
.findings { padding-left: 1.3rem; }
.findings li { margin-bottom: 1.1rem; }
.findings p { margin: .25rem 0; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; font-size: .92rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  body { font-size: 15px; }
  thead { position: absolute; clip-path: inset(50%); height: 1px; overflow: hidden; }
  table, tbody, tr, th, td { display: block; width: auto; }
  tbody th[scope=row] { min-width: 0; border: 0; padding-bottom: .1rem; }
  tbody tr { padding: .45rem 0; border-bottom: 1px solid var(--line); }
  tbody td { display: inline-block; border: 0; padding: .1rem .6rem; white-space: nowrap; }
  tbody td::before { content: attr(data-label) " "; color: var(--soft); font-size: .85em; }
  tbody td[data-label=held]::before { content: ""; }
  .facts { grid-template-columns: 1fr; }
  .facts dd { margin-bottom: .4rem; }
}
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #333; --line: #999; --ground: #fff; --band: #eee; --good: #000;
    --bad: #000; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  table { font-size: 8pt; }
  nav { display: none; }
.scroll { overflow: visible; }
  thead { display: table-header-group; }
  figure, tr, .findings li { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .figures { grid-template-columns: 1fr 1fr; gap: 1rem; }
}
"""
