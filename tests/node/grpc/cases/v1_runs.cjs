// V1: starting, reading, listing and ending runs.
'use strict';
const { UUID, equal, holds, json, millis, timestamp, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const start = (t, more) => ({ namespace: t.ns, external_id: randomUUID(), task_queue: 'q', workflow_type: 'W', ...more });
const list = (t, more) => t.v.ListWorkflows({ namespace: t.ns, ...more });
const ids = async (t, more) => (await list(t, more)).workflows.map((run) => run.run_id);

module.exports = {
  'V-01 queue, type and namespace are required, an empty external id is made up': async (t) => {
    for (const field of ['task_queue', 'workflow_type', 'namespace']) await t.v.refused.StartWorkflow('INVALID_ARGUMENT', start(t, { [field]: '' }));
    equal((await list(t, {})).workflows, [], 'runs');
    const one = await t.started({ external_id: '' });
    const two = await t.started({ external_id: '' });
    holds(one.run_id !== two.run_id && !one.already_exists && !two.already_exists, 'two runs', [one, two]);
    holds((await t.run(one.run_id)).external_id !== '', 'an external id', 'none');
  },
  'V-02 errors carry the numbers of this dialect': async (t) => {
    const run_id = randomUUID();
    const missing = await t.v.refused.GetWorkflow('NOT_FOUND', { namespace: t.ns, run_id });
    equal([missing.code, missing.subject, missing.subject_id], ['ERROR_CODE_NOT_FOUND', 'workflow_run', run_id], 'NOT_FOUND is 1');
    const worker = await t.worker();
    await t.w.Deregister({ worker_id: worker.id });
    equal((await t.w.refused.PollTask('FAILED_PRECONDITION', worker.request())).code, 'ERROR_CODE_PRECONDITION_FAILED', 'PRECONDITION_FAILED is 3');
    equal((await t.v.refused.GetWorkflow('INVALID_ARGUMENT', { namespace: t.ns, run_id: 'x' })).code, 'ERROR_CODE_INVALID_ARGUMENT', 'INVALID_ARGUMENT is 2');
    await t.v.refused.GetWorkflow('NOT_FOUND', { namespace: `${t.ns}-other`, run_id: await t.start() });
  },
  'V-03 a second start of an active external id gives the first run': async (t) => {
    const first = await t.started({ external_id: 'order' });
    holds(UUID.test(first.run_id) && first.already_exists === false, 'a new run', first);
    equal(await t.started({ external_id: 'order', workflow_type: 'Other' }), { run_id: first.run_id, already_exists: true }, 'second');
    const all = await Promise.all(Array.from({ length: 20 }, () => t.started({ external_id: 'race' })));
    equal([new Set(all.map((each) => each.run_id)).size, all.filter((each) => !each.already_exists).length], [1, 1], 'of twenty at once: ids and new ones');
    holds((await t.started({ external_id: 'order', namespace: `${t.ns}-b` })).run_id !== first.run_id, 'another run in another namespace', first);
  },
  'V-04 a finished run does not block its external id': async (t) => {
    const { worker, run_id } = await t.held({ external_id: 'order' });
    await worker.complete(run_id);
    const next = await t.started({ external_id: 'order' });
    holds(next.run_id !== run_id && next.already_exists === false, 'a new run', next);
    await t.v.CancelWorkflow({ namespace: t.ns, run_id: next.run_id });
    equal((await t.started({ external_id: 'order' })).already_exists, false, 'after a cancelled one');
  },
  'V-05 3 MiB of input are refused, 512 KiB are not': async (t) => {
    await t.v.refused.StartWorkflow('INVALID_ARGUMENT', start(t, { input: { data: Buffer.alloc(3 << 20, 7) } }));
    equal((await list(t, {})).workflows, [], 'runs');
    const run_id = await t.start({ input: { data: Buffer.alloc(512 << 10, 7) } });
    const got = await (await t.worker()).take();
    equal([got.run_id, got.input.data.length, got.input.data[1]], [run_id, 512 << 10, 7], 'delivered');
  },
  'V-24 a run is cancelled once': async (t) => {
    const run_id = await t.start();
    equal(await t.v.CancelWorkflow({ namespace: t.ns, run_id }), { cancelled: true, status: 'WORKFLOW_STATUS_CANCELLED' }, 'answer');
    await t.v.refused.CancelWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id });
    await t.v.refused.CancelWorkflow('NOT_FOUND', { namespace: t.ns, run_id: randomUUID() });
    await t.v.refused.CancelWorkflow('INVALID_ARGUMENT', { namespace: t.ns, run_id: 'x' });
    const { worker, run_id: running } = await t.held();
    await t.v.CancelWorkflow({ namespace: t.ns, run_id: running });
    await t.w.refused.CompleteWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id: running, output: { data: json(1) } });
    await t.status(running, 'CANCELLED');
    await worker.beat();
  },
  'V-25 a run is completed or failed by its worker, once': async (t) => {
    const { worker, run_id } = await t.held();
    equal(await worker.complete(run_id, { ok: 1 }), { status: 'WORKFLOW_STATUS_COMPLETED' }, 'answer');
    const run = await t.status(run_id, 'COMPLETED');
    equal([run.output.data.toString(), run.error || null, run.worker_id || ''], ['{"ok":1}', null, ''], 'run');
    holds(run.finished_at && run.started_at, 'times', run);
    const method = { CompleteWorkflow: { output: { data: json(1) } }, FailWorkflow: { error: { message: 'x' } } };
    for (const [name, more] of Object.entries(method)) {
      await t.w.refused[name]('FAILED_PRECONDITION', { namespace: t.ns, run_id, ...more });
      await t.w.refused[name]('NOT_FOUND', { namespace: t.ns, run_id: randomUUID(), ...more });
      await t.w.refused[name]('INVALID_ARGUMENT', { namespace: t.ns, run_id: 'x', ...more });
    }
    const failing = await t.start();
    equal((await worker.take()).run_id, failing, 'delivered');
    equal(await t.w.FailWorkflow({ namespace: t.ns, run_id: failing, error: { code: 'ERROR_CODE_INTERNAL', message: 'no stock' } }), { status: 'WORKFLOW_STATUS_FAILED' }, 'answer');
    equal((await t.status(failing, 'FAILED')).error.message, 'no stock', 'error');
    equal((await t.status(run_id, 'COMPLETED')).output.data.toString(), '{"ok":1}', 'the output stays');
  },
  'V-37 every filter of the list works, and pages add up': async (t) => {
    const before = Date.now();
    const runs = [];
    for (let i = 0; i < 7; i += 1) runs.push(await t.start({ workflow_type: i < 3 ? 'A' : 'B', task_queue: i < 5 ? 'q' : 'r' }));
    await t.v.CancelWorkflow({ namespace: t.ns, run_id: runs[0] });
    equal((await ids(t, { workflow_type: 'A' })).sort(), runs.slice(0, 3).sort(), 'workflow_type');
    equal((await ids(t, { task_queue: 'r' })).sort(), runs.slice(5).sort(), 'task_queue');
    equal(await ids(t, { status_filter: 'WORKFLOW_STATUS_CANCELLED' }), [runs[0]], 'CANCELLED');
    equal((await ids(t, { status_filter: 'WORKFLOW_STATUS_PENDING', workflow_type: 'A' })).sort(), runs.slice(1, 3).sort(), 'PENDING of type A');
    equal(await ids(t, { status_filter: 'WORKFLOW_STATUS_SCHEDULED' }), [], 'SCHEDULED');
    equal((await ids(t, { created_after: timestamp(before - 5000) })).length, 7, 'created_after');
    equal(await ids(t, { created_after: timestamp(Date.now() + 60000) }), [], 'created_after the future');
    equal(await ids(t, { created_before: timestamp(before - 5000) }), [], 'created_before');
    await t.v.refused.ListWorkflows('INVALID_ARGUMENT', { namespace: t.ns, status_filter: 99 });
    await t.v.refused.ListWorkflows('INVALID_ARGUMENT', { namespace: t.ns, page: { page_token: '!!' } });
    const pages = [];
    let page_token = '';
    do {
      const answer = await list(t, { page: { page_size: 3, page_token, include_total_count: true } });
      pages.push(answer);
      page_token = answer.page.has_more ? answer.page.next_page_token : '';
    } while (page_token !== '' && pages.length < 5);
    equal(pages.map((answer) => [answer.workflows.length, answer.page.has_more, answer.page.total_count]), [[3, true, 7], [3, true, 7], [1, false, 7]], 'pages');
    const seen = pages.flatMap((answer) => answer.workflows);
    equal(seen.map((run) => run.run_id).sort(), runs.slice().sort(), 'every run once');
    holds(seen.every((run, i) => i === 0 || millis(seen[i - 1].created_at) >= millis(run.created_at)), 'newest first', 'another order');
  },
  'V-38 a finished run can be retried as a new one, an active one already runs': async (t) => {
    const { worker, run_id } = await t.held({ input: { data: json({ n: 5 }) }, version: '4' });
    equal((await t.v.RetryWorkflow({ namespace: t.ns, run_id })).already_running, true, 'while it runs');
    await t.w.FailWorkflow({ namespace: t.ns, run_id, error: { message: 'x' } });
    worker.held.delete(run_id);
    const call = worker.open();
    const answer = await t.v.RetryWorkflow({ namespace: t.ns, run_id });
    equal(answer.already_running, false, 'already_running');
    const got = (await call.done).value;
    equal([got.run_id, got.input.data.toString()], [answer.new_run_id, '{"n":5}'], 'delivered to the open poll');
    await t.status(run_id, 'FAILED');
    const again = await t.v.RetryWorkflow({ namespace: t.ns, run_id });
    holds(again.new_run_id !== run_id, 'a second retry is answered, not broken', again);
    await t.v.refused.RetryWorkflow('NOT_FOUND', { namespace: t.ns, run_id: randomUUID() });
  },
  'V-39 a run is terminated in every unfinished state, with the reason': async (t) => {
    const pending = await t.start({ workflow_type: 'never polled' });
    const { run_id: running } = await t.held();
    for (const [run_id, reason] of [[pending, 'no longer needed'], [running, '']]) {
      equal(await t.v.TerminateWorkflow({ namespace: t.ns, run_id, reason }), { terminated: true, status: 'WORKFLOW_STATUS_FAILED' }, 'answer');
      const run = await t.status(run_id, 'FAILED');
      holds(run.error && run.error.message.includes(reason), `an error with "${reason}"`, run.error);
    }
    await t.v.refused.TerminateWorkflow('NOT_FOUND', { namespace: t.ns, run_id: randomUUID() });
    await t.w.refused.CompleteWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id: running, output: { data: json(1) } });
  },
  'V-40 a run is found by its external id': async (t) => {
    const run_id = await t.start({ external_id: 'order/1 ü' });
    const { workflow } = await t.v.GetWorkflowByExternalId({ namespace: t.ns, external_id: 'order/1 ü' });
    equal([workflow.run_id, workflow.external_id], [run_id, 'order/1 ü'], 'found');
    await t.v.refused.GetWorkflowByExternalId('NOT_FOUND', { namespace: t.ns, external_id: 'none' });
    await t.v.refused.GetWorkflowByExternalId('NOT_FOUND', { namespace: `${t.ns}-other`, external_id: 'order/1 ü' });
  },
  'V-42 payloads are bytes and come back as they went': async (t) => {
    const data = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    const { worker, run_id } = await t.held({ input: { data, metadata: { encoding: 'raw' } } });
    const run = await t.run(run_id);
    equal([run.input.data, run.input.metadata], [data, { encoding: 'raw' }], 'input');
    const begun = await t.w.BeginStep({ namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION' });
    await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: begun.step_id, output: { data } });
    equal((await t.w.BeginStep({ namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION' })).cached_output.data, data, 'cached_output');
    await t.w.CompleteWorkflow({ namespace: t.ns, run_id, output: { data } });
    worker.held.delete(run_id);
    equal((await t.run(run_id)).output.data, data, 'output');
    const empty = await t.start({ input: null });
    equal((await worker.take()).run_id, empty, 'a run without input is delivered');
  },
  'V-46 an empty namespace is refused, there is no default': async (t) => {
    const id = randomUUID();
    await t.v.refused.GetWorkflow('INVALID_ARGUMENT', { run_id: id });
    await t.v.refused.ListWorkflows('INVALID_ARGUMENT', {});
    await t.v.refused.CancelWorkflow('INVALID_ARGUMENT', { run_id: id });
    await t.v.refused.RetryWorkflow('INVALID_ARGUMENT', { run_id: id });
    await t.v.refused.GetWorkflowByExternalId('INVALID_ARGUMENT', { external_id: 'x' });
    await t.w.refused.Register('INVALID_ARGUMENT', t.identity({ namespace: '' }));
    await t.s.refused.CreateWorkflowSchedule('INVALID_ARGUMENT', { task_queue: 'q', workflow_type: 'W', cron_expr: '0 0 0 1 1 *' });
    await t.s.refused.GetWorkflowSchedule('INVALID_ARGUMENT', { schedule_id: id });
    await t.s.refused.ListWorkflowSchedules('INVALID_ARGUMENT', {});
    await t.a.refused.ListWorkers('INVALID_ARGUMENT', {});
    await t.a.refused.GetQueueDepth('INVALID_ARGUMENT', {});
    await t.n.refused.GetNamespace('INVALID_ARGUMENT', {});
  },
  'V-53 a fresh run is shown as it was started': async (t) => {
    const run_id = await t.start({ external_id: 'e', version: '' });
    const run = await t.status(run_id, 'PENDING');
    equal([run.namespace, run.run_id, run.external_id, run.task_queue, run.workflow_type, run.version, run.attempts], [t.ns, run_id, 'e', 'q', 'W', '1', 0], 'run');
    for (const field of ['started_at', 'finished_at', 'error', 'schedule_id', 'worker_id', 'parent_run_id']) holds(!run[field], `no ${field}`, run[field]);
    const worker = await t.worker();
    await worker.take();
    const running = await until(async () => { const now = await t.run(run_id); return now.worker_id && now; }, 'a worker', 5);
    equal([running.status, running.worker_id, running.attempts], ['WORKFLOW_STATUS_RUNNING', worker.id, 1], 'running');
  },
};
