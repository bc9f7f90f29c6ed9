// A document: its sentences coloured by how they fit, moved by mouse, finger and keyboard, and
// their path. A new order is handed over by the event "reorder".

const host = element.querySelector(".tc-thread");
let order = [];          // numbers of props.value.sentences, as they stand now
let plot = null, focused = null;
let waiting = false, moved = false;  // asked for a score; moved again since

let shown = [];          // those sentences
let past = [];           // orders before this one, as texts
let last = null;         // the texts that were shown last

function items() { return (props.value && props.value.sentences) || []; }

function numbers(value) {
  const cells = [];
  const add = (name, number, note) => cells.push(make("div", {},
    make("dt", {}, name), make("dd", {}, number, make("small", {}, note))));
  if (value.score === null || value.score === undefined) return null;
  const before = value.before === undefined || value.before === null ? null : value.before;
  const change = before === null ? "" : ` (${signed(value.score - before)} by moving)`;
  const interval = value.interval ? `95 %: ${value.interval.map(signed).join(" to ")}` : "";
  add("Score", signed(value.score) + change, interval);
  const share = value.percentile < 1 ? "under 1" : value.percentile > 99 ? "over 99"
    : value.percentile.toFixed(0);
  add("Percentile", share, "of 100 known documents score lower");
  if (value.shuffled_higher !== null) {
    const higher = 100 * value.shuffled_higher;
    add("Shuffled", `${higher < 1 ? "under 1" : higher.toFixed(0)} %`, "of other orders score as high");
  }
  return make("dl", { class: "tc-numbers" }, cells);
}

function render() {
  const value = props.value;
  if (!value || !value.sentences) { host.replaceChildren(); past = []; last = null; return; }
  const wanted = moved ? texts() : null;
  shown = items();
  order = shown.map((_, i) => i);
  waiting = moved = false;
  if (wanted && wanted.length === order.length) {  // what came is of an order that is past
    const found = numbersOf(wanted);
    if (!found.includes(undefined)) { order = found; send(); return; }
  }
  if (!last && value.was) last = value.was;  // a suggestion is the first that is shown
  const now = texts(), same = (a, b) => a.slice().sort().join("\n") === b.slice().sort().join("\n");
  if (last && !same(last, now)) past = [];
  else if (last && last.join("\n") !== now.join("\n")) past.push(last);  // a suggested order
  last = now;
  draw();
}

function undo() {
  order = numbersOf(past.pop());
  last = texts();
  send();
}

function numbersOf(wanted) {  // of sentences, by their texts; the same text may be there twice
  const left = new Set(shown.keys());
  return wanted.map((text) => {
    const i = [...left].find((k) => shown[k].text === text);
    left.delete(i);
    return i;
  });
}

function texts() { return order.map((i) => shown[i].text); }

function send() {
  moved = waiting;
  if (!waiting) { waiting = true; trigger("reorder", { sentences: texts() }); }
  draw();
}

function draw() {
  const value = props.value, all = shown;
  const list = make("ol", { class: "tc-sentences", "aria-label": "Sentences in order" },
    order.map((i, place) => row(all[i], i, place)));
  const side = make("div", { class: "tc-side" });
  if (all.length && all[0].at) {
    plot = picture([{
      points: order.map((i) => all[i].at), texts: order.map((i) => all[i].text),
      kinds: order.map((i) => `tc-${all[i].level}`), numbers: true,
    }], `Path of ${all.length} sentences`, (k, place) => mark(place));
    side.append(plot.element, make("p", { class: "tc-quiet" },
      "The path in its two widest directions, from what texts begin with (left) to what they end with. Point at a dot to see its sentence."));
  } else plot = null;
  const head = make("div", { class: "tc-head", role: "status" },
    numbers(value),
    value.warning ? make("p", { class: "tc-warning" }, make("strong", {}, "Take care. "), value.warning) : null,
    make("p", {}, value.said || ""));
  const kept = focused;  // replaced elements lose the focus
  host.replaceChildren(head, make("div", { class: "tc-columns" },
    make("div", { class: "tc-main" }, make("p", { class: "tc-quiet" },
      "Drag a sentence by its handle, or select it and press Alt with an arrow key."), list,
      make("p", { class: "tc-downloads" },
        make("button", { type: "button", class: "tc-button tc-undo", disabled: !past.length, onclick: undo }, "Undo"),
        copying(() => texts().join(" "), list))), side));
  host.classList.toggle("tc-waiting", waiting);
  focused = kept;
  if (focused !== null) {
    const again = list.children[focused];
    if (again) again.focus({ preventScroll: true });
  }
}

const WORDS = { breaks: "breaks the thread", weak: "weak link", fits: "" };

function row(sentence, i, place) {
  const word = WORDS[sentence.level];
  const button = (name, by, sign) => make("button", {
    type: "button", class: "tc-move", title: name, "aria-label": `${name}: sentence ${place + 1}`,
    disabled: place + by < 0 || place + by >= order.length,
    onclick: () => { focused = place + by; move(place, place + by); },
  }, sign);
  const found = make("li", {
    class: `tc-sentence tc-${sentence.level}`, tabindex: "0", "data-place": place,
    onkeydown: (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!by || event.target !== found) return;
      if (event.altKey) {
        event.preventDefault();
        if (place + by >= 0 && place + by < order.length) { focused = place + by; move(place, place + by); }
      } else {
        const next = found.parentNode.children[place + by];
        if (next) { event.preventDefault(); next.focus(); }
      }
    },
    onfocus: () => { focused = place; if (plot) plot.point(0, place); },
    onblur: () => { if (focused === place) focused = null; },
    onpointerenter: () => { if (plot) plot.point(0, place); },
  },
    make("span", { class: "tc-handle", title: "Drag", "aria-hidden": "true",
      onpointerdown: (event) => drag(event, found, place) }, "\u2630"),
    make("span", { class: "tc-text" }, make("b", {}, `${place + 1}`), " ", sentence.text,
      word ? make("em", {}, ` \u2190 ${word}`) : null),
    sentence.fit === null ? null : make("span", { class: "tc-fit", title: "How well it fits: 0 is usual, low breaks the thread" }, signed(sentence.fit)),
    make("span", { class: "tc-moves" }, button("Move up", -1, "\u2191"), button("Move down", 1, "\u2193")));
  // from the median of known sentences down: the worse it fits, the redder
  if (sentence.percentile !== null) found.style.setProperty("--bad", Math.max(0, 1 - sentence.percentile / 50));
  return found;
}

function mark(place) {
  host.querySelectorAll(".tc-sentence").forEach((li) =>
    li.classList.toggle("tc-here", place !== null && Number(li.dataset.place) === place));
}

function move(from, to) {
  if (from === to) return;
  past.push(texts());
  order.splice(to, 0, order.splice(from, 1)[0]);
  last = texts();
  send();
}

function drag(event, li, from) {
  event.preventDefault();
  const list = li.parentNode, id = event.pointerId;
  li.classList.add("tc-dragged");
  let to = from;
  const place = (e) => {
    if (e.pointerId !== id) return;
    const others = [...list.children].filter((other) => other !== li);
    const before = others.findIndex((other) => {
      const box = other.getBoundingClientRect();
      return e.clientY < box.top + box.height / 2;
    });
    to = before < 0 ? others.length : before;
    list.insertBefore(li, before < 0 ? null : others[before]);
  };
  const stop = (e) => {
    if (e.pointerId !== id) return;
    window.removeEventListener("pointermove", place);
    window.removeEventListener("pointerup", stop);
    window.removeEventListener("pointercancel", stop);
    li.classList.remove("tc-dragged");
    if (e.type === "pointercancel") draw(); else if (to !== from) move(from, to);
  };
  window.addEventListener("pointermove", place);
  window.addEventListener("pointerup", stop);
  window.addEventListener("pointercancel", stop);
}

watch("value", render);
render();
