// Enqueues or runs jobs for `./arena/run jobs`: see arena/APPLICATIONS.md.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { counterOf, enqueue, optionsOf, stay, waitForArena } from './protocol.js';

const TASK = 'note';
const INSERT = { name: 'effect', text: 'insert into effects(n) values($1)' };

const options = optionsOf(process.argv.slice(2));
const pgPool = new pg.Pool({ ...options.place, max: options.connections });
pgPool.on('error', (error) => {
  console.error(error);
  process.exit(1);
});
const logger = new Logger(() => () => {});

async function work() {
  const done = counterOf(options.count);
  const note = async (payload, helpers) => {
    await helpers.query({ ...INSERT, values: [payload.n] });
    done();
  };
  await waitForArena();
  await run({
    pgPool,
    logger,
    noHandleSignals: true,
    taskList: { [TASK]: note },
    preset: {
      worker: {
        concurrentJobs: options.concurrency,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
}

async function main() {
  if (options.task === 'work') {
    await work();
  } else {
    const utils = await makeWorkerUtils({ pgPool, logger });
    if (options.task === 'create') {
      await utils.migrate();
      await waitForArena();
    } else {
      await enqueue(options, (n) => utils.addJob(TASK, { n }),
        (numbers) => utils.addJobs(numbers.map((n) => ({ identifier: TASK, payload: { n } }))));
    }
  }
  stay();
}

await main();
