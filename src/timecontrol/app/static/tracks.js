// Plans, and the texts that are written along them, side by side: each text's point moves on.

const host = element.querySelector(".tc-tracks");
let plot = null;

function render() {
  const value = props.value;
  const ways = (value && value.ways) || [];
  if (!ways.length) { host.replaceChildren(); plot = null; return; }
  const drawn = ways.filter((way) => way.at && way.at.length);
  const texts = (way) => way.at.map((_, i) => spoken(way, i));
  plot = null;
  const parts = [];
  if (drawn.length) {
    plot = picture(drawn.map((way) => ({
      name: way.name, points: way.at, texts: texts(way),
      kinds: way.at.map((_, i) => state(way, ways.indexOf(way), i)),
    })), `Plans: ${drawn.map((w) => `${w.name}, ${w.at.length} sentences`).join("; ")}`,
    (k, i) => mark(k === null ? null : ways.indexOf(drawn[k]), i));
    const legend = make("p", { class: "tc-legend" }, ways.map((way, k) =>
      make("span", { class: `tc-key tc-way-${k}` }, way.name)));
    parts.push(make("div", { class: "tc-planned" }, plot.element, legend,
      make("p", { class: "tc-quiet" },
        "Each dot is a sentence of the plan; filled ones are written. Left is what documents begin with.")));
  }
  parts.push(downloads(ways));
  const columns = ways.map((way, k) => column(way, k, drawn.indexOf(way)));
  parts.push(make("div", { class: "tc-texts" }, columns));
  host.replaceChildren(...parts);
}

function downloads(ways) {
  const written = ways.filter((way) => way.sentences.length && way.state !== "writing");
  const planned = ways.filter((way) => way.plan);
  const button = (name, ready, give) => make("button", {
    type: "button", class: "tc-button", disabled: !ready, onclick: give }, name);
  return make("p", { class: "tc-downloads" },
    button("Save the text (.md)", written.length, () => save("written.md", "text/markdown",
      written.map((way) => (written.length > 1 ? `# ${way.name}\n\n` : "") + markdown(way)).join("\n\n") + "\n")),
    button("Save the plan (.json)", planned.length, () => save("plan.json", "application/json",
      JSON.stringify({ format: 1, plans: planned.map((way) => way.plan) }, null, 1) + "\n")),
    button("Save the picture (.svg)", plot, () => save("plan.svg", "image/svg+xml",
      standalone(plot.element.querySelector("svg")))));
}

function markdown(way) {
  const title = (tag) => tag.charAt(0).toUpperCase() + tag.slice(1).toLowerCase();
  return way.markdown || way.sentences.map((s, i) =>
    (s.tag ? `${i ? "\n\n" : ""}## ${title(s.tag)}\n\n` : i ? " " : "") + s.text).join("");
}

function spoken(way, i) {
  const at = (way.units || []).lastIndexOf(i);
  const found = at >= 0 ? way.sentences[at] : way.units ? null : way.sentences[i];
  return found ? found.text : null;
}

function state(way, k, i) {
  const done = way.units ? Math.max(-1, ...way.units) : way.sentences.length - 1;
  const now = way.state === "writing" && i === Math.min(way.sentences.length, way.at.length - 1);
  return `tc-way-${k}${i <= done ? " tc-done" : ""}${now ? " tc-now" : ""}`;
}

function column(way, k, drawnAs) {
  const parts = [];
  let paragraph = null;
  way.sentences.forEach((sentence, i) => {
    if (sentence.tag || !paragraph) {
      if (sentence.tag) parts.push(make("h4", {}, sentence.tag.toLowerCase()));
      paragraph = make("p", {});
      parts.push(paragraph);
    }
    const point = way.units ? way.units[i] : i;
    paragraph.append(make("span", {
      class: "tc-said", "data-way": k, "data-point": point,
      onpointerenter: () => { if (plot && drawnAs >= 0) plot.point(drawnAs, point); },
    }, sentence.text), " ");
  });
  if (way.state === "writing") parts.push(make("p", { class: "tc-quiet" }, "writing \u2026"));
  if (way.note) parts.push(make("p", { class: "tc-quiet" }, way.note));
  return make("article", { class: `tc-column tc-way-${k}` },
    make("h3", {}, way.name), way.about ? make("p", { class: "tc-quiet" }, way.about) : null, parts);
}

function mark(way, i) {
  host.querySelectorAll(".tc-said").forEach((span) => span.classList.toggle("tc-here",
    way !== null && Number(span.dataset.way) === way && Number(span.dataset.point) === i));
}

watch("value", render);
render();
