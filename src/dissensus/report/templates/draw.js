// Draws the chart of each element with data-chart, whose value is the id of the element with the specification.
// Stands after vega.js, which defines vegaEmbed; it must not import anything.
const refuse = () => Promise.reject(new Error("This page loads nothing."));
const options = {
  mode: "vega-lite",
  ast: true, // interpret expressions, never compile them: the page's policy forbids eval
  renderer: "svg",
  actions: false,
  defaultStyle: false, // the page's own style sheet has the few rules that are needed
  tooltip: { theme: "page", disableDefaultStyle: true },
  loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse },
};
// A chart that was drawn in a closed fold may have had no room; when a fold opens every chart measures its room anew.
const folds = [...document.querySelectorAll("details.fold")];
for (const fold of folds) fold.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")));
// Browsers that cannot be told by the style sheet to print what is folded away print it when it is open.
if (!CSS.supports("selector(::details-content)")) {
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
}
// A link into a closed fold opens it.
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (!target) return;
  target.scrollIntoView();
  target.focus({ preventScroll: true }); // as the link alone would have done
};
window.addEventListener("hashchange", reveal);
const specificationOf = (holder) => JSON.parse(document.getElementById(holder.dataset.chart).textContent);
// What is seen is drawn at once, the rest one chart after the other, so that the page can be read meanwhile.
const holders = [...document.querySelectorAll("[data-chart]")];
const draw = async (holder) => {
  if ("drawing" in holder.dataset) return; // it was drawn when it came in
  holder.dataset.drawing = "";
  try {
    await vegaEmbed(holder, specificationOf(holder), options);
  } catch (error) {
    holder.textContent = "This chart could not be drawn (" + error.message + "). Its numbers are in the table below.";
  }
};
const isSeen = (holder) => {
  const { top, bottom } = holder.getBoundingClientRect();
  return top < window.innerHeight && bottom > Math.max(top, 0);
};
const drawAll = () => holders.forEach(draw);
const drawNext = () => {
  const holder = holders.shift();
  if (holder) draw(holder).finally(() => setTimeout(drawNext));
};
reveal();
window.addEventListener("beforeprint", drawAll);
holders.filter(isSeen).forEach(draw);
drawNext();

// ---- Taking a figure away: its numbers as CSV, its drawing as SVG or PNG, in the colours that are seen
const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const csvOf = (table) => {
  const cell = (one) => {
    const text = one.dataset.value ?? one.textContent.trim().replaceAll("\u00a0", " ");
    const plain = one.dataset.value === undefined && /^[=@\t\r]|^[-+](?![\d.]|$)/.test(text) ? "'" + text : text; // no formula
    return /[",\n]/.test(plain) ? '"' + plain.replaceAll('"', '""') + '"' : plain;
  };
  return [...table.rows].map((row) => [...row.cells].map(cell).join(",")).join("\r\n") + "\r\n";
};
const inColours = (specification) => {
  const style = getComputedStyle(document.documentElement);
  const text = JSON.stringify(specification).replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  return JSON.parse(text);
};
const wrapped = (text, most) =>
  text.split(" ").reduce((lines, word) => {
    const last = lines.length - 1;
    if (last >= 0 && (lines[last] + " " + word).length <= most) lines[last] += " " + word;
    else lines.push(word);
    return lines;
  }, []);
const drawingOf = async (figure, renderer) => {
  const specification = inColours(specificationOf(figure.querySelector("[data-chart]")));
  const [title, caption] = ["h3", "figcaption"].map((name) => figure.querySelector(name).textContent);
  specification.title = { text: wrapped(title, 70), subtitle: wrapped(caption, 92) };
  specification.config.background = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  const { view } = await vegaEmbed(document.createElement("div"), { ...specification, width: 640, padding: 12 }, { ...options, renderer });
  if (renderer === "svg") return new Blob([await view.toSVG()], { type: "image/svg+xml" });
  const canvas = await view.toCanvas(2);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
};
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-save]");
  if (!button) return;
  const whole = document.getElementById(button.dataset.of);
  const kind = button.dataset.save;
  const table = whole.querySelector(".tools table") ?? whole.querySelector("table");
  const blob = kind === "csv" ? new Blob(["\ufeff" + csvOf(table)], { type: "text/csv" }) : await drawingOf(whole, kind === "svg" ? "svg" : "canvas");
  save(blob, button.dataset.of + "." + kind);
});
