// What both drivers share: where the database is, how many jobs, the clock, and the one line of JSON that muster_bench reads.
'use strict';

const url = process.env.MUSTER_BENCH_URL;
const jobCount = Number(process.env.MUSTER_BENCH_JOBS);
const payload = { body: 'p'.repeat(Number(process.env.MUSTER_BENCH_PAYLOAD)) };

const secondsNow = () => Number(process.hrtime.bigint()) / 1e9;

// Runs `work` and answers how many of `count` it did per second.
async function rateOf(count, work) {
  const began = secondsNow();
  await work();
  return count / (secondsNow() - began);
}

// Filling and working are timed one after the other; a life is one of each.
function report(enqueuesPerSecond, worksPerSecond) {
  const lives = 1 / (1 / enqueuesPerSecond + 1 / worksPerSecond);
  console.log(JSON.stringify({ enqueues: Math.round(enqueuesPerSecond), works: Math.round(worksPerSecond), lives: Math.round(lives) }));
}

function main(measure) {
  measure().then(
    () => process.exit(0),
    (error) => {
      console.error(error);
      process.exit(1);
    });
}

module.exports = { url, jobCount, payload, rateOf, report, main };
