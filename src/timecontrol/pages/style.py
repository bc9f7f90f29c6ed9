"""The look of a page: light and dark, wide and narrow; no colour says anything alone."""

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fbfbfa; --card: #ffffff; --ink: #1d2329; --quiet: #5c6670; --line: #d9dde1;
  --fits: #2f7d55; --weak: #a86a00; --breaks: #c0322b;
  --weak-tint: #fdf1d6; --breaks-tint: #fde3e0; --link: #1f5fa8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --card: #1c2126; --ink: #e6e9ec; --quiet: #9aa5b0; --line: #333b43;
    --fits: #5bb98a; --weak: #e0a83e; --breaks: #ff7b72;
    --weak-tint: #3a2f14; --breaks-tint: #45201e; --link: #79b0f0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
a { color: var(--link); }
.quiet, footer, figcaption, caption { color: var(--quiet); font-size: .9rem; }
section {
  margin-top: 1.5rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .6rem;
}
dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 0 0 .75rem; }
dl div { min-width: 7rem; }
dt { color: var(--quiet); font-size: .85rem; }
dd { margin: 0; font-size: 1.45rem; font-variant-numeric: tabular-nums; }
dd small { display: block; font-size: .8rem; color: var(--quiet); }
.warning {
  border-left: 4px solid var(--weak); background: var(--weak-tint); padding: .5rem .75rem;
}
.prose { line-height: 1.9; }
.s { border-radius: .2rem; padding: .05rem .1rem; }
.s sup { color: var(--quiet); font-size: .7em; margin-right: .15em; white-space: nowrap; }
.s.weak { background: var(--weak-tint); border-bottom: 2px dotted var(--weak); }
.s.breaks { background: var(--breaks-tint); border-bottom: 2px solid var(--breaks); }
.s.breaks sup { color: var(--breaks); font-weight: 700; }
.s:hover, .s:focus { outline: 2px solid var(--link); outline-offset: 1px; }
.tip {
  display: none; position: fixed; left: 50%; bottom: 1rem; transform: translateX(-50%);
  z-index: 1; width: max-content; max-width: 92vw; padding: .45rem .8rem; border-radius: .4rem;
  font-size: .9rem; line-height: 1.4; background: var(--ink); color: var(--ground);
}
.s:hover .tip, .s:focus .tip { display: block; }
.charts { display: grid; grid-template-columns: 1fr 1fr; gap: 1.25rem; margin-top: 1rem; }
figure { margin: 0; }
svg { width: 100%; height: auto; display: block; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--quiet); stroke-width: 1.2; }
svg .path { fill: none; stroke: var(--quiet); stroke-width: 1.2; stroke-opacity: .7; }
svg .fits { fill: var(--fits); }
svg .weak { fill: var(--weak); }
svg .breaks { fill: var(--breaks); }
svg .ring { fill: none; stroke: var(--ink); stroke-width: 1.6; }
svg text { font: 13px system-ui, sans-serif; fill: var(--quiet); }
svg .tick { text-anchor: end; }
svg .label { text-anchor: middle; font-size: 12px; }
svg .mark { text-anchor: middle; fill: var(--breaks); font-weight: 700; }
svg .number { fill: var(--ink); paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
thead th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tbody th { min-width: 8rem; }
tbody th.n { min-width: 0; }
.text { min-width: 14rem; }
.level, .kind { white-space: nowrap; }
.level.breaks, .removed .kind { color: var(--breaks); font-weight: 600; }
.level.weak, .moved .kind { color: var(--weak); font-weight: 600; }
.level.fits, .added .kind { color: var(--fits); }
.removed .text { text-decoration: line-through; color: var(--quiet); }
details summary { cursor: pointer; margin-top: 1rem; color: var(--link); }
details[open] summary { margin-bottom: .5rem; }
footer { margin-top: 2rem; }
@media (max-width: 44rem) {
  .charts { grid-template-columns: 1fr; }
  section { padding: 1rem .8rem; }
  th, td { padding: .3rem .4rem; }
}
@media print {
  section { break-inside: avoid-page; }
}
"""

SHOW = """
:root {
  --coherent: #1f5fa8; --shuffled: #c2542d; --coherent-tint: #1f5fa826; --shuffled-tint: #c2542d26;
  --c1: #2f6db5; --c2: #b3671b; --c3: #2b8268; --c4: #8a4f9e; --c5: #b23a55; --c6: #5c6670;
  --mark: #dcebfb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --coherent: #7fb4f2; --shuffled: #f0926b;
    --coherent-tint: #7fb4f22b; --shuffled-tint: #f0926b2b;
    --c1: #7fb4f2; --c2: #eaa75c; --c3: #67c3a4; --c4: #c79adb; --c5: #f08aa2; --c6: #9aa5b0;
    --mark: #1d3a57;
  }
}
.show { max-width: 72rem; padding-top: 3.5rem; }
.show h1, .show h2, .show .lead, .show .prose, .river p {
  font-family: Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", Georgia, serif;
}
.show h1 { font-size: clamp(2.3rem, 6vw, 3.8rem); line-height: 1.08; letter-spacing: -.015em;
  font-weight: 600; margin: .2rem 0 1rem; }
.show h2 { font-size: 1.75rem; font-weight: 600; line-height: 1.2; margin-bottom: 1rem; }
.show h3 { font-size: 1.05rem; margin-top: 2.25rem; }
.show h4 { font-size: 1rem; margin: 0 0 .25rem; }
.kicker { color: var(--quiet); font-size: .85rem; letter-spacing: .14em; text-transform: uppercase;
  margin: 0; }
.lead { font-size: 1.2rem; line-height: 1.55; max-width: 46rem; margin: 0 0 1.5rem; }
.show section { margin-top: 4rem; padding: 0; background: none; border: 0; border-radius: 0; }
.no { color: var(--quiet); font-weight: 400; margin-right: .6em;
  font-variant-numeric: oldstyle-nums; }
.show nav ol { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: 2.5rem 0 0; padding: 0;
  list-style: none; counter-reset: room; }
.show nav li::before { counter-increment: room; content: counter(room) "  "; color: var(--quiet); }
.show nav a { text-decoration: none; }
.show nav a:hover, .show nav a:focus { text-decoration: underline; }
.hero { margin-top: 2.5rem; }
figcaption { margin-top: .5rem; line-height: 1.45; }
.hero figcaption { max-width: 46rem; }
.charts, .pair { gap: 2rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; margin-top: 1.5rem; }
.pair > *, .charts > *, .cards > *, .fours > *, .beside > * { min-width: 0; }
.scale { max-width: 48rem; }
.twin h3 { margin-top: 0; }
.twin dl { display: grid; grid-template-columns: repeat(3, 1fr); gap: .5rem 1rem; }
.twin dl div { min-width: 0; }
.twin figure { margin: 1rem 0; }
.show .prose { line-height: 1.75; margin: .5rem 0; }
mark { background: var(--mark); color: inherit; padding: .1rem .15rem; border-radius: .2rem;
  border-bottom: 2px solid var(--coherent); }
.prose sup, .river sup { color: var(--quiet); font-size: .68em; margin-right: .2em;
  font-family: system-ui, sans-serif; }
.fours { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1.25rem 1rem; }
.beside { display: grid; grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr); gap: 2.5rem; }
.stay { position: sticky; top: 1.5rem; align-self: start; }
.river { list-style: none; margin: 0; padding: 0; }
.row { display: grid; grid-template-columns: 9.5rem 1fr; gap: 1rem; scroll-margin: 4rem; }
.row p { margin: 0; padding: .42rem 0; line-height: 1.5; }
.row:hover p, .row:focus p { text-decoration: underline dotted var(--quiet) 1px;
  text-underline-offset: .25em; }
.row:focus { outline: none; }
.row:focus-visible { outline: 2px solid var(--link); }
.bed { position: relative; }
.bed svg { position: absolute; inset: 0; height: 100%; overflow: visible; }
.key { height: 1.5rem; }
.tag { display: block; font: 600 .78rem/1.6 system-ui, sans-serif; letter-spacing: .09em;
  text-transform: uppercase; margin-top: .9rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: 1.5rem; }
.card { border-top: 2px solid var(--line); padding-top: .75rem; }
.card p { margin: .4rem 0; }
.bar { display: flex; gap: 2px; height: .8rem; margin: .6rem 0; }
.bar span { flex-basis: 0; border-radius: 2px; }
.wider { max-width: 46rem; }
.show table { margin-top: 1rem; }
.small { width: auto; min-width: 20rem; }
.small tr:last-child > * { border-bottom: 0; font-weight: 600; }
.c1 { --own: var(--c1); } .c2 { --own: var(--c2); } .c3 { --own: var(--c3); }
.c4 { --own: var(--c4); } .c5 { --own: var(--c5); } .c6 { --own: var(--c6); }
.tag { color: var(--own); }
.bar span { background: var(--own); }
svg .along { font-size: 12px; }
svg .title { fill: var(--ink); font-weight: 600; }
svg .inside { font-size: 13px; }
svg .thread { fill: none; stroke-width: 1; stroke-opacity: .5; }
svg .middle { fill: none; stroke-width: 2.6; }
svg .walk { fill: none; stroke-width: 1.4; stroke-opacity: .65; }
svg .whisker { stroke-width: 2.5; stroke-opacity: .55; stroke-linecap: round; }
svg polyline.coherent, svg line.coherent { stroke: var(--coherent); }
svg polyline.shuffled, svg line.shuffled { stroke: var(--shuffled); }
svg circle.coherent { fill: var(--coherent); }
svg circle.shuffled { fill: var(--shuffled); }
svg .band { stroke: none; }
svg .band.coherent { fill: var(--coherent-tint); }
svg .band.shuffled { fill: var(--shuffled-tint); }
svg .usual { fill: var(--line); fill-opacity: .45; }
svg .bridge { fill: none; stroke: var(--coherent); stroke-width: 2.2; }
svg .error { stroke: var(--ink); stroke-width: 1.4; stroke-opacity: .55; }
svg .seen { fill: var(--ink); }
svg .plan, svg .flow { fill: none; stroke: var(--quiet); stroke-width: 1.6; }
svg .flow { stroke-width: 2; stroke-linecap: round; }
svg .shore { stroke: var(--line); stroke-width: 1; stroke-dasharray: 2 4; }
svg .point { fill: var(--own, var(--quiet)); stroke: var(--ground); stroke-width: 1.5px; }
svg .point.none { fill: var(--quiet); stroke: none; }
svg .read { fill: var(--ground); stroke: var(--quiet); stroke-width: 1.3; }
svg .echo { fill: none; stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 3 3;
  stroke-opacity: .6; }
svg .walk.gap { stroke: var(--quiet); stroke-dasharray: 4 4; }
svg .mean { fill: none; stroke: var(--ink); stroke-width: 1.8; }
svg .candidate { fill: var(--ground); stroke: var(--shuffled); stroke-width: 2; }
svg .candidate.best { fill: var(--shuffled); }
.show svg .number { stroke: var(--ground); }
.show svg .number.best { font-weight: 700; }
@media (max-width: 60rem) {
  .fours { grid-template-columns: 1fr 1fr; }
  .beside { grid-template-columns: 1fr; }
  .stay { position: static; }
}
@media (max-width: 44rem) {
  .show { padding-top: 2rem; }
  .show section { padding: 0; margin-top: 3rem; }
  .pair { grid-template-columns: 1fr; }
  .row { grid-template-columns: 5.5rem 1fr; gap: .75rem; }
  .lead { font-size: 1.1rem; }
}
@media print {
  .show { padding: 0; max-width: none; font-size: 10pt; }
  .show section { break-inside: auto; margin-top: 2rem; }
  .show nav, .show details { display: none; }
  .stay { position: static; }
  figure, .row, .card, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
"""
"""What is added for a page that is made to be looked at."""
