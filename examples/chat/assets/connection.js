// A WebSocket that comes back by itself: soon at first, later each time, never all at once.
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30000;

export class Connection {
  #socket = null;
  #timer = 0;
  #tries = 0;
  #listener;

  // listener: opened(), heard(object), lost()
  constructor(listener) {
    this.#listener = listener;
    addEventListener("online", () => this.open());
    addEventListener("offline", () => this.#lose());
    document.addEventListener("visibilitychange", () => document.hidden || this.open());
  }

  // Without effect when there is a connection, or one is on its way.
  open() {
    if (this.#socket) return;
    clearTimeout(this.#timer);
    const address = new URL(location.pathname.replace("/r/", "/ws/"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => this.#listener.opened();
    socket.onmessage = (event) => this.#listener.heard(JSON.parse(event.data));
    socket.onclose = () => socket === this.#socket && this.#lose();
  }

  // What was opened does what it is for: the next loss is the first one.
  settle() { this.#tries = 0; }

  send(object) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(object));
  }

  close() {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#timer);
    socket?.close();
  }

  #lose() {
    this.close();
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#tries++);
    this.#timer = setTimeout(() => this.open(), longest * (0.5 + Math.random() / 2));
    this.#listener.lost();
  }
}
