// V1: workers and polls.
'use strict';
const { UUID, equal, holds, json, pause, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const seen = async (t, worker_id) => (await t.a.GetWorker({ worker_id })).worker;

module.exports = {
  'V-06 a worker registers in a namespace nobody has seen': async (t) => {
    const answer = await t.w.Register(t.identity());
    holds(UUID.test(answer.worker_id) && answer.heartbeat_interval_secs >= 1, 'an id and an interval', answer);
    equal((await t.n.GetNamespace({ namespace: t.ns })).namespace.namespace, t.ns, 'the namespace is there');
    await t.w.Deregister({ worker_id: answer.worker_id });
  },
  'V-07 the same identity again is the same worker': async (t) => {
    const identity = t.identity({ labels: { zone: 'b' } });
    const first = await t.w.Register(identity);
    equal((await t.w.Register(identity)).worker_id, first.worker_id, 'worker_id');
    const worker = await seen(t, first.worker_id);
    equal([worker.status, worker.hostname, worker.pid, worker.version, worker.labels, worker.workflow_types],
      ['WORKER_STATUS_ONLINE', 'host', identity.pid, '1.0.0', { zone: 'b' }, ['W']], 'worker');
    await t.w.refused.Register('INVALID_ARGUMENT', t.identity({ workflow_types: [] }));
    const ids = [];
    for (let i = 0; i < 2; i += 1) ids.push((await t.w.Register(t.identity({ hostname: '', pid: 0 }))).worker_id);
    holds(ids[0] !== ids[1], 'no identity, no collision', ids);
  },
  'V-08 an unknown worker may not poll': async (t) => {
    const request = { namespace: t.ns, worker_id: randomUUID(), task_queue: 'q', workflow_types: ['W'] };
    await t.w.refused.PollTask('FAILED_PRECONDITION', request);
    await t.w.refused.PollTask('INVALID_ARGUMENT', { ...request, worker_id: 'x' });
    const worker = await t.worker();
    await t.w.refused.PollTask('INVALID_ARGUMENT', { ...worker.request(), workflow_types: [] });
    await t.w.refused.PollTask('FAILED_PRECONDITION', { ...worker.request(), workflow_types: ['Z'] });
    await t.w.refused.PollTask('FAILED_PRECONDITION', { ...worker.request(), namespace: `${t.ns}-other` });
  },
  'V-09 two workers of two types get their own': async (t) => {
    const a = await t.start({ workflow_type: 'A' });
    const b = await t.start({ workflow_type: 'B' });
    const of_b = await t.worker({ workflow_types: ['B'] });
    const of_a = await t.worker({ workflow_types: ['A'] });
    equal([(await of_b.take()).run_id, (await of_a.take()).run_id], [b, a], 'delivered');
  },
  'V-10 a poll that finds nothing ends OK and empty': async (t) => {
    const got = await (await t.worker()).poll();
    equal([got.run_id, got.workflow_type, got.input ? got.input.data.length : 0], ['', '', 0], 'answer');
  },
  'V-21 a heartbeat of nobody is not found': async (t) => {
    const worker_id = randomUUID();
    const detail = await t.w.refused.Heartbeat('NOT_FOUND', { worker_id });
    equal([detail.subject, detail.subject_id], ['worker', worker_id], 'subject');
    await t.w.refused.Heartbeat('INVALID_ARGUMENT', { worker_id: 'x' });
  },
  'V-22 deregistration answers the drain and is final': async (t) => {
    const worker = await t.worker();
    equal(await worker.beat(), { accepted: true, should_drain: false }, 'heartbeat');
    equal(await t.w.Deregister({ worker_id: worker.id, drain: true }), { drained: true }, 'drain');
    equal(await worker.beat(), { accepted: true, should_drain: true }, 'heartbeat while draining');
    await t.w.refused.PollTask('FAILED_PRECONDITION', worker.request());
    equal(await t.w.Deregister({ worker_id: worker.id, drain: false }), { drained: false }, 'leave');
    await t.w.refused.Heartbeat('NOT_FOUND', { worker_id: worker.id });
    await t.w.refused.Deregister('NOT_FOUND', { worker_id: randomUUID() });
  },
  'V-23 a worker that an operator drains is told so': async (t) => {
    const worker = await t.worker();
    equal((await t.a.DrainWorker({ worker_id: worker.id })).success, true, 'success');
    equal(await worker.beat(), { accepted: true, should_drain: true }, 'heartbeat');
    equal((await seen(t, worker.id)).status, 'WORKER_STATUS_DRAINING', 'status');
  },
  'V-43 a run of a worker that died goes to another, or fails as exhausted': async (t) => {
    const lasting = await t.held();
    const brief = await t.held({ workflow_type: 'Once', retry_policy: { maximum_attempts: 1 } }, { workflow_types: ['Once'] });
    await lasting.worker.step(lasting.run_id, 'a', 1);
    lasting.worker.silence();
    brief.worker.silence();
    const other = await t.worker();
    equal((await other.take(90)).run_id, lasting.run_id, 'delivered');
    const run = await t.status(lasting.run_id, 'RUNNING');
    equal([run.worker_id, run.attempts], [other.id, 2], 'worker and attempts');
    equal((await other.step(lasting.run_id, 'a', 2)).should_execute, false, 'its step is remembered');
    const failed = await until(async () => { const now = await t.run(brief.run_id); return now.finished_at && now; }, 'an end', 90);
    equal(failed.status, 'WORKFLOW_STATUS_FAILED', 'status');
    holds(/exhausted|stale/.test(failed.error.message), 'a text that says why', failed.error);
    const offline = await t.a.ListWorkers({ namespace: t.ns, status_filter: 'WORKER_STATUS_OFFLINE' });
    holds(offline.workers.some((worker) => worker.worker_id === lasting.worker.id), 'the dead one is OFFLINE', offline.workers.length);
  },
  'V-44 runs queued under the name of a type the worker offers are found': async (t) => {
    const worker = await t.worker({ task_queue: 'A', workflow_types: ['A', 'B'] });
    const b = await t.start({ task_queue: 'B', workflow_type: 'B' });
    equal((await worker.take()).run_id, b, 'delivered');
  },
  'V-45 a burst of fifty runs is delivered without doubles': async (t) => {
    const workers = await Promise.all(Array.from({ length: 5 }, () => t.worker()));
    const ids = Promise.all(Array.from({ length: 50 }, () => t.start()));
    const got = [];
    let open = [];
    const loops = workers.map(async (worker) => {
      while (got.length < 50) {
        const call = worker.open();
        open.push(call);
        const answer = await call.done.then((each) => each.value, () => ({ run_id: '' }));
        if (answer.run_id === '') continue;
        got.push(answer.run_id);
        await worker.complete(answer.run_id);
      }
    });
    await until(() => got.length >= 50, 'fifty deliveries', 30);
    for (const call of open.splice(0)) call.cancel();
    open = [];
    equal(got.slice().sort(), (await ids).sort(), 'delivered');
    await Promise.all(loops);
    const stats = await t.a.GetStats({ namespace: t.ns });
    equal(stats.completed_workflows, 50, 'completed');
  },
  'V-47 a stale fence is refused': async (t) => {
    const { worker, run_id } = await t.held({ workflow_type: 'W' });
    await worker.complete(run_id);
    const next = await t.start();
    const answer = await worker.open().done;
    equal(answer.value.run_id, next, 'delivered');
    await until(() => answer.trailers, 'trailers', 5);
    const fence = Number(answer.trailers['muster-fence']);
    holds(Number.isInteger(fence) && fence > 0 && answer.trailers['muster-attempt'] === '1', 'muster-fence and muster-attempt', answer.trailers);
    const begin = { namespace: t.ns, run_id: next, step_name: 'a', kind: 'STEP_KIND_FUNCTION' };
    await t.w.refused.BeginStep('FAILED_PRECONDITION', begin, { metadata: { 'muster-fence': String(fence + 1000) } });
    await t.w.refused.BeginStep('INVALID_ARGUMENT', begin, { metadata: { 'muster-fence': 'seven' } });
    equal((await t.w.BeginStep(begin, { metadata: { 'muster-fence': String(fence) } })).should_execute, true, 'with the right one');
    await t.w.refused.CompleteWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id: next, output: { data: json(1) } }, { metadata: { 'muster-fence': '1' } });
    await t.status(next, 'RUNNING');
  },
  'V-48 a heartbeat that names its runs is told which are cancelled': async (t) => {
    const one = await t.start();
    const worker = await t.worker();
    const answer = await worker.open().done;
    equal(answer.value.run_id, one, 'delivered');
    await until(() => answer.trailers, 'trailers', 5);
    const held = `${one}:${answer.trailers['muster-fence']}`;
    const asked = () => t.w.full.Heartbeat({ worker_id: worker.id }, { metadata: { 'muster-runs': held } });
    equal((await asked()).trailers['muster-cancelled'] || '', '', 'before');
    await t.v.CancelWorkflow({ namespace: t.ns, run_id: one });
    equal((await asked()).trailers['muster-cancelled'], one, 'after');
    equal((await t.w.full.Heartbeat({ worker_id: worker.id })).trailers['muster-cancelled'], undefined, 'only when it asks');
  },
  'V-51 workers are listed, filtered and counted': async (t) => {
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.push((await t.worker({ task_queue: i === 2 ? 'r' : 'q' })).id);
    const listed = async (more) => (await t.a.ListWorkers({ namespace: t.ns, ...more })).workers.map((worker) => worker.worker_id).sort();
    equal(await listed({}), ids.slice().sort(), 'all');
    equal(await listed({ task_queue: 'r' }), [ids[2]], 'of queue r');
    await t.a.DrainWorker({ worker_id: ids[0] });
    equal(await listed({ status_filter: 'WORKER_STATUS_DRAINING' }), [ids[0]], 'DRAINING');
    const page = await t.a.ListWorkers({ namespace: t.ns, page: { page_size: 2, include_total_count: true } });
    equal([page.workers.length, page.page.has_more, page.page.total_count], [2, true, 3], 'first page');
    const rest = await t.a.ListWorkers({ namespace: t.ns, page: { page_size: 2, page_token: page.page.next_page_token } });
    equal(page.workers.concat(rest.workers).map((worker) => worker.worker_id).sort(), ids.slice().sort(), 'both pages');
    await t.a.refused.GetWorker('NOT_FOUND', { worker_id: randomUUID() });
    await t.a.refused.GetWorker('INVALID_ARGUMENT', { worker_id: 'x' });
    await t.a.refused.DrainWorker('NOT_FOUND', { worker_id: randomUUID() });
  },
  'V-52 an open poll gets a run at once, and a cancelled one takes none': async (t) => {
    const [one, other] = [await t.worker(), await t.worker()];
    const took = [];
    for (let i = 0; i < 3; i += 1) {
      const call = one.open();
      await pause(200);
      const begun = Date.now();
      const run_id = await t.start();
      equal((await call.done).value.run_id, run_id, 'delivered');
      took.push(Date.now() - begun);
    }
    holds(Math.min(...took) < 1000, 'at once, the best of three', `${took} ms`);
    for (let i = 0; i < 20; i += 1) {
      const dropped = one.open();
      await pause(i % 3 === 0 ? 60 : 5);
      dropped.cancel();
      const next = await t.start();
      equal((await other.only()).run_id, next, `delivered to the other in round ${i}`);
      await other.complete(next);
    }
  },
};
