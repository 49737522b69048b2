// The measuring service on Bun.serve: PORT THREADS DELAY_MS [--routes N] [--middlewares N].
// More than one THREAD is that many processes on one port, as Bun's guide to clusters shows.
// DATABASE in the environment: where PostgreSQL is. PROFILES_DIR: where dataset.json and static are.
import { parseArgs } from 'node:util';
import { databaseRoutes } from './database.js';
import { profileRoutes, uploadRoutes } from './profiles.js';
import { realtimeRoutes, websocket } from './realtime.js';

// Bun's own default of 10 s would end the idle connections that other contestants keep.
const IDLE_SECONDS = 75;

function readOptions() {
  const { positionals, values } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: {
      routes: { type: 'string', default: process.env.ROUTES ?? '0' },
      middlewares: { type: 'string', default: process.env.MIDDLEWARES ?? '0' },
    },
  });
  const [port, threads, delayMs, routes, middlewares] = [
    ...positionals,
    values.routes,
    values.middlewares,
  ].map(Number);
  return { port, threads, delayMs, routes, middlewares };
}

const typed = (mediaType) => ({ headers: { 'Content-Type': mediaType } });
const plain = typed('text/plain');
const refused = (text) => new Response(text, { status: 400 });

// Answers with what `answer` makes of two integers of the path.
function twoNumbers(first, second, answer) {
  return (request) => {
    const one = Number(request.params[first]);
    const two = Number(request.params[second]);
    if (!Number.isInteger(one) || !Number.isInteger(two)) return refused('two integers are needed');
    return new Response(answer(one, two), plain);
  };
}

// The body back with "reply":"received" in it, once `wait` is over.
function reply(wait) {
  return async (request) => {
    const body = await request.json().catch(() => null);
    if (body === null || typeof body !== 'object' || Array.isArray(body)) {
      return refused('the body must be a JSON object');
    }
    await wait();
    body.reply = 'received';
    return Response.json(body);
  };
}

function bytes(size) {
  const content = new Uint8Array(size).fill('x'.charCodeAt(0));
  const octets = typed('application/octet-stream');
  return () => new Response(content, octets);
}

function plainRoutes() {
  const hello = () => new Response('Hello, World!', plain);
  const html = typed('text/html');
  return {
    '/plaintext': hello,
    '/simple': hello,
    '/bench': hello,
    '/json': () => Response.json({ message: 'Hello, World!' }),
    '/html': () => new Response('<p>Hello, world!</p>', html),
    '/test/status': () => new Response('OK', plain),
    '/test/labels/:label': (request) => new Response(request.params.label, plain),
    '/users/:id/posts/:pid': twoNumbers('id', 'pid', (id, pid) => `${id} ${pid}`),
    '/bytes/1024': bytes(1024),
    '/bytes/65536': bytes(65536),
    '/bytes/1048576': bytes(1048576),
  };
}

function company(count) {
  const sum = twoNumbers('id', 'item', (id, item) => String(id + item));
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`/area${i}/:id/item${i}/:item`, sum]),
  );
}

// Bun has no middleware: a function around each handler is how its users write one.
function readsPath(next) {
  return (request) => (new URL(request.url).pathname === '' ? refused('no path') : next(request));
}

function wrapped(handlers, middlewares) {
  const wrap = (handler) => Array.from({ length: middlewares }).reduce(readsPath, handler);
  return Object.entries(handlers).map(([path, handler]) => [path, { GET: wrap(handler) }]);
}

async function serve({ port, threads, delayMs, routes, middlewares }) {
  const { DATABASE, DATABASE_CONNECTIONS, PROFILES_DIR } = process.env;
  // A timer of 0 ms would take 1 ms.
  const wait = delayMs === 0 ? () => {} : () => Bun.sleep(delayMs);
  const server = Bun.serve({
    port,
    hostname: '0.0.0.0',
    reusePort: threads > 1,
    idleTimeout: IDLE_SECONDS,
    routes: {
      ...Object.fromEntries(wrapped({ ...company(routes), ...plainRoutes() }, middlewares)),
      '/test': { POST: reply(wait) },
      '/test/blocking': { POST: reply(() => Bun.sleepSync(delayMs)) },
      ...realtimeRoutes,
      ...uploadRoutes,
      ...(PROFILES_DIR ? profileRoutes(PROFILES_DIR) : {}),
      ...(DATABASE ? await databaseRoutes(DATABASE, Number(DATABASE_CONNECTIONS)) : {}),
    },
    websocket,
    fetch: () => new Response('not found', { status: 404 }),
  });
  process.on('SIGTERM', () => server.stop(true).then(() => process.exit(0)));
}

function startWorkers(count) {
  const workers = Array.from({ length: count }, () =>
    Bun.spawn({
      cmd: [process.execPath, ...process.argv.slice(1)],
      env: { ...process.env, IS_WORKER: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc() {}, // its end tells a worker that this process is gone, however it ended
    }),
  );
  process.on('SIGTERM', async () => {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map((worker) => worker.exited));
    process.exit(0);
  });
}

const options = readOptions();
if (!Object.values(options).every(Number.isInteger)) {
  console.error('usage: app.js PORT THREADS DELAY_MS [--routes N] [--middlewares N]');
  process.exit(2);
}
if (process.env.IS_WORKER || options.threads === 1) {
  process.on('disconnect', () => process.exit(1));
  await serve(options);
} else {
  startWorkers(options.threads);
}
