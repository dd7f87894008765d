// Draws the chart of each element with data-chart, whose value is the id of the element with the specification.
// Runs inside the bundle that vl-convert makes, where vegaEmbed is at hand; it must not import anything.
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
for (const holder of document.querySelectorAll("[data-chart]")) {
  const specification = JSON.parse(document.getElementById(holder.dataset.chart).textContent);
  vegaEmbed(holder, specification, options).catch((error) => {
    holder.textContent = "This chart could not be drawn (" + error.message + "). Its numbers are in the table below.";
  });
}
