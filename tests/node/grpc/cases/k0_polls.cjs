// K0: polls: who may, what they get, in which order, how fast.
'use strict';
const { equal, holds, json, pause, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const AT_ONCE_MS = 1000;
const BUSY_MACHINE_MS = 3000;  // below the silence after which a worker's runs are freed anyway
const ROUNDS = 3;              // of which the best counts: the machine may be busy

// The call stays open for as long as a run would surely have come.
async function stays_open(call, milliseconds = 700) {
  const first = await Promise.race([call.done.then((answer) => answer.value), pause(milliseconds)]);
  holds(first === undefined, 'an open poll', first);
}

// Every worker polls until so many runs were seen in all; then the polls that are open end.
async function gather(workers, count, seen) {
  const open = new Set();
  const loop = async (worker) => {
    while (seen.length < count) {
      const call = worker.open();
      open.add(call);
      const got = await call.done.then((answer) => answer.value, () => ({ run_id: '' }));
      open.delete(call);
      if (got.run_id !== '') seen.push(got.run_id);
    }
  };
  const loops = workers.map(loop);
  await until(() => seen.length >= count, `${count} deliveries`, 30);
  await pause(200);  // a second delivery of the same run would show now
  for (const call of open) call.cancel();
  await Promise.all(loops);
}

module.exports = {
  'K-20 a draining worker may not poll': async (t) => {
    const worker = await t.old_worker();
    await t.old_start();
    await t.k.DeregisterWorker({ worker_id: worker.id, drain: true });
    await t.k.refused.PollActivity('FAILED_PRECONDITION', worker.request());
  },
  'K-21 an OFFLINE worker may not poll, and is not answered in a hurry': async (t) => {
    const worker = await t.old_worker();
    await t.k.DeregisterWorker({ worker_id: worker.id });
    const begun = Date.now();
    await t.k.refused.PollActivity('FAILED_PRECONDITION', worker.request());
    holds(Date.now() - begun >= 500, 'a refusal held about a second', `${Date.now() - begun} ms`);
  },
  'K-22 an unknown worker may not poll': async (t) => {
    await t.k.refused.PollActivity('FAILED_PRECONDITION', { task_queue: 'q', worker_id: randomUUID(), namespace_id: t.ns, supported_workflow_types: ['W'] });
    await t.k.refused.PollActivity('INVALID_ARGUMENT', { task_queue: 'q', worker_id: 'x', namespace_id: t.ns, supported_workflow_types: ['W'] });
  },
  'K-23 a poll without types is an invalid argument': async (t) => {
    const worker = await t.old_worker();
    await t.k.refused.PollActivity('INVALID_ARGUMENT', { ...worker.request(), supported_workflow_types: [] });
  },
  'K-24 a poll of another queue or namespace than registered is refused': async (t) => {
    const worker = await t.old_worker();
    await t.k.refused.PollActivity('FAILED_PRECONDITION', { ...worker.request(), task_queue: 'other' });
    await t.k.refused.PollActivity('FAILED_PRECONDITION', { ...worker.request(), namespace_id: `${t.ns}-other` });
  },
  'K-25 a poll of types the worker did not register is refused': async (t) => {
    const worker = await t.old_worker();
    await t.k.refused.PollActivity('FAILED_PRECONDITION', { ...worker.request(), supported_workflow_types: ['Z'] });
  },
  'K-26 an older run of another type is neither taken nor in the way': async (t) => {
    const old = await t.old_start({ workflow_type: 'X' });
    const young = await t.old_start({ workflow_type: 'Y' });
    const worker = await t.old_worker({ workflow_types: ['X', 'Y'] });
    equal((await worker.only({ types: ['Y'] })).run_id, young, 'delivered');
    const run = await t.old_status(old, 'PENDING');
    equal([run.attempts, run.worker_id], [0, ''], 'the other run');
  },
  'K-27 a poll gets what is both registered and asked for': async (t) => {
    await t.old_start({ workflow_type: 'Z' });
    const mine = await t.old_start({ workflow_type: 'X' });
    const worker = await t.old_worker({ workflow_types: ['X', 'Y'] });
    equal((await worker.only({ types: ['Z', 'X'] })).run_id, mine, 'delivered');
    const next = worker.open({ types: ['Z', 'Y'] });
    await stays_open(next);
    next.cancel();
  },
  'K-28 an open poll gets a run that starts, at once': async (t) => {
    const worker = await t.old_worker();
    const took = [];
    for (let i = 0; i < ROUNDS; i += 1) {
      const call = worker.open();
      await stays_open(call, 300);
      const begun = Date.now();
      const run_id = await t.old_start({ input: json({ order: 9 }) });
      const got = (await call.done).value;
      took.push(Date.now() - begun);
      equal([got.run_id, got.workflow_type, got.workflow_input.toString()], [run_id, 'W', '{"order":9}'], 'delivered');
    }
    holds(Math.min(...took) < AT_ONCE_MS, 'well under 1 s', `${took} ms`);
  },
  'K-29 fifty runs go to ten workers, each once': async (t) => {
    const workers = await Promise.all(Array.from({ length: 10 }, () => t.old_worker()));
    const seen = [];
    const ids = Array.from({ length: 50 }, (_, i) => t.old_start({ workflow_id: `w${i}` }));
    await gather(workers, 50, seen);
    equal(seen.slice().sort(), (await Promise.all(ids)).sort(), 'delivered');
  },
  'K-30 a poll that finds nothing ends OK and empty': async (t) => {
    const worker = await t.old_worker();
    const got = (await t.k.full.PollActivity(worker.request(), { seconds: 70 })).value;
    equal([got.run_id, got.workflow_type, got.workflow_input.length], ['', '', 0], 'answer');
  },
  'K-31 a cancelled poll takes no run with it, however late it is cancelled': async (t) => {
    const [one, other] = [await t.old_worker(), await t.old_worker()];
    // Its heartbeats would tell the server what it lost; here the server has to know by itself.
    one.silence();
    for (let i = 0; i < 30; i += 1) {
      const call = one.open();
      await pause(i % 3 === 0 ? 60 : 5);
      call.cancel();
      const run_id = await t.old_start();
      const begun = Date.now();
      equal((await other.only()).run_id, run_id, `delivered to the other in round ${i}`);
      holds(Date.now() - begun < BUSY_MACHINE_MS, `at once in round ${i}`, `${Date.now() - begun} ms`);
      await other.complete(run_id);
      if (i % 5 === 0) await one.beat({ active_count: 1 });
    }
  },
  'K-32 runs are delivered oldest first': async (t) => {
    const ids = [await t.old_start(), await t.old_start(), await t.old_start()];
    const worker = await t.old_worker();
    const got = [];
    for (let i = 0; i < 3; i += 1) got.push((await worker.only()).run_id);
    equal(got, ids, 'order');
  },
  'K-55 a type limited to one has one run RUNNING, other types flow': async (t) => {
    const limit = { workflow_types: ['X', 'Y'], workflow_type_concurrency: [{ workflow_type: 'X', max_concurrent: 1 }] };
    const worker = await t.old_worker(limit);
    const limited = [await t.old_start({ workflow_type: 'X' }), await t.old_start({ workflow_type: 'X' })];
    const free = [await t.old_start({ workflow_type: 'Y' }), await t.old_start({ workflow_type: 'Y' })];
    const got = [];
    for (let i = 0; i < 3; i += 1) got.push((await worker.only()).run_id);
    equal(got.slice().sort(), [limited[0], ...free].sort(), 'delivered');
    const next = worker.open();
    await stays_open(next);
    await t.old_status(limited[1], 'PENDING');
    await worker.complete(limited[0]);
    equal((await next.done).value.run_id, limited[1], 'the second follows the first');
    const shown = (await t.k.GetWorker({ worker_id: worker.id })).worker.workflow_type_concurrency;
    equal(shown.map((each) => [each.workflow_type, each.max_concurrent]), [['X', 1]], 'shown');
  },
  'K-64 RecordHeartbeat is for the owner': async (t) => {
    const { worker, run_id } = await t.old_held();
    await t.k.RecordHeartbeat({ run_id, worker_id: worker.id });
    await t.k.refused.RecordHeartbeat('FAILED_PRECONDITION', { run_id, worker_id: randomUUID() });
    const unknown = randomUUID();
    equal((await t.k.refused.RecordHeartbeat('NOT_FOUND', { run_id: unknown, worker_id: worker.id })).subject_id, unknown, 'subject_id');
    await t.k.refused.RecordHeartbeat('INVALID_ARGUMENT', { run_id: 'x', worker_id: worker.id });
    await t.k.refused.RecordHeartbeat('INVALID_ARGUMENT', { run_id, worker_id: '' });
    const waiting = await t.old_start({ workflow_type: 'never polled' });
    await t.k.refused.RecordHeartbeat('FAILED_PRECONDITION', { run_id: waiting, worker_id: worker.id });
  },
  'K-68 a poll with its first two fields swapped is understood': async (t) => {
    const worker = await t.old_worker();
    const run_id = await t.old_start();
    const got = await t.ka.PollActivity({ worker_id: worker.id, task_queue: 'q', namespace_id: t.ns, supported_workflow_types: ['W'] });
    worker.note(got);
    equal(got.run_id, run_id, 'delivered');
  },
  'K-78 a queue limited to one has one run RUNNING': async (t) => {
    const worker = await t.old_worker({ queue_concurrency_limit: 1 });
    const ids = [await t.old_start(), await t.old_start()];
    equal((await worker.only()).run_id, ids[0], 'the first');
    const next = worker.open();
    await stays_open(next);
    await worker.complete(ids[0]);
    equal((await next.done).value.run_id, ids[1], 'the second');
    equal((await t.k.GetWorker({ worker_id: worker.id })).worker.queue_concurrency_limit, 1, 'shown');
  },
  'K-79 a worker is not handed more than max_concurrent': async (t) => {
    const worker = await t.old_worker({ max_concurrent: 1 });
    const ids = [await t.old_start(), await t.old_start()];
    equal((await worker.only()).run_id, ids[0], 'the first');
    await worker.complete(ids[0]);
    equal((await worker.only()).run_id, ids[1], 'the second, once there is room');
  },
};
