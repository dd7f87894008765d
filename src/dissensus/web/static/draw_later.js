
// Charts of pieces that come in later are drawn when they have settled; those that go away are ended.
const drawn = new WeakMap();
const drawLater = () => {
  for (const holder of document.querySelectorAll("[data-chart]:not(:has(svg)):not([data-drawing])")) {
    const source = document.getElementById(holder.dataset.chart);
    if (source === null) continue;
    holder.dataset.drawing = "";
    vegaEmbed(holder, JSON.parse(source.textContent), options)
      .then((result) => drawn.set(holder, result))
      .catch((error) => {
        holder.textContent = "This chart could not be drawn (" + error.message + "). Its numbers are in the table below.";
      });
  }
};
document.addEventListener("htmx:afterSettle", drawLater);
document.addEventListener("htmx:oobAfterSwap", drawLater);
document.addEventListener("htmx:beforeCleanupElement", (event) => {
  const result = drawn.get(event.target);
  if (result !== undefined) result.finalize();
});
// A chart in a fold that opens measures its room anew; folds that came in later too.
document.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")), true);
