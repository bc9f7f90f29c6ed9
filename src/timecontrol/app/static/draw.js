// What the components share: elements made of text that is never read as HTML, and paths drawn.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 520, HEIGHT = 380, EDGE = 34;

function make(tag, attributes, ...children) {
  const found = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) found.addEventListener(name.slice(2), value);
    else found.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) found.append(child);
  }
  return found;
}

function shape(tag, attributes, ...children) {
  const found = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) found.setAttribute(name, value);
  found.append(...children);
  return found;
}

function copying(text, shown) {
  const button = make("button", { type: "button", class: "tc-button", onclick: () => {
    if (!navigator.clipboard) {  // a page that came without TLS from another machine has none
      window.getSelection().selectAllChildren(shown);
      button.textContent = "Selected: copy it by Ctrl-C";
      return;
    }
    navigator.clipboard.writeText(text()).then(() => { button.textContent = "Copied"; });
  } }, "Copy the text");
  return button;
}

function signed(value) {
  if (value === null || value === undefined) return "";
  const rounded = Math.round(value * 100) / 100 + 0;
  return (rounded >= 0 ? "+" : "\u2212") + Math.abs(rounded).toFixed(2);
}

// Hand a file over to the browser, without asking the server for it.
function save(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A picture as a file of its own: what the page's style gives it is written into it.
function standalone(picture) {
  const copy = picture.cloneNode(true);
  const own = [picture, ...picture.querySelectorAll("*")];
  const names = ["fill", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "font", "paint-order"];
  [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(own[i]);
    for (const name of names) node.style.setProperty(name, style.getPropertyValue(name));
    if (node.classList.contains("tc-target")) node.setAttribute("fill", "none");
  });
  copy.setAttribute("xmlns", SVG);
  copy.style.setProperty("background", getComputedStyle(picture).backgroundColor);
  return new XMLSerializer().serializeToString(copy);
}

// Paths in one picture: each {name, points: [[x, y]], kinds: [class], texts: [text], line}.
// Returns the picture and a function that points at point i of path k, or at none.
function picture(paths, about, said) {
  const every = paths.flatMap((path) => path.points);
  const low = [0, 1].map((k) => Math.min(...every.map((p) => p[k])));
  const high = [0, 1].map((k) => Math.max(...every.map((p) => p[k])));
  const room = [WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE];
  const span = Math.max((high[0] - low[0]) / room[0], (high[1] - low[1]) / room[1]) || 1;
  const place = (p) => [
    WIDTH / 2 + (p[0] - (low[0] + high[0]) / 2) / span,
    HEIGHT / 2 - (p[1] - (low[1] + high[1]) / 2) / span,
  ].map((v) => Math.round(v * 10) / 10);
  const whole = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": about, class: "tc-picture",
  });
  const circles = [];
  paths.forEach((path, k) => {
    const at = path.points.map(place);
    if (path.line !== false && at.length > 1) {
      whole.append(shape("polyline", {
        class: `tc-line tc-way-${k}`, points: at.map((p) => p.join(",")).join(" "),
      }));
    }
    circles.push(at.map(([x, y], i) => {
      const kind = (path.kinds && path.kinds[i]) || `tc-way-${k}`;
      const ends = i === 0 || i === at.length - 1;
      const circle = shape("circle", { cx: x, cy: y, r: ends ? 7 : 5.5, class: `tc-point ${kind}` });
      // a larger, invisible circle: easier to hit with a finger
      const target = shape("circle", { cx: x, cy: y, r: 13, class: "tc-target" });
      target.addEventListener("pointerenter", () => point(k, i, true));
      target.addEventListener("pointerdown", () => point(k, i, true));
      target.addEventListener("pointerleave", () => point(null, null, true));
      whole.append(circle, target);
      if (path.numbers && (at.length <= 40 || i % Math.ceil(at.length / 40) === 0)) {
        whole.append(shape("text", { x: x + 9, y: y - 7, class: "tc-number" }, String(i + 1)));
      }
      return circle;
    }));
  });
  const tip = make("p", { class: "tc-tip", "aria-live": "polite" }, "\u00a0");
  function point(k, i, own) {
    circles.flat().forEach((c) => c.classList.remove("tc-here"));
    tip.textContent = "\u00a0";
    if (k !== null && circles[k] && circles[k][i]) {
      circles[k][i].classList.add("tc-here");
      const name = paths.length > 1 && paths[k].name ? `${paths[k].name}, ` : "";
      const text = paths[k].texts && paths[k].texts[i];
      tip.textContent = `${name}${i + 1}${text ? ": " + text : ""}`;
    }
    if (own && said) said(k, i);
  }
  return { element: make("div", { class: "tc-plot" }, whole, tip), point };
}
