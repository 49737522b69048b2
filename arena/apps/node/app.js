// The measuring service on Node's http module: PORT THREADS DELAY_MS; THREADS processes by cluster.
// DATABASE in the environment: where PostgreSQL is. PROFILES_DIR: where dataset.json and static are.
// TLS_PORT, TLS_CERT, TLS_KEY in the environment: over TLS instead. HTTP2: with the http2 module.
import cluster from 'node:cluster';
import { answerUpload, profileAnswers } from './profiles.js';
import { serverOf } from './servers.js';
import { setTimeout } from 'node:timers/promises';
import { answerStreaming } from './realtime.js';

const BACKLOG = 4096;
// Node's own default of 5 s would end the idle connections that other contestants keep.
const KEEP_ALIVE_MS = 75_000;

const bodies = new Map([1024, 65536, 1048576].map((size) => [String(size), Buffer.alloc(size, 'x')]));
const sleeper = new Int32Array(new SharedArrayBuffer(4));

function send(response, mediaType, content, status = 200) {
  response.writeHead(status, {
    'Content-Type': mediaType,
    'Content-Length': Buffer.byteLength(content),
  });
  response.end(content);
}

function refuse(response, status, text) {
  send(response, 'text/plain', text, status);
}

function readBody(request) {
  return new Promise((resolve, reject) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => resolve(Buffer.concat(parts).toString()));
    request.on('error', reject);
  });
}

function asObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

async function echo(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  send(response, 'application/octet-stream', Buffer.concat(parts));
}

// The body back with "reply":"received" in it, once `wait` is over.
async function reply(request, response, wait) {
  const body = asObject(await readBody(request));
  if (body === null) {
    refuse(response, 400, 'the body must be a JSON object');
    return;
  }
  await wait();
  body.reply = 'received';
  send(response, 'application/json', JSON.stringify(body));
}

function answerPath(response, path) {
  const post = /^\/users\/(-?\d+)\/posts\/(-?\d+)$/.exec(path);
  if (post) {
    send(response, 'text/plain', `${Number(post[1])} ${Number(post[2])}`);
    return;
  }
  const [, first, second, ...rest] = path.split('/');
  if (first === 'test' && second === 'labels' && rest.length === 1) {
    send(response, 'text/plain', decodeURIComponent(rest[0]));
  } else if (first === 'bytes' && bodies.has(second) && rest.length === 0) {
    send(response, 'application/octet-stream', bodies.get(second));
  } else if (!answerStreaming(response, path)) {
    refuse(response, 404, 'not found');
  }
}

function answerGet(response, path) {
  switch (path) {
    case '/plaintext':
    case '/simple':
    case '/bench':
      return send(response, 'text/plain', 'Hello, World!');
    case '/json':
      return send(response, 'application/json', JSON.stringify({ message: 'Hello, World!' }));
    case '/html':
      return send(response, 'text/html', '<p>Hello, world!</p>');
    case '/test/status':
      return send(response, 'text/plain', 'OK');
    default:
      return answerPath(response, path);
  }
}

async function answerRows(request, response, found) {
  try {
    const { type, text, status, headers } = await found;
    response.writeHead(status, {
      ...headers, 'Content-Type': type, 'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  } catch (fault) {
    refuse(response, 500, fault.message);
  }
}

function handler(delayMs, rows, profiles) {
  // A timer of 0 ms would take 1 ms.
  const wait = delayMs === 0 ? () => {} : () => setTimeout(delayMs);
  // Nothing in Node hands a handler to a pool: this holds the whole process, as blocking code does.
  const block = () => Atomics.wait(sleeper, 0, 0, delayMs);
  return (request, response) => {
    const { method, url } = request;
    const found = rows?.(method, url, () => readBody(request));
    if (found) {
      answerRows(request, response, found);
    } else if (method === 'GET') {
      if (!profiles?.(request, response)) answerGet(response, url);
    } else if (method === 'POST' && url === '/upload') {
      answerUpload(request, response);
    } else if (method === 'POST' && url === '/echo') {
      echo(request, response).catch(() => response.destroy());
    } else if (method === 'POST' && url === '/test') {
      reply(request, response, wait);
    } else if (method === 'POST' && url === '/test/blocking') {
      reply(request, response, block);
    } else {
      refuse(response, 404, 'not found');
    }
  };
}

async function serve(port, delayMs) {
  const { DATABASE, DATABASE_CONNECTIONS, PROFILES_DIR } = process.env;
  const rows = DATABASE ? await (await import('./database.js')).databaseAnswers(
    DATABASE, Number(DATABASE_CONNECTIONS)) : null;
  const profiles = PROFILES_DIR ? profileAnswers(PROFILES_DIR) : null;
  const answer = handler(delayMs, rows, profiles);
  const { server, end } = serverOf({ keepAliveTimeout: KEEP_ALIVE_MS }, answer);
  const where = Number(process.env.TLS_PORT ?? port);
  server.listen({ port: where, host: '0.0.0.0', backlog: BACKLOG });
  process.on('SIGTERM', () => {
    server.close(() => process.exit(0));
    end();
  });
}

function startWorkers(count) {
  for (let i = 0; i < count; ++i) cluster.fork();
  const tell = (signal) => Object.values(cluster.workers).forEach(
    (worker) => worker.process.kill(signal));
  process.on('SIGTERM', () => {
    cluster.on('exit', () => Object.keys(cluster.workers).length === 0 && process.exit(0));
    tell('SIGTERM');
  });
  process.on('SIGHUP', () => tell('SIGHUP'));
}

const [port, threads, delayMs] = process.argv.slice(2).map(Number);
if (![port, threads, delayMs].every(Number.isInteger)) {
  console.error('usage: app.js PORT THREADS DELAY_MS');
  process.exit(2);
}
if (cluster.isPrimary && threads > 1) {
  startWorkers(threads);
} else {
  serve(port, delayMs);
}
