// K0: registration, heartbeats, drain, lists of workers.
'use strict';
const { UUID, equal, holds, json, millis, pause, until } = require('../check.cjs');
const { randomUUID, next_pid } = require('../actors.cjs');

const seen = async (t, worker_id) => (await t.k.GetWorker({ worker_id })).worker;

async function all_pages(t, request) {
  const ids = [];
  const totals = new Set();
  let page_token = '';
  for (let i = 0; i < 20; i += 1) {
    const page = await t.k.ListWorkers({ namespace_id: t.ns, ...request, page_token });
    ids.push(page.workers.map((worker) => worker.worker_id));
    totals.add(page.total_count);
    page_token = page.next_page_token;
    if (page_token === '') break;
  }
  return { ids, totals: [...totals] };
}

module.exports = {
  'K-11 a worker without workflow types is refused': async (t) => {
    await t.k.refused.RegisterWorker('INVALID_ARGUMENT', t.old_identity({ workflow_types: [] }));
    equal((await t.k.ListWorkers({ namespace_id: t.ns })).total_count, 0, 'workers');
  },
  'K-12 a registered worker is ONLINE and shown as it said': async (t) => {
    const identity = t.old_identity({ labels: { zone: 'a', tier: 'ü' }, workflow_types: ['A', 'B'], max_concurrent: 7 });
    const answer = await t.k.RegisterWorker(identity);
    holds(UUID.test(answer.worker_id), 'a UUID of the server', answer.worker_id);
    holds(answer.heartbeat_interval_secs >= 1, 'an interval of at least 1', answer.heartbeat_interval_secs);
    const worker = await seen(t, answer.worker_id);
    equal(worker.status, 'WORKER_STATUS_ONLINE', 'status');
    for (const field of ['namespace_id', 'task_queue', 'hostname', 'pid', 'version', 'labels', 'max_concurrent']) equal(worker[field], identity[field], field);
    equal(worker.workflow_types.slice().sort(), ['A', 'B'], 'workflow_types');
    equal([worker.active_count, worker.total_completed, worker.total_failed], [0, 0, 0], 'counts');
    holds(Math.abs(millis(worker.registered_at) - Date.now()) < 60000 && worker.last_heartbeat_at, 'times near now', worker);
    await t.k.DeregisterWorker({ worker_id: answer.worker_id });
  },
  'K-13 the same identity again is the same worker, one row': async (t) => {
    const identity = t.old_identity();
    const first = await t.k.RegisterWorker(identity);
    const second = await t.k.RegisterWorker(identity);
    equal(second.worker_id, first.worker_id, 'worker_id');
    equal((await t.k.ListWorkers({ namespace_id: t.ns })).total_count, 1, 'rows');
  },
  'K-14 max_concurrent 0 is 1': async (t) => {
    for (const max_concurrent of [0, -5]) {
      const { worker_id } = await t.k.RegisterWorker(t.old_identity({ max_concurrent }));
      equal((await seen(t, worker_id)).max_concurrent, 1, 'max_concurrent');
    }
  },
  'K-15 another pid, queue, host or namespace, or none at all, is another worker': async (t) => {
    const identity = t.old_identity();
    const others = [identity, { ...identity, pid: next_pid() }, { ...identity, hostname: 'other' }, { ...identity, task_queue: 'other' },
      { ...identity, namespace_id: `${t.ns}-b` }, { ...identity, hostname: '' }, { ...identity, hostname: '' }, { ...identity, pid: 0 }, { ...identity, pid: 0 }];
    const ids = [];
    for (const other of others) ids.push((await t.k.RegisterWorker(other)).worker_id);
    equal(new Set(ids).size, others.length, 'different ids');
  },
  'K-16 a worker id that is no UUID is an invalid argument': async (t) => {
    await t.k.refused.GetWorker('INVALID_ARGUMENT', { worker_id: 'x' });
    await t.k.refused.WorkerHeartbeat('INVALID_ARGUMENT', { worker_id: 'x' });
    await t.k.refused.DeregisterWorker('INVALID_ARGUMENT', { worker_id: 'x' });
  },
  'K-17 an unknown worker is not found': async (t) => {
    const worker_id = randomUUID();
    const detail = await t.k.refused.GetWorker('NOT_FOUND', { worker_id });
    equal([detail.subject, detail.subject_id], ['worker', worker_id], 'subject');
    await t.k.refused.WorkerHeartbeat('NOT_FOUND', { worker_id });
  },
  'K-18 heartbeats move the time and add their deltas, negative ones add nothing': async (t) => {
    const { worker_id } = await t.k.RegisterWorker(t.old_identity());
    const before = await seen(t, worker_id);
    equal(await t.k.WorkerHeartbeat({ worker_id, completed_delta: 3, failed_delta: 2 }), { accepted: true, should_drain: false }, 'answer');
    await t.k.WorkerHeartbeat({ worker_id, completed_delta: 4, failed_delta: -2 });
    await t.k.WorkerHeartbeat({ worker_id, completed_delta: -5, failed_delta: 0 });
    const after = await until(async () => { const now = await seen(t, worker_id); return now.total_completed >= 7 && now; }, 'totals of 7', 10);
    equal([after.total_completed, after.total_failed], [7, 2], 'totals');
    holds(millis(after.last_heartbeat_at) >= millis(before.last_heartbeat_at), 'a later heartbeat', after.last_heartbeat_at);
    await t.k.DeregisterWorker({ worker_id });
  },
  'K-19 a draining worker is told so at its next heartbeat': async (t) => {
    const worker = await t.old_worker();
    await t.k.DeregisterWorker({ worker_id: worker.id, drain: true });
    equal(await worker.beat(), { accepted: true, should_drain: true }, 'answer');
    equal((await seen(t, worker.id)).status, 'WORKER_STATUS_DRAINING', 'status');
  },
  'K-47 a silent worker is OFFLINE and its run goes to another': async (t) => {
    const { worker, run_id } = await t.old_held();
    worker.silence();
    const other = await t.old_worker();
    equal((await other.take(90)).run_id, run_id, 'delivered');
    const run = await t.old_status(run_id, 'RUNNING');
    equal([run.worker_id, run.attempts], [other.id, 2], 'worker and attempts, each claim counted once');
    const listed = await t.k.ListWorkers({ namespace_id: t.ns, filter_status: 'OFFLINE', page_size: 10 });
    equal(listed.workers.map((each) => each.worker_id), [worker.id], 'OFFLINE');
    await t.k.refused.WorkerHeartbeat('NOT_FOUND', { worker_id: worker.id });
  },
  'K-48 what the lost worker finished is remembered, and its late report of a step counts': async (t) => {
    const { worker, run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: 'a' });
    await t.k.CompleteStep({ run_id, step_id: 'a', output: json('one') });
    await t.k.BeginStep({ run_id, step_id: 'b' });
    worker.silence();
    const other = await t.old_worker();
    equal((await other.take(90)).run_id, run_id, 'delivered');
    const memo = await t.k.BeginStep({ run_id, step_id: 'a' });
    equal([memo.should_execute, memo.cached_result.toString()], [false, '"one"'], 'a');
    await t.k.CompleteStep({ run_id, step_id: 'b', output: json('late') });
    equal((await t.k.BeginStep({ run_id, step_id: 'b' })).cached_result.toString(), '"late"', 'b');
    await other.complete(run_id);
    await t.old_status(run_id, 'COMPLETED');
  },
  'K-49 a run that may be tried once fails with its worker': async (t) => {
    const { worker, run_id } = await t.old_held({ retry_policy: { maximum_attempts: 1 } });
    worker.silence();
    const run = await until(async () => { const now = await t.old_run(run_id); return now.finished_at && now; }, 'an end', 90);
    equal([run.status, run.attempts], ['WORKFLOW_STATUS_FAILED', 1], 'status and attempts');
    holds(/exhausted|stale|died/.test(run.error.message), 'a text that says why', run.error);
  },
  'K-51 a worker that twice says it runs nothing loses what it forgot': async (t) => {
    const { worker, run_id } = await t.old_held();
    worker.silence();
    await worker.beat({ active_count: 0 });
    await t.old_status(run_id, 'RUNNING');
    const other = await t.old_worker();
    const delivered = other.take(30);
    const beats = setInterval(() => worker.beat({ active_count: 0 }).catch(() => {}), 300);
    try {
      equal((await delivered).run_id, run_id, 'delivered to another');
    } finally {
      clearInterval(beats);
    }
    equal((await seen(t, worker.id)).status, 'WORKER_STATUS_ONLINE', 'the forgetful worker lives');
  },
  'K-72 pages of workers leave nobody out and count all': async (t) => {
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push((await t.old_worker({ task_queue: i < 3 ? 'q' : 'r' })).id);
    const { ids: pages, totals } = await all_pages(t, { page_size: 2 });
    equal(pages.map((page) => page.length), [2, 2, 1], 'pages');
    equal(pages.flat().sort(), ids.slice().sort(), 'every worker once');
    equal(totals, [5], 'total_count');
    equal((await t.k.ListWorkers({ namespace_id: t.ns, page_size: 0 })).workers.length, 5, 'size 0 is the default');
    const queue = await t.k.ListWorkers({ namespace_id: t.ns, task_queue: 'r', page_size: 10 });
    equal([queue.workers.map((worker) => worker.worker_id).sort(), queue.total_count], [ids.slice(3).sort(), 2], 'of queue r');
    await t.k.DeregisterWorker({ worker_id: ids[0], drain: true });
    for (const [word, count] of [['DRAINING', 1], ['ONLINE', 4], ['OFFLINE', 0], ['', 5], ['nonsense', 5]]) {
      const page = await t.k.ListWorkers({ namespace_id: t.ns, filter_status: word, page_size: 10 });
      equal([page.workers.length, page.total_count], [count, count], `filter ${word}`);
    }
    await t.k.refused.ListWorkers('INVALID_ARGUMENT', { namespace_id: t.ns, page_token: '!!' });
  },
  'K-73 deregistration is OK for whom nobody knows, and final': async (t) => {
    await t.k.DeregisterWorker({ worker_id: randomUUID() });
    const worker = await t.old_worker();
    await t.k.DeregisterWorker({ worker_id: worker.id, drain: false });
    const gone = await seen(t, worker.id);
    equal([gone.status, gone.active_count], ['WORKER_STATUS_OFFLINE', 0], 'gone');
    await t.k.refused.WorkerHeartbeat('NOT_FOUND', { worker_id: worker.id });
    const again = await t.k.RegisterWorker(worker.identity);
    equal((await seen(t, again.worker_id)).status, 'WORKER_STATUS_ONLINE', 'a new registration');
    await t.k.DeregisterWorker({ worker_id: again.worker_id });
  },
  'K-74 two registrations of one identity need two deregistrations': async (t) => {
    const worker = await t.old_worker();
    await t.k.RegisterWorker(worker.identity);
    await t.k.DeregisterWorker({ worker_id: worker.id });
    equal((await worker.beat()).accepted, true, 'it lives after the first');
    await t.k.DeregisterWorker({ worker_id: worker.id });
    equal((await seen(t, worker.id)).status, 'WORKER_STATUS_OFFLINE', 'after the second');
  },
  'K-80 a draining worker finishes what it holds': async (t) => {
    const { worker, run_id } = await t.old_held();
    await t.k.DeregisterWorker({ worker_id: worker.id, drain: true });
    await t.k.BeginStep({ run_id, step_id: 'last' });
    await t.k.CompleteStep({ run_id, step_id: 'last', output: json(1) });
    await worker.complete(run_id);
    await t.old_status(run_id, 'COMPLETED');
  },
  'K-85 steps keep the lease of a worker whose heartbeats stopped': async (t) => {
    const { worker, run_id } = await t.old_held();
    const every = (await t.k.RegisterWorker(worker.identity)).heartbeat_interval_secs;
    worker.silence();
    // Longer than a silent worker may live with the short settings; with the usual ones this shows less, and takes no longer.
    const end = Date.now() + Math.min(8, every * 6) * 1000;
    let step = 0;
    while (Date.now() < end) {
      step += 1;
      await t.k.BeginStep({ run_id, step_id: `s${step}` });
      await pause(250);
      await t.k.CompleteStep({ run_id, step_id: `s${step}`, output: json(step) });
    }
    const run = await t.old_status(run_id, 'RUNNING');
    equal([run.worker_id, run.attempts], [worker.id, 1], 'worker and attempts');
    await worker.complete(run_id);
  },
  'K-86 active_count is what the worker holds': async (t) => {
    const { worker, run_id } = await t.old_held();
    equal((await seen(t, worker.id)).active_count, 1, 'while it runs');
    await worker.complete(run_id);
    await until(async () => (await seen(t, worker.id)).active_count === 0, 'active_count 0', 10);
    // A cluster writes these counts down together now and then, a moment after the ends they count.
    await until(async () => (await seen(t, worker.id)).total_completed === 1, 'total_completed 1, counted by the server', 10);
  },
};
