// Five answers: by mouse, or by the keys 1 to 5. Each item can be answered once.

const host = element.querySelector(".tc-rating");
let answered = null, shown = 0;

function render() {
  const value = props.value;
  if (!value || !value.item) { host.replaceChildren(); return; }
  shown = performance.now();
  host.replaceChildren(
    make("p", { class: "tc-question" }, value.question),
    make("div", { class: "tc-scale", role: "group", "aria-label": value.question },
      value.labels.map((label, i) => make("button", {
        type: "button", class: "tc-button", "data-rating": i + 1, onclick: () => answer(i + 1),
      }, make("b", {}, String(i + 1)), " ", label))));
}

function answer(rating) {
  const value = props.value;
  if (!value || !value.item || answered === value.item) return;
  answered = value.item;
  host.querySelectorAll("button").forEach((b) => { b.disabled = true; });
  trigger("rate", { item: value.item, rating, seconds: (performance.now() - shown) / 1000 });
}

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) || event.target.isContentEditable;
  if (typing || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !/^[1-5]$/.test(event.key)) return;
  if (host.offsetParent !== null) answer(Number(event.key));
});
watch("value", () => { answered = null; render(); });
render();
