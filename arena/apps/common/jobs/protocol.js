// The protocol between the arena and the adapter of a job queue: see arena/APPLICATIONS.md.
// Must not know a job queue.
import { createInterface } from 'node:readline';

const ENQUEUERS = 8;

// Options of the command line.
export function optionsOf(argv) {
  const [where, task, count, batchOrConcurrency, connections, more] = argv;
  const { host, port, user, dbname: database } = Object.fromEntries(
    where.split(' ').map((word) => word.split('=')));
  return {
    place: { host, port: Number(port), user, database },
    task,
    count: Number(count),
    batch: Number(batchOrConcurrency),
    concurrency: Number(batchOrConcurrency),
    connections: Number(connections),
    isTransactional: more === '--transactional',
  };
}

// The arena reads the clock and the CPU time before it sends the line.
export async function waitForArena() {
  const lines = createInterface({ input: process.stdin });
  console.log('ready');
  await new Promise((resolve) => lines.once('line', resolve));
  lines.close();
}

// Returns a function to call at the end of each handler.
export function counterOf(count) {
  let left = count;
  return () => {
    left -= 1;
    if (left === 0) console.log('done');
  };
}

// Calls one(n) or many([n…]) until all numbers below the count are enqueued.
export async function enqueue({ count, batch }, one, many) {
  await waitForArena();
  let next = 0;
  const enqueueSome = async () => {
    while (next < count) {
      const first = next;
      next += batch;
      const size = Math.min(batch, count - first);
      await (batch === 1 ? one(first) : many(Array.from({ length: size }, (_, i) => first + i)));
    }
  };
  await Promise.all(Array.from({ length: ENQUEUERS }, enqueueSome));
  console.log('done');
}

// Keeps the process running until SIGTERM.
export function stay() {
  setInterval(() => {}, 1 << 30);
}
