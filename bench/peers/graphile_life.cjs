// graphile-worker with the settings its documentation gives for throughput: 24 concurrent jobs, a local queue of 500, completions
// batched, jobs added many per call. The tasks do nothing.
'use strict';

const { Logger, makeWorkerUtils, run } = require('graphile-worker');
const { url, jobCount, payload, rateOf, report, main } = require('./load.cjs');

const kSchema = 'bench_graphile';
const kAddBatch = 5000;
const kConcurrentJobs = 24;
const kLocalQueue = 500;
const kLookEveryMs = 2;

const silent = new Logger(() => () => {});

const preset = {
  worker: {
    connectionString: url,
    schema: kSchema,
    concurrentJobs: kConcurrentJobs,
    maxPoolSize: kConcurrentJobs + 1,
    pollInterval: 2000,
    localQueue: { size: kLocalQueue, refetchDelay: { durationMs: 10 } },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
};

async function add(utils) {
  for (let left = jobCount; left > 0; left -= kAddBatch) {
    const batch = Array.from({ length: Math.min(kAddBatch, left) }, () => ({ identifier: 'noop', payload }));
    await utils.addJobs(batch);
  }
}

// Done means done in the database: completions are written behind the tasks.
async function workAll(utils) {
  let started = 0;
  let lastStarted;
  const allStarted = new Promise((resolve) => { lastStarted = resolve; });
  const noop = async () => { if (++started >= jobCount) lastStarted(); };
  const runner = await run({ preset, logger: silent, taskList: { noop } });
  await allStarted;
  const left = () => utils.withPgClient((client) => client.query(`select 1 from ${kSchema}._private_jobs limit 1`));
  while ((await left()).rows.length > 0) await new Promise((resolve) => setTimeout(resolve, kLookEveryMs));
  return runner;
}

main(async () => {
  const utils = await makeWorkerUtils({ connectionString: url, schema: kSchema, logger: silent });
  await utils.migrate();
  const enqueues = await rateOf(jobCount, () => add(utils));
  let runner;
  const works = await rateOf(jobCount, async () => { runner = await workAll(utils); });
  await runner.stop();
  await utils.release();
  report(enqueues, works);
});
