// A text with its gaps filled: candidates, ranked, each with its point; another one is put in by
// choosing it.

const host = element.querySelector(".tc-gaps");
let chosen = [];

function render() {
  const value = props.value;
  if (!value || !value.gaps) { host.replaceChildren(); return; }
  chosen = value.gaps.map(() => 0);
  draw();
}

function draw(focus) {
  const value = props.value, own = new Map();
  const texts = value.sentences.slice();
  value.gaps.forEach((gap, g) => {
    const words = gap.candidates[chosen[g]].sentences;
    for (let j = 0; j < gap.sentences; j += 1) { own.set(gap.first + j, g); texts[gap.first + j] = words[j] || ""; }
  });
  const whole = make("p", { class: "tc-filled" }, texts.map((text, i) =>
    [make(own.has(i) ? "mark" : "span", {}, text), " "]));
  const copy = copying(() => texts.join(" "), whole);
  const parts = [make("div", { class: "tc-main" }, whole, copy,
    value.gaps.map((gap, g) => candidates(gap, g)))];
  if (value.at && value.at.length) {
    const paths = [{ name: "text", points: value.at, texts: value.sentences, numbers: true,
      kinds: value.at.map((_, i) => own.has(i) ? "tc-given" : "tc-fits") }];
    value.shown.forEach((gap, g) => {
      if (gap.bridge) paths.push({ name: `bridge of gap ${g + 1}`, points: gap.bridge, line: false,
        kinds: gap.bridge.map(() => "tc-bridge"), texts: gap.bridge.map(() => "where the bridge has it") });
      gap.candidates.forEach((points, c) => { if (points) paths.push({
        name: `candidate ${c + 1}`, points, line: false,
        kinds: points.map(() => `tc-candidate${c === chosen[g] ? " tc-chosen" : ""}`),
        texts: value.gaps[g].candidates[c].sentences }); });
    });
    parts.push(make("div", { class: "tc-side" }, picture(paths, "The text's path, the bridge, and candidates").element,
      make("p", { class: "tc-quiet" }, "Line: the text as it is filled first. Orange ring: where the bridge has the missing sentence. Blue rings: candidates, the thick one is in the text.")));
  }
  host.replaceChildren(make("div", { class: "tc-columns" }, parts));
  if (focus) { const again = host.querySelector(`input[name="${focus}"]:checked`); if (again) again.focus(); }
}

function candidates(gap, g) {
  const number = (value) => value === null || value === undefined ? "\u2013" : signed(value);
  const name = `gap-${g}-${value_id}`;
  return make("fieldset", { class: "tc-candidates" },
    make("legend", {}, `Gap ${g + 1}: candidates, best first`),
    gap.candidates.map((c, i) => make("label", { class: i === chosen[g] ? "tc-chosen" : "" },
      make("input", { type: "radio", name, value: i, checked: i === chosen[g],
        onchange: () => { chosen[g] = i; draw(name); } }),
      make("span", {}, c.text, c.cut ? make("em", {}, " (cut off)") : null,
        make("small", {}, `score ${number(c.score)}  likely ${number(c.likely)}  near ${number(c.near)}  follows ${number(c.follows)}`)))));
}

const value_id = Math.random().toString(36).slice(2, 8);
watch("value", render);
render();
