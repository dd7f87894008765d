// A rater's screen. The server's answer to each post is the next screen, so an item takes one request; an answer is sent
// again with the same key until the server has it, and the screen moves on only then.
"use strict";

const place = (id) => document.getElementById(id);
const start = JSON.parse(place("start").textContent);
const task = start.task;
const address = document.body.dataset.address;
const onlySingle = task.sets !== null && task.sets.every((set) => set.length === 1);
const asksTicks = task.asksSet && !(task.asksChoice && onlySingle);
let state = start.state;
let isBusy = false;
let isTicking = false; // whether number keys tick options, after Enter has gone on from the choice
let since = 0; // when the item was shown, and how long it was out of sight since
let away = 0;
let leftAt = null;

const made = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const say = (words, isWrong = false) => {
  place("says").textContent = words;
  place("says").classList.toggle("wrong", isWrong);
};
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const inputs = (id) => [...place(id).querySelectorAll("input")];
const chosen = () => inputs("choice").findIndex((input) => input.checked);
const ticked = () => inputs("set").flatMap((input, i) => (input.checked ? [i] : []));

// ---- What is there for every item

const addOptions = (id, type) => {
  task.options.forEach((option, i) => {
    const label = made("label", "", { class: "option" });
    label.append(made("input", "", { type, name: id, value: i }));
    const words = made("span");
    const isPlain = !task.isPair || !option.description;
    words.append(made("span", isPlain ? option.name : option.description, { dir: "auto" }));
    const isFirst = id === "choice" || !task.asksChoice;
    if (isPlain && option.description && isFirst) words.append(made("span", option.description, { class: "quiet", dir: "auto" }));
    if (id === "set") words.append(made("span", "your choice", { class: "quiet own", hidden: "" }));
    label.append(words);
    if (i < 9) label.append(made("kbd", String(i + 1), { "aria-hidden": "true" }));
    place(id).append(label);
  });
};

const prepare = () => {
  place("question").textContent = task.instructions;
  place("question").dir = "auto";
  if (task.asksChoice) addOptions("choice", "radio");
  if (task.asksSet) addOptions("set", "checkbox");
  if (!task.asksChoice) place("set").querySelector("legend").textContent = "Tick every option that a reasonable person could choose";
  place("choice").hidden = place("set-hint").hidden = !task.asksChoice;
  const box = place("examples");
  box.hidden = task.examples.length === 0;
  for (const example of task.examples) {
    for (const text of example.texts) box.lastElementChild.append(made("div", text, { class: "shown", dir: "auto" }));
    box.lastElementChild.append(made("p", "Answer: " + example.label.split("|").join(", "), { dir: "auto" }));
  }
  const keys = "1 to " + Math.min(9, task.options.length);
  const ticks = asksTicks && task.asksChoice ? ", Enter, " + keys + " to tick" : "";
  place("keys").textContent = "Keys: " + keys + (task.asksChoice ? " to choose" : " to tick") + ticks + ", Enter for the next";
};

// ---- One item

const showSide = (item, side) => {
  const box = made("div", "", { class: "shown", dir: "auto" });
  if (item.images[side]) box.append(made("img", "", { src: item.images[side], alt: "Image to rate" }));
  if (item.texts[side]) box.append(made("div", item.texts[side], { dir: "auto" }));
  return box;
};

const fill = (item) => {
  const sides = item.texts.map((_, side) => showSide(item, side));
  const holder = place("item");
  holder.replaceChildren();
  if (task.isPair) {
    const grid = made("div", "", { class: "sides" });
    ["First", "Second"].forEach((name, side) => {
      const part = made("div");
      part.append(made("h2", name), sides[side]);
      grid.append(part);
    });
    holder.append(grid);
  } else holder.append(...sides);
  holder.setAttribute("aria-label", "Item " + (state.done + 1) + " of " + state.total);
  for (const input of [...inputs("choice"), ...inputs("set")]) input.checked = false;
  if (item.before) {
    if (item.before.choice !== null && task.asksChoice) inputs("choice")[item.before.choice].checked = true;
    for (const i of item.before.set) inputs("set")[i].checked = true;
  }
  isTicking = !task.asksChoice;
  place("skip").open = false;
  update();
};

const canHold = (i) => task.sets === null || task.sets.some((set) => set.includes(i));
const update = () => {
  // The own choice is one that a reasonable person could choose: it is ticked and stays so.
  const own = chosen();
  inputs("set").forEach((input, i) => {
    const isOwn = task.asksChoice && i === own && canHold(i);
    if (input.disabled && !isOwn) input.checked = false;
    if (isOwn) input.checked = true;
    input.disabled = isOwn;
    input.parentElement.querySelector(".own").hidden = !isOwn;
  });
  place("set").hidden = !asksTicks || (task.asksChoice && own < 0);
};

const show = (focus = true) => {
  place("progress").max = state.total;
  place("progress").value = state.done;
  place("count").textContent = state.done + " of " + state.total;
  place("back").hidden = !state.canGoBack;
  const item = state.items[0];
  const isOver = item === undefined;
  place("working").hidden = isOver;
  place("skip").hidden = isOver;
  place("pause").hidden = isOver;
  place("over").hidden = !isOver;
  since = performance.now();
  away = 0;
  if (isOver) {
    const words = state.isStopped ? "Thank you. The collection has ended." : "Thank you. You have answered everything.";
    place("over").replaceChildren(made("h2", words), made("p", "All your answers are saved. You can close this page."));
    if (focus) place("over").focus();
    return;
  }
  fill(item);
  const next = state.items[1];
  for (const image of next ? next.images : []) if (image) new Image().src = image;
  if (focus) {
    scrollTo(0, 0);
    place("item").focus({ preventScroll: true });
  }
};

// ---- Sending

const wait = (seconds) =>
  new Promise((done) => {
    setTimeout(done, 1000 * seconds);
    addEventListener("online", done, { once: true });
  });

const send = async (message) => {
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message) };
  for (let tries = 0; ; tries++) {
    let answer = null;
    try {
      answer = await fetch(address, options);
      if (answer.status < 500 && answer.status !== 429) return [answer.status, await answer.json()];
    } catch {
      answer = null;
    }
    const words = answer !== null && answer.status === 507 ? "The server has no space left." : "The connection was lost.";
    say(words + " Your answer is not saved yet; trying again. Keep this page open.", true);
    await wait(Math.min(15, 2 ** tries));
  }
};

const post = async (message) => {
  if (isBusy) return;
  isBusy = true;
  place("next").disabled = true;
  try {
    const [status, content] = await send({ key: newKey(), ...message });
    if (content.state) state = content.state;
    say(status === 200 ? "" : content.error, status !== 200);
    if (status === 404) {
      state = { ...state, items: [], canGoBack: false };
      show(false);
      place("over").replaceChildren(made("p", content.error));
    } else if (content.state) show();
  } finally {
    isBusy = false;
    place("next").disabled = false;
  }
};

const save = () => {
  const item = state.items[0];
  if (isBusy || item === undefined) return;
  const choice = task.asksChoice ? chosen() : null;
  if (choice === -1) return say("Choose an option first.", true);
  const set = onlySingle && task.asksChoice ? [choice] : ticked();
  const isAdmissible = task.sets === null || task.sets.some((one) => one.length === set.length && one.every((i) => set.includes(i)));
  if (task.asksSet && (set.length === 0 || !isAdmissible))
    return say(set.length === 0 ? "Tick at least one option." : "These options cannot be ticked together.", true);
  const seconds = Math.round((performance.now() - since - away) / 100) / 10;
  post({ kind: "answer", slot: item.slot, choice, set, seconds });
};

// ---- Keys and buttons

place("form").addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
place("skip-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const reason = new FormData(event.target).get("reason");
  if (state.items[0]) post({ kind: "skip", slot: state.items[0].slot, reason });
});
place("back").addEventListener("click", () => post({ kind: "undo", slot: state.last }));
place("form").addEventListener("change", (event) => {
  if (event.target.name === "set") isTicking = true;
  say("");
  update();
});

const goOn = () => {
  if (!isTicking && asksTicks && chosen() >= 0) {
    isTicking = true;
    const first = inputs("set").find((input) => !input.disabled);
    if (first) first.focus();
  } else save();
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || isBusy || place("working").hidden) return;
  if (event.target.closest("#skip, #back, #pause, summary")) return;
  if (event.key === "Enter") {
    if (event.target.id === "next") return;
    event.preventDefault();
    if (!event.repeat) goOn();
    return;
  }
  const place_ = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  const list = inputs(isTicking ? "set" : "choice");
  if (place_ < 0 || place_ >= list.length || event.repeat) return;
  event.preventDefault();
  if (!list[place_].disabled) list[place_].click();
});

const pause = (isPaused) => {
  for (const id of ["working", "more"]) place(id).hidden = isPaused;
  place("pause").hidden = isPaused;
  place("paused").hidden = !isPaused;
  setAway(isPaused);
  if (isPaused) place("go-on").focus();
  else place("item").focus();
};
const setAway = (isAway) => {
  if (isAway && leftAt === null) leftAt = performance.now();
  else if (!isAway && leftAt !== null && place("paused").hidden) {
    away += performance.now() - leftAt;
    leftAt = null;
  }
};
place("pause").addEventListener("click", () => pause(true));
place("go-on").addEventListener("click", () => pause(false));
document.addEventListener("visibilitychange", () => setAway(document.hidden));

prepare();
show(false);
