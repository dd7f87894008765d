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
    say("Together the files exceed the limit of " + Math.round(Number(form.dataset.largest) / 1048576) + " MB: send fewer rows or columns.");
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
  if (!place.matches("#now")) return;
  place.addEventListener("htmx:beforeOnLoad", (late) => {
    if (!place.isConnected) late.preventDefault();
  });
});
document.addEventListener("htmx:sendError", () => {
  const place = document.getElementById("connection");
  if (place !== null) place.textContent = "The server is not responding. Has it been stopped?";
});
document.addEventListener("htmx:afterRequest", (event) => {
  const place = document.getElementById("connection");
  if (place !== null && event.detail.successful) place.textContent = "";
});

// Files may be dropped anywhere on the form that takes them.
for (const form of document.querySelectorAll("form.drop")) {
  const input = form.querySelector("input[type=file]");
  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
}

// A menu that is a whole answer is sent when it is chosen.
document.addEventListener("change", (event) => {
  const menu = event.target.closest("select, input[type=checkbox]");
  if (menu === null || menu.closest("[data-submits]") === null) return;
  const others = menu.name === "role" ? menu.form.querySelectorAll("select[name=role]") : [];
  for (const other of others) if (other !== menu && other.value === menu.value) other.value = "";
  menu.form.requestSubmit();
});

// A planner: each move asks for numbers; a position that is left is no longer waited for, here or on the server.
const planner = document.querySelector("form[data-moves]");
if (planner !== null) {
  const seat = Math.random().toString(36).slice(2);
  const place = document.getElementById("plan-place");
  let asked = null, resting = null, moving = null;

  const put = (name, text) => (place.querySelector(`[data-number=${name}]`).textContent = text);
  const bar = (one) => {
    const row = document.createElement("tr"), name = document.createElement("th"), size = document.createElement("td");
    const cost = document.createElement("td"), meter = document.createElement("meter");
    name.scope = "row";
    name.textContent = one.name;
    size.textContent = one.what;
    meter.max = 100;
    meter.value = one.share;
    meter.setAttribute("aria-hidden", "true");
    cost.append(meter, " " + one.cost);
    if (one.best) row.className = "best";
    row.append(name, size, cost);
    return row;
  };
  const problem = (text) => {
    const box = document.createElement("div"), words = document.createElement("p");
    box.className = "problem";
    box.setAttribute("role", "alert");
    words.textContent = text;
    box.append(words);
    return box;
  };
  const empty = place.firstElementChild && place.querySelector(".panel") ? place.querySelector(".panel").cloneNode(true) : null;
  const show = (answer, query) => {
    history.replaceState(null, "", answer.address);
    for (const [name, [least, most]] of Object.entries(answer.limits))
      for (const input of [name, name + "-slider"].map((id) => document.getElementById(id)))
        if (input !== null) Object.assign(input, { min: least, max: most });
    document.getElementById("recipe-command").textContent = answer.command;
    document.getElementById("recipe-python").textContent = answer.python;
    if (answer.slow) return location.assign(answer.address);
    if (answer.error || empty === null) {
      if (answer.error) place.replaceChildren(problem(answer.error));
      else location.assign(answer.address);
      return;
    }
    if (place.querySelector(".panel") === null) place.replaceChildren(empty.cloneNode(true));
    for (const name of ["big", "unit", "sentence"]) put(name, answer.numbers[name]);
    place.querySelector("[data-number=bars]").replaceChildren(...answer.numbers.bars.map(bar));
    const collect = place.querySelector("[data-number=collect]");
    collect.href = answer.numbers.collect;
    collect.hidden = !answer.numbers.collect;
    const state = answer.address.split("?")[1] || "";
    document.getElementById("keep-beside").href = answer.address.split("?")[0] + "?" + state + "&beside=" + encodeURIComponent(state);
    clearTimeout(resting);
    resting = setTimeout(() => htmx.ajax("GET", "/rest/" + planner.dataset.moves + "?" + query, { target: "#rest", swap: "innerHTML" }), 1200);
  };
  const ask = async () => {
    const query = new URLSearchParams(new FormData(planner)).toString();
    if (asked !== null) asked.abort();
    asked = new AbortController();
    clearTimeout(resting);
    try {
      const response = await fetch("/move/" + planner.dataset.moves + "?" + query + "&seat=" + seat, { signal: asked.signal });
      if (response.status === 200) show(await response.json(), query);
    } catch (error) {
      if (error.name !== "AbortError") document.getElementById("connection").textContent = "The server is not responding. Has it been stopped?";
    }
  };
  const move = () => {
    clearTimeout(moving);
    moving = setTimeout(ask, 40);
  };
  planner.addEventListener("input", move);
  planner.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
}

// The Items tab by keyboard: j and k move, n and p turn the page; Enter opens as everywhere.
document.addEventListener("keydown", (event) => {
  const rows = [...document.querySelectorAll(".items summary")];
  if (!rows.length || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  if (event.key === "j" || event.key === "k") {
    const next = rows.indexOf(document.activeElement) + (event.key === "j" ? 1 : -1);
    rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
  } else if (event.key === "n" || event.key === "p") {
    const link = document.querySelector(event.key === "n" ? "a[rel=next]" : "a[rel=prev]");
    if (link !== null) link.click();
  }
});
// What was prepared is shown at once.
document.addEventListener("htmx:afterSettle", () => {
  const link = document.querySelector("a[data-goes]");
  if (link !== null) location.replace(link.href);
});
