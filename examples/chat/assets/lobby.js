const busy = document.getElementById("busy");
const rooms = document.getElementById("rooms");

function entry({ name, people }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  const count = document.createElement("span");
  link.href = `/r/${name}`;
  count.textContent = people === 1 ? "1 person" : `${people} people`;
  link.append(`#${name}`, count);
  item.append(link);
  return item;
}

let shown = "";
async function refresh() {
  if (document.hidden) return;
  try {
    const reply = await fetch("/rooms", { cache: "no-store" });
    const text = await reply.text();
    if (text === shown) return;  // so that nobody loses the focus
    const list = JSON.parse(text);
    rooms.replaceChildren(...list.map(entry));
    busy.hidden = list.length === 0;
    shown = text;
  } catch {
    // The service is away; the next turn asks again.
  }
}
refresh();
setInterval(refresh, 5000);
document.addEventListener("visibilitychange", refresh);
