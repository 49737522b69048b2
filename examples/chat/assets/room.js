import { Connection } from "./connection.js";
import { Log, face, make } from "./log.js";

const WRITING_EVERY_MS = 3000;
const WRITING_LASTS_MS = 5000;

const at = (id) => document.getElementById(id);
const room = location.pathname.split("/").pop();
const log = new Log(at("log"), at("newer"));
const outbox = new Map();   // what was said and has not come back yet, by its ref
const writers = new Map();  // who is writing, with the timer that ends it

let name = sessionStorage.getItem("name");
let isHere = false;
let nextId = null;       // all messages before it have come
let early = new Set();   // and of those behind it, these
let version = -1;
let unread = 0;
let wroteAt = 0;

// Who has this key may come back under the same name. Nobody else learns it.
function key() {
  const kept = localStorage.getItem("key");
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  localStorage.setItem("key", made);
  return made;
}

const connection = new Connection({
  opened: join,
  heard: (message) => hear[message.type]?.(message),
  lost() {
    isHere = false;
    show(navigator.onLine ? "Reconnecting …" : "Offline", "");
  },
});

function join() {
  const known = nextId === null ? {} : { next_id: nextId };
  connection.send({ type: "Join", name, key: key(), ...known });
}

const hear = {
  Welcome({ messages, has_gap: hasGap, next_id: next, presence }) {
    isHere = true;
    connection.settle();
    show("Connected", "good");
    showTalk();
    if (hasGap) log.note("Some messages in between are no longer kept.");
    if (hasGap || nextId === null) {
      nextId = messages[0]?.id ?? next;
      early.clear();
    }
    messages.forEach(take);
    version = -1;
    hear.Presence(presence);
    for (const [ref, text] of outbox) send(ref, text);
    log.toEnd();
  },

  Message(message) {
    take(message);
    if (document.hidden) ++unread;
    showTitle();
  },

  Presence(news) {
    if (news.joined) log.note(`${news.joined} joined`);
    if (news.left) log.note(`${news.left} left`);
    stopWriting(news.left);
    if (news.version < version) return;
    version = news.version;
    at("count").textContent = news.members.length;
    at("people").replaceChildren(...news.members.map((each) => {
      const text = each === name ? `${each} (you)` : each;
      return make("li", "", face(each), make("span", "", text));
    }));
  },

  Writes({ name: who }) {
    clearTimeout(writers.get(who));
    writers.set(who, setTimeout(() => stopWriting(who), WRITING_LASTS_MS));
    showWriters();
  },

  Refused({ text, ref }) {
    if (ref) {
      const said = outbox.get(ref);
      outbox.delete(ref);
      log.failPending(ref, text, () => say(said));
    } else if (!isHere) {
      connection.close();
      show("", "");
      askName(text);
    }
  },
};

// A message may come twice: sent while the page was being let in, and as part of the past.
function take(message) {
  if (message.id < nextId || early.has(message.id)) return;
  early.add(message.id);
  while (early.delete(nextId)) ++nextId;
  outbox.delete(message.ref);
  log.removePending(message.ref);
  log.add(message, message.name === name);
  stopWriting(message.name);
}

function say(text) {
  const ref = Math.random().toString(36).slice(2, 14);
  outbox.set(ref, text);
  log.addPending(ref, { name, text, at_ms: Date.now() });
  send(ref, text);
}

function send(ref, text) {
  if (isHere) connection.send({ type: "Say", text, ref });
}

function stopWriting(who) {
  clearTimeout(writers.get(who));
  if (writers.delete(who)) showWriters();
}

function showWriters() {
  const names = [...writers.keys()];
  const who = names.length > 2 ? "Several people are" : names.join(" and ");
  const verb = names.length === 1 ? " is" : names.length === 2 ? " are" : "";
  at("writing").textContent = names.length ? `${who}${verb} writing …` : "";
}

function show(state, look) {
  at("state").textContent = state;
  at("state").className = `state ${look}`;
}

function showTitle() {
  document.title = `${unread ? `(${unread}) ` : ""}#${room} – Chat`;
}

function showTalk() {
  if (!at("talk").hidden) return;
  at("join").hidden = true;
  at("talk").hidden = false;
  at("text").focus();
  // What is there already is not news to be read out.
  setTimeout(() => at("log").setAttribute("aria-live", "polite"), 1000);
}

function askName(error = "") {
  at("talk").hidden = true;
  at("join").hidden = false;
  at("join-error").textContent = error;
  at("name").value = name ?? localStorage.getItem("name") ?? "";
  at("name").focus();
}

at("join").onsubmit = (event) => {
  event.preventDefault();
  name = at("name").value.trim();
  sessionStorage.setItem("name", name);
  localStorage.setItem("name", name);
  at("join-error").textContent = "";
  show("Connecting …", "");
  connection.close();
  connection.open();
};

at("rename").onclick = () => {
  connection.close();
  isHere = false;
  show("", "");
  askName();
};

function fit() {
  const text = at("text");
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}

at("say").onsubmit = (event) => {
  event.preventDefault();
  const text = at("text").value.trim();
  if (!text) return;
  say(text);
  at("text").value = "";
  wroteAt = 0;
  fit();
  at("text").focus();
};

at("text").onkeydown = (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  at("say").requestSubmit();
};

at("text").oninput = () => {
  fit();
  if (!isHere || !at("text").value || Date.now() - wroteAt < WRITING_EVERY_MS) return;
  wroteAt = Date.now();
  connection.send({ type: "Write" });
};

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) unread = 0;
  showTitle();
});

// On a desk there is room for the people beside the messages.
const desk = matchMedia("(min-width: 48rem)");
const fold = () => { at("here").open = desk.matches; };
desk.addEventListener("change", fold);
at("here").querySelector("summary").onclick = (event) => {
  if (desk.matches) event.preventDefault();
};
fold();

at("room").textContent = `#${room}`;
showTitle();
if (name) {
  show("Connecting …", "");
  connection.open();
} else {
  askName();
}
