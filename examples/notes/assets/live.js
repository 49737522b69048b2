"use strict";
const requests = document.getElementById("requests");
const dot = document.querySelector(".dot");

async function refresh() {
  if (document.hidden) return;
  try {
    const reply = await fetch("/requests", { cache: "no-store" });
    const { requests: count } = await reply.json();
    if (String(count) === requests.value) return;
    requests.value = count;
    dot.classList.remove("beat");
    void dot.offsetWidth;  // so that the animation begins again
    dot.classList.add("beat");
  } catch {
    // The service is away; the next turn asks again.
  }
}
setInterval(refresh, 2000);
document.addEventListener("visibilitychange", refresh);

for (const time of document.querySelectorAll("time")) {
  const local = { dateStyle: "medium", timeStyle: "short" };
  time.textContent = new Date(time.dateTime).toLocaleString([], local);
}
