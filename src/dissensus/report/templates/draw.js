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
for (const holder of document.querySelectorAll("[data-chart]")) {
  const specification = JSON.parse(document.getElementById(holder.dataset.chart).textContent);
  vegaEmbed(holder, specification, options).catch((error) => {
    holder.textContent = "This chart could not be drawn (" + error.message + "). Its numbers are in the table below.";
  });
}
