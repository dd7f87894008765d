// The page is shown first: only then is the script that draws its charts, a text until now, read and run.
requestAnimationFrame(() =>
  setTimeout(() => {
    const script = document.createElement("script");
    script.textContent = document.getElementById("drawing").textContent;
    document.body.append(script);
  }),
);
