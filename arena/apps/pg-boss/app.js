// Enqueues or runs jobs for `./arena/run jobs`: see arena/APPLICATIONS.md.
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { counterOf, enqueue, optionsOf, stay, waitForArena } from './protocol.js';

const QUEUE = 'notes';
const BATCH = 10;
const INSERT = 'insert into effects(n) values($1)';

const options = optionsOf(process.argv.slice(2));

function bossOf(connections) {
  const boss = new PgBoss({ ...options.place, max: connections, useListenNotify: true });
  boss.on('error', (error) => {
    console.error(error);
    process.exit(1);
  });
  return boss;
}

const workOptions = {
  batchSize: BATCH,
  localConcurrency: options.concurrency / BATCH,
  burstWhenBatchFull: true,
};

// Handlers have half of the connections, or use those of pg-boss in its transaction.
async function work() {
  const done = counterOf(options.count);
  if (options.isTransactional) {
    const boss = await bossOf(options.connections).start();
    await waitForArena();
    await boss.work(QUEUE, { ...workOptions, transactional: true }, async (jobs, transaction) => {
      for (const job of jobs) await transaction.executeSql(INSERT, [job.data.n]);
      jobs.forEach(done);
    });
    return;
  }
  const own = options.connections / 2;
  const pool = new pg.Pool({ ...options.place, max: own });
  const boss = await bossOf(options.connections - own).start();
  await waitForArena();
  await boss.work(QUEUE, workOptions, async (jobs) => {
    await Promise.all(jobs.map((job) =>
      pool.query({ name: 'effect', text: INSERT, values: [job.data.n] })));
    jobs.forEach(done);
  });
}

async function main() {
  if (options.task === 'work') {
    await work();
  } else {
    const boss = await bossOf(options.connections).start();
    if (options.task === 'create') {
      await boss.createQueue(QUEUE, { notify: true });
      await waitForArena();
    } else {
      await enqueue(options, (n) => boss.send(QUEUE, { n }),
        (numbers) => boss.insert(QUEUE, numbers.map((n) => ({ data: { n } }))));
    }
  }
  stay();
}

await main();
