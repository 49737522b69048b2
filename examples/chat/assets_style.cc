#include "assets.h"

namespace chat::assets {

const char* const kStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #f3f4f8; --card: #ffffff; --ink: #1c2030; --soft: #5d6578; --line: #dcdfe8;
  --accent: #4b57c8; --on-accent: #ffffff; --danger: #b3261e; --good: #1d7f4e; --wait: #a15c00;
  --shadow: 0 1px 2px rgb(28 32 48 / .06), 0 6px 20px rgb(28 32 48 / .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12141b; --card: #1d212c; --ink: #e8e9ef; --soft: #9aa2b5; --line: #2c3140;
    --accent: #919dff; --on-accent: #12152e; --danger: #ff8f85; --good: #5ecb95; --wait: #f0b45c;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 6px 20px rgb(0 0 0 / .25);
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; max-width: 62rem; min-height: 100vh; min-height: 100dvh; padding: 0 1rem;
  display: flex; flex-direction: column; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { flex: 1; min-height: 0; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.soft { color: var(--soft); }

.top { display: flex; gap: .75rem; align-items: center; padding: .8rem 0; }
.brand { display: flex; gap: .6rem; align-items: center; font-size: 1.35rem; font-weight: 700;
  letter-spacing: -.01em; color: var(--ink); text-decoration: none; }
.brand img { display: block; }
.top h1 { flex: 1; min-width: 0; margin: 0; font-size: 1.2rem; line-height: 1.3;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.state { display: flex; gap: .45rem; align-items: center; margin: 0; padding: .2rem .75rem;
  border: 1px solid var(--line); border-radius: 2rem; background: var(--card); color: var(--soft);
  font-size: .875rem; white-space: nowrap; }
.state:empty { display: none; }
.state::before { content: ""; width: .55rem; height: .55rem; border-radius: 50%;
  background: var(--wait); }
.state.good::before { background: var(--good); }

.card { display: block; max-width: 26rem; margin: 8vh auto 0; padding: 1.5rem;
  background: var(--card); border: 1px solid var(--line); border-radius: .9rem;
  box-shadow: var(--shadow); }
.card h1, .card h2 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.3; }
.card p { margin: 0 0 1rem; }
.card label { display: block; margin-bottom: .3rem; font-size: .875rem; font-weight: 600; }
.card .fault { margin: .4rem 0 0; color: var(--danger); font-size: .9rem; min-height: 1.4em; }
.lobby .card .primary { margin-top: 1rem; }
.card .primary { width: 100%; margin-top: .3rem; }
input, textarea { width: 100%; padding: .6rem .8rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--line); border-radius: .6rem; }
::placeholder { color: var(--soft); opacity: 1; }
button { font: inherit; cursor: pointer; }
.primary { padding: .6rem 1.1rem; border: 0; border-radius: .6rem; font-weight: 600;
  background: var(--accent); color: var(--on-accent); }
.primary:hover { filter: brightness(1.08); }
.plain { padding: .3rem 0; border: 0; background: none; color: var(--accent); font-size: .875rem;
  text-decoration: underline; }

#busy { max-width: 26rem; margin: 2rem auto 0; }
#busy h2 { margin: 0 0 .6rem; font-size: 1rem; }
.rooms { display: grid; gap: .5rem; margin: 0; padding: 0; list-style: none; }
.rooms a { display: flex; gap: 1rem; justify-content: space-between; padding: .6rem 1rem;
  border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--ink);
  font-weight: 600; text-decoration: none; }
.rooms a:hover { border-color: var(--accent); }
.rooms span { font-weight: 400; color: var(--soft); white-space: nowrap; }
.bottom { padding: 2rem 0 1.2rem; text-align: center; font-size: .85rem; color: var(--soft); }

body.room { height: 100vh; height: 100dvh; }
.talk { display: grid; gap: .5rem; height: 100%; grid-template-rows: auto 1fr; }
.here { border: 1px solid var(--line); border-radius: .7rem; background: var(--card);
  padding: .45rem .8rem; font-size: .9375rem; }
.here summary { cursor: pointer; font-weight: 600; }
.people { display: flex; flex-wrap: wrap; gap: .35rem 1rem; margin: .5rem 0; padding: 0;
  list-style: none; max-height: 30vh; overflow-y: auto; }
.people li { display: flex; gap: .5rem; align-items: center; min-width: 0; max-width: 100%; }
.people span:last-child { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.face { flex: none; display: grid; place-items: center; width: 1.8rem; height: 1.8rem;
  border-radius: 50%; font-size: .85rem; font-weight: 600; line-height: 1; color: #fff;
  background: hsl(var(--hue) 45% 38%); }

.said { position: relative; display: flex; flex-direction: column; min-height: 0; }
.log { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain;
  padding: .5rem .5rem .5rem .25rem; display: flex; flex-direction: column;
  scrollbar-width: thin; scrollbar-color: var(--line) transparent; }
.log > :first-child { margin-top: auto; }
.note { margin: .55rem 0 0; text-align: center; font-size: .8125rem; color: var(--soft); }
.message { position: relative; flex: none; margin-top: .7rem; display: grid;
  grid-template-columns: 2.3rem minmax(0, 1fr); }
.message[data-day]::before { content: attr(data-day); grid-column: 1 / -1; margin: .4rem 0 .8rem;
  text-align: center; font-size: .8125rem; font-weight: 600; color: var(--soft); }
.message.more { margin-top: .2rem; }
.message .face { grid-column: 1; align-self: start; }
.bubble { grid-column: 2; justify-self: start; max-width: min(100%, 36rem); padding: .4rem .8rem;
  border: 1px solid var(--line); border-radius: .3rem 1rem 1rem .3rem; background: var(--card); }
.message:not(.more) .bubble { border-top-left-radius: 1rem; }
.who { margin: 0; font-size: .8125rem; font-weight: 600; color: var(--soft);
  overflow-wrap: anywhere; }
.text { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.who, .people span { unicode-bidi: isolate; }
.bubble time, .fate { display: block; font-size: .75rem; line-height: 1.3; color: var(--soft); }
.message.more:not(:hover, :focus-within) time { display: none; }
.more .face { visibility: hidden; height: 0; }
.more .who { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.mine .face, .mine .who { display: none; }
.mine .bubble { justify-self: end; border-color: transparent; background: var(--accent);
  color: var(--on-accent); border-radius: 1rem .3rem .3rem 1rem; }
.message.mine:not(.more) .bubble { border-top-right-radius: 1rem; }
.mine .bubble time, .mine .fate { color: inherit; opacity: .8; text-align: right; }
.pending .bubble { opacity: .65; }
.failed .bubble { background: none; border: 1px solid var(--danger); color: var(--ink); }
.failed .fate { color: var(--danger); opacity: 1; }
.failed button { min-height: 1.6rem; padding: 0 .3rem; }

.newer { position: absolute; left: 50%; bottom: 6rem; translate: -50% 0; padding: .35rem 1rem;
  border: 1px solid var(--line); border-radius: 2rem; background: var(--card); color: var(--accent);
  font-size: .875rem; font-weight: 600; box-shadow: var(--shadow); }
.writing { height: 1.3rem; margin: 0; padding-left: .5rem; font-size: .8125rem; line-height: 1.3rem;
  color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.say { display: flex; gap: .5rem; align-items: end; padding: .3rem 0 .9rem; }
.say textarea { display: block; max-height: 9.5rem; resize: none; background: var(--card);
  border-radius: 1.3rem; padding: .6rem 1rem; }
.say .primary { flex: none; display: grid; place-items: center; width: 2.75rem; height: 2.75rem;
  padding: 0; border-radius: 50%; }

@media (min-width: 48rem) {
  .talk { grid-template: minmax(0, 1fr) / minmax(0, 1fr) 14rem; gap: 1.2rem; }
  .here { grid-column: 2; grid-row: 1; margin-bottom: .9rem; padding: .8rem 1rem;
    overflow-y: auto; }
  .here summary { list-style: none; cursor: default; }
  .here summary::-webkit-details-marker { display: none; }
  .people { flex-direction: column; flex-wrap: nowrap; max-height: none; margin: .8rem 0; }
  .said { grid-column: 1; grid-row: 1; }
  .bubble { max-width: min(85%, 34rem); }
}
)css";

}  // namespace chat::assets
