// pgboss_life.cjs PACKAGE: pg-boss driven in large batches, 1000 jobs per insert, fetch and complete, two loops at once, its
// supervision and schedules off: the fastest way found to drive it. Up to version 10 a job of an insert names its queue itself.
'use strict';

const { url, jobCount, payload, rateOf, report, main } = require('./load.cjs');

const packageName = process.argv[2];

const namedByJob = packageName === 'pg-boss-10';
const kSchema = `bench_${packageName.replace(/\W/g, '_')}`;
const kQueue = 'bench';
const kBatch = 1000;
const kLoops = 2;

const inLoops = (body) => Promise.all(Array.from({ length: kLoops }, body));

async function insertAll(boss) {
  let left = jobCount;
  const jobs = (size) => Array.from({ length: size }, () => ({ name: kQueue, data: payload }));
  await inLoops(async () => {
    while (left > 0) {
      const size = Math.min(kBatch, left);
      left -= size;
      await (namedByJob ? boss.insert(jobs(size)) : boss.insert(kQueue, jobs(size)));
    }
  });
}

async function workAll(boss) {
  let done = 0;
  await inLoops(async () => {
    for (;;) {
      const jobs = await boss.fetch(kQueue, { batchSize: kBatch });
      if (!jobs || jobs.length === 0) return;
      await boss.complete(kQueue, jobs.map((job) => job.id));
      done += jobs.length;
    }
  });
  if (done !== jobCount) throw new Error(`${done} of ${jobCount} jobs were done`);
}

main(async () => {
  const loaded = await import(packageName);
  const PgBoss = loaded.PgBoss ?? loaded.default;
  const boss = new PgBoss({ connectionString: url, schema: kSchema, max: kLoops + 2, supervise: false, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(kQueue);
  const enqueues = await rateOf(jobCount, () => insertAll(boss));
  const works = await rateOf(jobCount, () => workAll(boss));
  await boss.stop({ graceful: false });
  report(enqueues, works);
});
