// Asks state.json once a second and draws it. What comes from requests is text, never markup.
const INTERVAL_MS = 1000;
const KEPT = 120;
const LINES_KEPT = 400;
const LEVELS = ["debug", "info", "warning", "error"];

const rates = [];
let logged = [];
let seen = 0;
let before = null;
let isPaused = false;

const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value < 0.001) return `${Math.round(value * 1e6)} µs`;
  if (value < 1) return `${(value * 1000).toPrecision(3).replace(/\.0+$/, "")} ms`;
  if (value < 120) return `${value.toFixed(1)} s`;
  if (value < 7200) return `${Math.round(value / 60)} min`;
  if (value < 172800) return `${Math.round(value / 3600)} h`;
  return `${Math.round(value / 86400)} d`;
}

function count(value) {
  return value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 });
}

function bytes(value) {
  if (value < 1024) return `${value} B`;
  return value < 1048576 ? `${Math.round(value / 1024)} KiB` : `${(value / 1048576).toFixed(1)} MiB`;
}

const total = (list, of) => list.reduce((sum, one) => sum + of(one), 0);

// Rows stay as they are where nothing has changed, so that a reader keeps place and selection.
function fill(section, rows, none) {
  const body = byId(section).querySelector("tbody");
  const names = [...byId(section).querySelectorAll("th")].map((one) => one.textContent);
  const text = JSON.stringify(rows);
  if (body.dataset.drawn === text) return;
  body.dataset.drawn = text;
  body.replaceChildren(...(rows.length === 0 ? [emptyRow(names.length, none)] : rows.map((row) => {
    const line = element("tr");
    row.forEach((cell, index) => {
      const { text, kind } = typeof cell === "object" ? cell : { text: cell };
      const made = element("td", kind === "code" ? undefined : text, kind === "code" ? "" : kind);
      if (kind === "code") made.append(element("code", text));
      made.dataset.name = names[index];
      line.append(made);
    });
    return line;
  })));
}

function emptyRow(columns, text) {
  const line = element("tr");
  const cell = element("td", text, "none");
  cell.colSpan = columns;
  line.append(cell);
  return line;
}

const number = (text) => ({ text, kind: "number" });
const code = (text) => ({ text, kind: "code" });

function waits(request) {
  if (request.waits_for.length === 0) {
    return request.stage === "streaming" ? "the next event" : "its own work";
  }
  return request.waits_for.map((one) =>
    `${one.what}${one.text ? ` ${one.text}` : ""} (${seconds(one.seconds)})`).join("; ");
}

const nameOf = (one) => `${one.method} ${one.route || "(no route)"}`.trim();

function drawFlight(loops) {
  const all = loops.flatMap((loop) => loop.requests_in_flight)
    .filter((one) => one.route !== "/_eider/state.json")
    .sort((a, b) => b.seconds - a.seconds);
  fill("flight", all.slice(0, 100).map((one) => [
    nameOf(one), number(seconds(one.seconds)), waits(one), one.peer, one.id]), "No requests in flight.");
}

// The upper bound of the bucket in which that share of what came since lies.
function quantile(bounds, counts, share) {
  const all = total(counts, (one) => one);
  if (all === 0) return null;
  let seen = 0;
  for (let index = 0; index < counts.length; index += 1) {
    seen += counts[index];
    if (seen >= share * all) return index < bounds.length ? bounds[index] : Infinity;
  }
  return Infinity;
}

function bound(value) {
  if (value === null) return "–";
  return value === Infinity ? "above the last bound" : `≤ ${seconds(value)}`;
}

function drawRoutes(now, passed) {
  const old = new Map((before?.routes ?? []).map((one) => [nameOf(one), one]));
  const rows = now.routes.map((route) => {
    const past = old.get(nameOf(route));
    const all = total(route.counts, (one) => one);
    const since = past ? all - total(past.counts, (one) => one) : 0;
    const recent = since > 0 && past ? route.counts.map((one, i) => one - past.counts[i]) : route.counts;
    return { route, all, rate: passed ? since / passed : 0, recent };
  }).sort((a, b) => b.rate - a.rate || b.all - a.all);
  fill("routes", rows.map(({ route, all, rate, recent }) => [
    code(nameOf(route)), number(count(rate)), number(bound(quantile(now.bounds, recent, 0.5))),
    number(bound(quantile(now.bounds, recent, 0.99))), number(count(all)), number(count(route.client_errors)),
    { text: count(route.server_errors), kind: route.server_errors ? "number bad" : "number" }]), "No requests yet.");
}

function runs(loop) {
  if (loop.is_responsive) return { text: loop.is_draining ? "draining" : "running" };
  if (!loop.stuck) return { text: "ended", kind: "none" };
  const what = loop.stuck.method ? nameOf(loop.stuck) : "no request";
  return { text: `blocked for ${seconds(loop.stuck.seconds)}: ${what} ${loop.stuck.stack.slice(0, 6).join(" < ")}`, kind: "bad" };
}

function drawLoops(loops, passed) {
  const old = new Map((before?.process.server.loops ?? []).map((one) => [one.loop, one]));
  fill("loops", loops.map((loop) => {
    const past = old.get(loop.loop);
    const rate = past && passed ? Math.max(loop.requests - past.requests, 0) / passed : 0;
    const all = loop.connections;
    return [String(loop.loop), number(loop.is_responsive ? seconds(loop.lag_seconds) : "–"), number(count(rate)),
      number(count(loop.in_flight)), number(count(all.open)),
      number(count(all.busy)), number(bytes(all.bytes_waiting)), runs(loop)];
  }), "None.");
}

function drawGlance(state, rate) {
  const server = state.process.server;
  const connections = (of) => total(server.loops, (loop) => loop.connections[of]);
  const shown = [
    ["Up", seconds(server.up_seconds)], ["Per second", count(rate)],
    ["In flight", count(total(server.loops, (loop) => loop.in_flight))],
    ["Connections", count(connections("open"))],
    ["HTTP/1.1", count(connections("http1"))], ["HTTP/2", count(connections("http2"))],
    ["WebSockets", count(connections("websocket"))],
    ["Threads that block", `${server.threads_blocking} of ${server.threads_blocking_max}`],
    ["Loops", `${server.loops.length}, ${server.backend}`], ["Eider", state.process.eider]];
  byId("glance").replaceChildren(...shown.map(([name, value]) => {
    const pair = element("div");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  }));
  const worker = server.worker === undefined ? "" : `worker ${server.worker}, `;
  byId("who").textContent = `${worker}process ${server.process}${server.is_stopping ? ", stopping" : ""}`;
}

function drawRate(rate) {
  rates.push(rate);
  if (rates.length > KEPT) rates.shift();
  const most = Math.max(...rates, 1);
  const points = rates.map((one, index) =>
    `${(600 - (rates.length - 1 - index) * (600 / (KEPT - 1))).toFixed(1)},${(86 - (one / most) * 80).toFixed(1)}`);
  const svg = byId("rate");
  svg.querySelector("polyline").setAttribute("points", points.join(" "));
  const first = points[0].split(",")[0];
  svg.querySelector("polygon").setAttribute("points", `${first},90 ${points.join(" ")} 600,90`);
  svg.setAttribute("aria-label", `Requests per second: ${count(rate)} now, maximum ${count(most)}`);
}

// Of what goes on in the background, on whatever loops.
function waitsOf(name, goingOn) {
  return goingOn.filter((one) => one.name === name).map((one) =>
    `; for ${seconds(one.seconds)}, waits for ${waits(one)}`).join("");
}

function drawOthers(state) {
  const goingOn = state.process.server.loops.flatMap((loop) => loop.background);
  fill("pools", state.process.resources.map((one) => [one.kind, code(one.name),
    Object.entries(one.numbers).map(([name, value]) => `${name} ${count(value)}`).join(", ") +
      (one.kind === "background" ? waitsOf(one.name, goingOn) : "")]), "None.");
  fill("slow", state.slow_statements.map((one) => [code(one.sql || "(several statements, or a row stream)"),
    number(seconds(one.seconds)), nameOf(one), new Date(one.unix_seconds * 1000).toLocaleTimeString()]),
    "No statement took 0.1 s or longer.");
  const settings = byId("settings").querySelector("pre");
  const text = state.settings || "The program was started without command-line options.";
  if (settings.textContent !== text) settings.textContent = text;
}

// {"time":…,"level":…,"message":…, then fields}, or: time level message and fields
function logLine(line) {
  const plain = /^(\S+) (debug|info|warning|error) (.*)$/s.exec(line);
  if (plain) return { time: plain[1], level: plain[2], text: plain[3] };
  try {
    const { time, level, message, ...fields } = JSON.parse(line);
    const pairs = Object.entries(fields).map(([name, value]) =>
      `${name}=${typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)}`);
    return { time, level, text: [message, ...pairs].join(" ") };
  } catch {  // was cut
    const [, time, level] = /^\{"time":"([^"]*)","level":"(\w+)"/.exec(line) ?? [];
    return { time, level, text: line };
  }
}

function takeLog({ lines, lines_so_far: soFar }) {
  const missed = seen === 0 || soFar < seen ? 0 : soFar - seen - lines.length;
  const news = lines.map(logLine);
  if (missed > 0) news.unshift({ text: `(${count(missed)} more, not stored)` });
  logged = [...news.reverse(), ...logged].slice(0, LINES_KEPT);
  seen = soFar;
}

function drawLog() {
  const least = LEVELS.indexOf(byId("least").value);
  fill("log", logged.filter((one) => !(LEVELS.indexOf(one.level ?? "error") < least)).map((one) => [
    one.time ? new Date(one.time).toLocaleTimeString() : "",
    { text: one.level ?? "", kind: one.level === "error" ? "bad" : undefined }, code(one.text)]),
    "No log lines yet from open_log, or from the log of an app without a custom log.");
}

function draw(state) {
  // Of several processes any may answer: what one has counted says nothing of another. In a
  // container the next one has the same number.
  const server = state.process.server;
  const old = before?.process.server;
  if (old && (old.process !== server.process || old.up_seconds > server.up_seconds)) {
    before = null;
    logged = [];
    seen = 0;  // it is told all the next time
  } else {
    takeLog(state.log);
  }
  drawLog();
  const passed = before ? server.up_seconds - before.process.server.up_seconds : 0;
  const all = (one) => total(one.process.server.loops, (loop) => loop.requests);
  const rate = passed > 0 ? Math.max(all(state) - all(before), 0) / passed : 0;
  if (before && passed <= 0) return;
  drawGlance(state, rate);
  if (before) drawRate(rate);
  drawFlight(server.loops);
  drawRoutes(state, passed);
  drawLoops(server.loops, passed);
  drawOthers(state);
  before = state;
}

async function ask() {
  if (isPaused || document.hidden) return;
  try {
    const reply = await fetch(`state.json?after=${seen}`, { cache: "no-store", signal: AbortSignal.timeout(5000) });
    if (!reply.ok) throw new Error(`the service responded with ${reply.status}`);
    draw(await reply.json());
    byId("said").textContent = "";
  } catch (error) {
    byId("said").textContent = `No update: ${error.message}`;
  }
}

byId("pause").addEventListener("click", () => {
  isPaused = !isPaused;
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  byId("pause").textContent = isPaused ? "Resume" : "Pause";
});

byId("least").addEventListener("change", drawLog);

for (;;) {
  await ask();
  await new Promise((done) => setTimeout(done, INTERVAL_MS));
}
