// The messages on the page. All text goes in as text; the policy of the page forbids else.
const ITEMS_MAX = 600;
const ONE_TALK_MS = 5 * 60 * 1000;
const AT_END_PX = 80;
const DAY = { weekday: "long", day: "numeric", month: "long" };
const CLOCK = { hour: "2-digit", minute: "2-digit" };

export function make(kind, name, ...content) {
  const element = document.createElement(kind);
  element.className = name;
  element.append(...content);
  return element;
}

export function face(name) {
  const element = make("span", "face", [...name][0].toUpperCase());
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)) % 360;
  element.style.setProperty("--hue", hash);
  element.setAttribute("aria-hidden", "true");
  return element;
}

function time(ms) {
  const date = new Date(ms);
  const element = make("time", "", date.toLocaleTimeString([], CLOCK));
  element.dateTime = date.toISOString();
  element.title = date.toLocaleString();
  return element;
}

function messageItem({ name, text, at_ms: at }, isMine, end) {
  const bubble = make("div", "bubble", make("p", "who", name), make("p", "text", text), end);
  const item = make("div", isMine ? "message mine" : "message", face(name), bubble);
  Object.assign(item.dataset, { name, at });
  return item;
}

const dayOf = (item) => new Date(Number(item.dataset.at)).toLocaleDateString([], DAY);

// How a message looks beside the one before it.
function dress(item) {
  if (!item?.dataset.at) return;
  const neighbour = item.previousElementSibling;
  let previous = neighbour;
  while (previous && !previous.dataset.at) previous = previous.previousElementSibling;
  const day = dayOf(item);
  const isSameDay = previous && dayOf(previous) === day;
  const isMore = isSameDay && previous === neighbour && previous.dataset.name === item.dataset.name
    && item.dataset.at - previous.dataset.at < ONE_TALK_MS;
  item.classList.toggle("more", Boolean(isMore));
  if (isSameDay) delete item.dataset.day;
  else item.dataset.day = day;
}

export class Log {
  #place;
  #newer;
  #stays = true;  // at the end, when the place gets smaller
  #pending = new Map();

  constructor(place, newer) {
    this.#place = place;
    this.#newer = newer;
    newer.onclick = () => { this.toEnd(); place.focus(); };
    place.onscroll = () => {
      this.#stays = this.#isAtEnd();
      if (this.#stays) newer.hidden = true;
    };
    new ResizeObserver(() => this.#stays && this.toEnd()).observe(place);
  }

  add(message, isMine) {
    const item = messageItem(message, isMine, time(message.at_ms));
    item.dataset.id = message.id;
    this.#put(item, isMine, this.#firstBehind(message.id));
    dress(item.nextElementSibling);
  }

  note(text) { this.#put(make("p", "note", text), false); }

  // A message of this page that the room has not got yet.
  addPending(ref, message) {
    const item = messageItem(message, true, make("span", "fate", "sending …"));
    item.classList.add("pending");
    this.#pending.set(ref, item);
    this.#put(item, true);
  }
  removePending(ref) {
    this.#pending.get(ref)?.remove();
    this.#pending.delete(ref);
  }
  failPending(ref, why, again) {
    const item = this.#pending.get(ref);
    if (!item) return;
    this.#pending.delete(ref);
    item.classList.replace("pending", "failed");
    const button = make("button", "plain", "Try again");
    button.onclick = () => { item.remove(); again(); };
    const wasAtEnd = this.#isAtEnd();
    item.querySelector(".fate").replaceChildren(`Not sent. ${why} `, button);
    if (wasAtEnd) this.toEnd();
  }

  toEnd() {
    this.#place.scrollTop = this.#place.scrollHeight;
    this.#newer.hidden = true;
  }

  // Several threads send: a message can come before one with a smaller id.
  #firstBehind(id) {
    let behind = null;
    for (let item = this.#place.lastElementChild; item; item = item.previousElementSibling) {
      const its = Number(item.dataset.id);
      if (its < id) break;
      if (its > id || item.classList.contains("pending")) behind = item;
    }
    return behind;
  }

  #isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#place;
    return scrollHeight - scrollTop - clientHeight < AT_END_PX;
  }

  #put(item, isMine, before = null) {
    const follows = isMine || this.#isAtEnd();
    this.#place.insertBefore(item, before);
    dress(item);
    if (this.#place.childElementCount > ITEMS_MAX) this.#place.firstElementChild.remove();
    if (follows) this.toEnd();
    else this.#newer.hidden = false;
  }
}
