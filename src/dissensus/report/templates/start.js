// The page is shown first: only then is the script that draws its charts, a text until now, read and run.
// A page that is printed, or that no screen ever shows, does not wait for that.
let isDrawing = false;
const drawCharts = () => {
  if (isDrawing) return;
  isDrawing = true;
  const script = document.createElement("script");
  script.textContent = document.getElementById("drawing").textContent;
  document.body.append(script);
};
requestAnimationFrame(() => setTimeout(drawCharts));
setTimeout(drawCharts, 300);
window.addEventListener("beforeprint", () => {
  drawCharts();
  drawAll();
});
