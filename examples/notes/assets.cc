#include "assets.h"

namespace notes::assets {

const char* const kStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #f5f3ee; --card: #ffffff; --ink: #1f2530; --soft: #667080; --line: #e3dfd5;
  --accent: #1f6f6b; --on-accent: #ffffff; --star: #d99a00; --unlit: #d5d1c6; --danger: #b3261e;
  --shadow: 0 1px 2px rgb(31 37 48 / .06), 0 6px 20px rgb(31 37 48 / .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --card: #1d2229; --ink: #e8e6e1; --soft: #98a1af; --line: #2d343e;
    --accent: #5fc3bb; --on-accent: #0d2422; --star: #f2bd3d; --unlit: #424b57; --danger: #ff8f85;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 6px 20px rgb(0 0 0 / .25);
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 70rem; min-height: 100vh; padding: 0 1rem;
  display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { flex: 1; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }

.top { display: flex; justify-content: space-between; align-items: center; padding: 1.1rem 0; }
.brand { display: flex; gap: .6rem; align-items: center; font-size: 1.35rem; font-weight: 700;
  letter-spacing: -.01em; color: var(--ink); text-decoration: none; }
.counter { margin: 0; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: 2rem;
  background: var(--card); color: var(--soft); font-size: .875rem; white-space: nowrap; }
.counter output { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.dot { display: inline-block; width: .5rem; height: .5rem; margin-right: .45rem;
  border-radius: 50%; background: var(--accent); }
.dot.beat { animation: beat .6s ease-out; }
@keyframes beat {
  from { box-shadow: 0 0 0 0 var(--accent); }
  to { box-shadow: 0 0 0 .7rem transparent; }
}

.card { background: var(--card); border: 1px solid var(--line); border-radius: .9rem;
  box-shadow: var(--shadow); padding: 1.1rem 1.2rem; }
.composer { max-width: 44rem; margin: 0 auto 2rem; }
.composer label { display: block; margin: .7rem 0 .25rem; font-size: .875rem; font-weight: 600; }
.composer label:first-child { margin-top: 0; }
input:not([type=radio]), textarea { width: 100%; padding: .6rem .75rem; font: inherit;
  color: inherit; background: var(--ground); border: 1px solid var(--line);
  border-radius: .55rem; }
textarea { resize: vertical; display: block; }
::placeholder { color: var(--soft); opacity: 1; }
.fault { margin: .3rem 0 0; color: var(--danger); font-size: .9rem; }
.choice { display: flex; gap: .4rem 1rem; flex-wrap: wrap; margin: .9rem 0 0; padding: 0;
  border: 0; }
.choice legend { padding: 0; font-size: .875rem; font-weight: 600; }
.composer .choice label { margin: 0; font-weight: 400; }
.choice input { accent-color: var(--accent); margin-right: .3rem; }
.actions { display: flex; gap: 1.1rem; align-items: center; margin: 1rem 0 0; }
button { font: inherit; cursor: pointer; }
.primary, .danger { padding: .55rem 1.1rem; border: 0; border-radius: .55rem; font-weight: 600;
  background: var(--accent); color: var(--on-accent); }
.primary:hover, .danger:hover { filter: brightness(1.08); }
.danger { background: var(--danger); color: var(--card); }

.notes { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.note { display: flex; flex-direction: column; min-width: 0; }
.note:target { border-color: var(--accent); }
.note h2 { margin: 0 0 .35rem; font-size: 1.1rem; line-height: 1.3; overflow-wrap: anywhere; }
.note h2 a { color: inherit; text-decoration: none; }
.note h2 a:hover { text-decoration: underline; }
.text { flex: 1; margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 9; }
.stars { margin: .6rem 0 .1rem -.3rem; }
.stars button { min-width: 2.2rem; min-height: 2.2rem; padding: 0; border: 0; background: none;
  font-size: 1.35rem; line-height: 1; color: var(--unlit); }
.stars .lit { color: var(--star); }
.stars button:hover { transform: scale(1.15); }
.note footer { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: baseline;
  font-size: .875rem; color: var(--soft); }
.note time { margin-right: auto; }
.note summary { cursor: pointer; list-style: none; color: var(--soft); }
.note summary:hover { color: var(--danger); }
.note summary::-webkit-details-marker { display: none; }
.note details[open] { flex-basis: 100%; text-align: right; }
.note details[open] form { margin-top: .5rem; }

.empty { padding: 3rem 1rem; text-align: center; color: var(--soft); }
.pager { display: flex; gap: 1.2rem; justify-content: center; margin: 2rem 0 0;
  color: var(--soft); }
.bottom { padding: 2.2rem 0 1.4rem; text-align: center; font-size: .85rem; color: var(--soft); }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
)css";

const char* const kScript = R"js(
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
)js";

const char* const kIcon = R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1f6f6b"/>
<path d="M9 7h10l5 5v13H9z" fill="#fdfaf2"/><path d="M19 7v5h5z" fill="#b9dcd6"/>
<path d="M12 16h9M12 20h7" stroke="#1f6f6b" stroke-width="1.8" stroke-linecap="round"/>
</svg>
)svg";

}  // namespace notes::assets
