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
