// The little that htmx does not do: sliders with their number, copying, and files that are too large to send.
"use strict";

const partner = (input) => document.getElementById(input.dataset.partner);

document.addEventListener(
  "input",
  (event) => {
    if (event.target.dataset && event.target.dataset.partner) partner(event.target).value = event.target.value;
  },
  true,
);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (button === null) return;
  const text = button.dataset.copy === "address" ? location.href : document.getElementById(button.dataset.copy).textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select it and press Ctrl-C";
  }
  const before = button.dataset.words;
  setTimeout(() => (button.textContent = before), 2000);
});

const say = (words) => {
  const place = document.getElementById("upload-says");
  if (place !== null) place.textContent = words;
};

document.addEventListener("htmx:beforeRequest", (event) => {
  const form = event.target.closest("form[data-largest]");
  if (form === null) return;
  const size = [...form.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]).reduce((sum, file) => sum + file.size, 0);
  if (size > Number(form.dataset.largest)) {
    event.preventDefault();
    say("The files are larger than " + Math.round(Number(form.dataset.largest) / 1048576) + " MB together. Use the command line for them.");
  }
});
document.addEventListener("htmx:xhr:progress", (event) => {
  if (event.target.closest("form[data-largest]") && event.detail.lengthComputable)
    say("Uploading: " + Math.round((100 * event.detail.loaded) / event.detail.total) + "%");
});
// An answer that refuses says why in words: show it where the answer would be.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status >= 400 && event.detail.xhr.getResponseHeader("X-Says")) {
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  }
});
// How far a job is may arrive after its place has gone, since somebody cancelled: then it is not shown.
document.addEventListener("htmx:beforeRequest", (event) => {
  const place = event.target;
  if (!place.matches(".working")) return;
  place.addEventListener("htmx:beforeOnLoad", (late) => {
    if (!place.isConnected) late.preventDefault();
  });
});
document.addEventListener("htmx:sendError", () => {
  const place = document.getElementById("connection");
  if (place !== null) place.textContent = "The server does not answer. Has `dissensus serve` ended?";
});
document.addEventListener("htmx:afterRequest", (event) => {
  const place = document.getElementById("connection");
  if (place !== null && event.detail.successful) place.textContent = "";
});

// A file may be dropped anywhere on the field that takes it.
for (const field of document.querySelectorAll(".drop")) {
  const input = field.querySelector("input[type=file]");
  field.addEventListener("dragover", (event) => {
    event.preventDefault();
    field.classList.add("over");
  });
  field.addEventListener("dragleave", () => field.classList.remove("over"));
  field.addEventListener("drop", (event) => {
    event.preventDefault();
    field.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}
