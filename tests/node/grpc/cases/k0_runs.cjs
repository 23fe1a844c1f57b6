// K0: starting, reading, listing, ending and cancelling runs.
'use strict';
const { UUID, equal, holds, json, millis, parsed, timestamp, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const BIG = (bytes) => Buffer.from(JSON.stringify('x'.repeat(bytes - 2)));

module.exports = {
  'K-01 a run id that is no UUID is an invalid argument': async (t) => {
    await t.k.refused.GetWorkflowRun('INVALID_ARGUMENT', { run_id: 'not-a-uuid', namespace_id: t.ns });
  },
  'K-02 its details are an ErrorDetail with code 2, not to be retried': async (t) => {
    const detail = await t.k.refused.GetWorkflowRun('INVALID_ARGUMENT', { run_id: 'not-a-uuid', namespace_id: t.ns });
    equal([detail.code, detail.non_retryable, detail.retry_after_ms], ['ERROR_CODE_INVALID_ARGUMENT', true, 0], 'details');
  },
  'K-03 an unknown run is not found, and the details name it': async (t) => {
    const run_id = randomUUID();
    const detail = await t.k.refused.GetWorkflowRun('NOT_FOUND', { run_id, namespace_id: t.ns });
    equal([detail.subject, detail.subject_id], ['workflow_run', run_id], 'subject');
  },
  'K-04 a run of another namespace is not found': async (t) => {
    const run_id = await t.old_start();
    await t.k.refused.GetWorkflowRun('NOT_FOUND', { run_id, namespace_id: `${t.ns}-other` });
    await t.k.refused.GetWorkflowRun('NOT_FOUND', { run_id, namespace_id: '' });
  },
  'K-05 input that is no JSON is refused and starts nothing': async (t) => {
    for (const input of ['{bad', '{"a":1} x', "{'a':1}", 'NaN', '[1,]', '"\xff', '\u0000']) {
      const bytes = Buffer.from(input, 'latin1');
      await t.k.refused.StartWorkflow('INVALID_ARGUMENT', { workflow_id: 'w', task_queue: 'q', workflow_type: 'W', namespace_id: t.ns, input: bytes });
    }
    equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns })).workflow_runs, [], 'runs');
  },
  'K-06 context that is no JSON is refused and starts nothing': async (t) => {
    await t.k.refused.StartWorkflow('INVALID_ARGUMENT', { workflow_id: 'w', task_queue: 'q', workflow_type: 'W', namespace_id: t.ns, context: Buffer.from('{bad') });
    equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns })).workflow_runs, [], 'runs');
  },
  'K-07 a fresh run is PENDING, version "1", attempts 0': async (t) => {
    const run_id = await t.old_start({ version: '' });
    holds(UUID.test(run_id), 'a lower-case UUID', run_id);
    const run = await t.old_status(run_id, 'PENDING');
    equal([run.run_id, run.version, run.attempts, run.namespace_id], [run_id, '1', 0, t.ns], 'run');
    equal([run.business_id, run.task_queue, run.workflow_type], ['order-1', 'q', 'W'], 'names');
  },
  'K-08 an idempotency key gives the same run, also after completion': async (t) => {
    const first = await t.old_start({ idempotency_key: 'key' });
    equal(await t.old_start({ idempotency_key: 'key', input: json('other') }), first, 'second start');
    const worker = await t.old_worker();
    await worker.complete((await worker.take()).run_id);
    equal(await t.old_start({ idempotency_key: 'key' }), first, 'start after completion');
    equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns })).workflow_runs.length, 1, 'runs');
  },
  'K-09 twenty starts of one key at the same time give one run': async (t) => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => t.old_start({ idempotency_key: 'race' })));
    equal(new Set(ids).size, 1, 'different ids');
  },
  'K-10 one key in two namespaces gives two runs': async (t) => {
    const here = await t.old_start({ idempotency_key: 'key' });
    const there = await t.old_start({ idempotency_key: 'key', namespace_id: `${t.ns}-b` });
    holds(here !== there, 'different ids', here);
  },
  'K-43 a completed run has its output, an end, and no worker': async (t) => {
    const { worker, run_id } = await t.old_held();
    await worker.complete(run_id, { sum: 3, list: [1, 'ü', null] });
    const run = await t.old_status(run_id, 'COMPLETED');
    equal(parsed(run.output), { sum: 3, list: [1, 'ü', null] }, 'output');
    equal(run.worker_id, '', 'worker_id');
    holds(run.finished_at && run.started_at && millis(run.finished_at) >= millis(run.started_at), 'started_at and finished_at', run);
  },
  'K-44 PENDING, RUNNING and SLEEPING runs can be cancelled': async (t) => {
    const pending = await t.old_start({ workflow_type: 'never polled' });
    await t.k.CancelWorkflowRun({ run_id: pending, namespace_id: t.ns });
    const { worker, run_id: running } = await t.old_held();
    await t.k.CancelWorkflowRun({ run_id: running, namespace_id: t.ns });
    const sleeping = await t.old_start();
    equal((await worker.take()).run_id, sleeping, 'delivered');
    await t.k.ScheduleSleep({ run_id: sleeping, duration_seconds: 3600 });
    await t.old_status(sleeping, 'SLEEPING');
    await t.k.CancelWorkflowRun({ run_id: sleeping, namespace_id: t.ns });
    for (const run_id of [pending, running, sleeping]) {
      const run = await t.old_status(run_id, 'CANCELLED');
      holds(run.finished_at && run.worker_id === '', 'finished_at and no worker', run);
    }
  },
  'K-45 what cannot be cancelled is refused': async (t) => {
    const run_id = await t.old_start();
    await t.k.refused.CancelWorkflowRun('NOT_FOUND', { run_id, namespace_id: `${t.ns}-other` });
    await t.k.CancelWorkflowRun({ run_id, namespace_id: t.ns });
    await t.k.refused.CancelWorkflowRun('FAILED_PRECONDITION', { run_id, namespace_id: t.ns });
    const unknown = randomUUID();
    equal((await t.k.refused.CancelWorkflowRun('NOT_FOUND', { run_id: unknown, namespace_id: t.ns })).subject_id, unknown, 'subject_id');
    await t.k.refused.CancelWorkflowRun('INVALID_ARGUMENT', { run_id: 'x', namespace_id: t.ns });
    const { worker, run_id: done } = await t.old_held();
    await worker.complete(done);
    await t.k.refused.CancelWorkflowRun('FAILED_PRECONDITION', { run_id: done, namespace_id: t.ns });
    await t.old_status(done, 'COMPLETED');
  },
  'K-46 a report after the cancel changes nothing': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.CancelWorkflowRun({ run_id, namespace_id: t.ns });
    await t.k.refused.CompleteWorkflow('FAILED_PRECONDITION', { run_id, output: json('late') });
    await t.k.refused.FailWorkflow('FAILED_PRECONDITION', { run_id, error: { message: 'late' } });
    const run = await t.old_status(run_id, 'CANCELLED');
    equal(run.output.length, 0, 'bytes of output');
  },
  'K-52 a page token that is none is an invalid argument': async (t) => {
    await t.old_start();
    for (const page_token of ['!!', 'aGVsbG8=', 'x'.repeat(5000)]) await t.k.refused.ListWorkflowRuns('INVALID_ARGUMENT', { namespace_id: t.ns, page_token });
  },
  'K-53 twenty-five runs are 10, 10 and 5, newest first, each once': async (t) => {
    const ids = [];
    for (let i = 0; i < 25; i += 1) ids.push(await t.old_start());
    const pages = [];
    let page_token = '';
    do {
      const page = await t.k.ListWorkflowRuns({ namespace_id: t.ns, page_size: 10, page_token });
      pages.push(page);
      holds((page.next_page_token !== '') === page.has_more, 'a token exactly when there is more', page.next_page_token);
      equal(page.prev_page_token, '', 'prev_page_token');
      page_token = page.next_page_token;
    } while (page_token !== '' && pages.length < 5);
    equal(pages.map((page) => [page.workflow_runs.length, page.has_more]), [[10, true], [10, true], [5, false]], 'pages');
    const seen = pages.flatMap((page) => page.workflow_runs);
    equal(seen.map((run) => run.run_id).sort(), ids.slice().sort(), 'every run once');
    holds(seen.every((run, i) => i === 0 || millis(seen[i - 1].created_at) >= millis(run.created_at)), 'newest first', 'another order');
  },
  'K-54 the list is filtered by the bare word, and sizes have their defaults': async (t) => {
    for (let i = 0; i < 22; i += 1) await t.old_start();
    const { worker, run_id } = await t.old_held({ workflow_type: 'Other' }, { workflow_types: ['Other'] });
    await worker.complete(run_id);
    const ids = async (filter_status) => (await t.k.ListWorkflowRuns({ namespace_id: t.ns, filter_status, page_size: 100 })).workflow_runs.map((run) => run.run_id);
    equal(await ids('COMPLETED'), [run_id], 'COMPLETED');
    equal((await ids('PENDING')).length, 22, 'PENDING');
    for (const word of ['RUNNING', 'SLEEPING', 'FAILED', 'CANCELLED', 'nonsense']) equal(await ids(word), [], word);
    for (const page_size of [0, -3]) equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns, page_size })).workflow_runs.length, 20, `size ${page_size}`);
    equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns, page_size: 1000 })).workflow_runs.length, 23, 'size 1000');
  },
  'K-65 3 MiB of input are refused, 512 KiB are not': async (t) => {
    await t.k.refused.StartWorkflow('INVALID_ARGUMENT', { workflow_id: 'w', task_queue: 'q', workflow_type: 'W', namespace_id: t.ns, input: BIG(3 << 20) });
    const run_id = await t.old_start({ input: BIG(512 << 10) });
    equal((await t.old_run(run_id)).input.length, 512 << 10, 'bytes of input');
    equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns })).workflow_runs.length, 1, 'runs');
  },
  'K-66 ids are read in every usual form and answered in one': async (t) => {
    const run_id = await t.old_start();
    for (const form of [run_id.toUpperCase(), run_id.replaceAll('-', ''), `{${run_id}}`, `urn:uuid:${run_id}`, `{${run_id.toUpperCase()}}`]) {
      equal((await t.old_run(form)).run_id, run_id, form);
    }
    for (const form of [`${run_id}0`, run_id.slice(1), `{${run_id}`, '', ` ${run_id}`]) {
      await t.k.refused.GetWorkflowRun('INVALID_ARGUMENT', { run_id: form, namespace_id: t.ns });
    }
  },
  'K-75 what a run does not have is absent or empty, never zero': async (t) => {
    const run_id = await t.old_start({ input: Buffer.alloc(0) });
    const run = await t.old_run(run_id);
    equal(run.input.toString(), 'null', 'input');
    equal([run.output.length, run.context.length, run.worker_id, run.parent_step_attempt_id], [0, 0, '', ''], 'empty ones');
    equal([run.started_at, run.finished_at, run.wake_up_at, run.deadline_at], [null, null, null, null], 'times');
    holds(Math.abs(millis(run.created_at) - Date.now()) < 60000, 'created_at near now', run.created_at);
    holds(run.error, 'an error field, empty', run.error);
    equal([run.error.code, run.error.message], ['ERROR_CODE_UNSPECIFIED', ''], 'error');
    const held = await t.old_held({ workflow_type: 'Held', context: json({ user: 7 }), version: '3' }, { workflow_types: ['Held'] });
    const running = await t.old_status(held.run_id, 'RUNNING');
    equal([running.worker_id, running.attempts, running.version, parsed(running.context)], [held.worker.id, 1, '3', { user: 7 }], 'running');
    holds(running.started_at && running.finished_at === null, 'begun and not finished', running);
  },
  'K-76 a run that is not finished at its deadline fails': async (t) => {
    const deadline = Date.now() + 1500;
    const waiting = await t.old_start({ workflow_type: 'never polled', deadline_at: timestamp(deadline) });
    const { run_id: running } = await t.old_held({ deadline_at: timestamp(deadline) });
    equal(millis((await t.old_run(waiting)).deadline_at), deadline, 'deadline_at');
    for (const run_id of [waiting, running]) {
      const run = await until(async () => { const seen = await t.old_run(run_id); return seen.finished_at && seen; }, 'an end at the deadline', 20);
      equal(run.status, 'WORKFLOW_STATUS_FAILED', 'status');
      holds(millis(run.finished_at) >= deadline && run.error.message !== '', 'not before it, and with a reason', run);
    }
    await t.k.refused.CompleteWorkflow('FAILED_PRECONDITION', { run_id: running, output: json(1) });
  },
  'K-77 a failed run keeps its message and is not tried again': async (t) => {
    const { run_id } = await t.old_held({ retry_policy: { maximum_attempts: 5 } });
    await t.k.FailWorkflow({ run_id, error: { code: 'ERROR_CODE_INTERNAL', message: 'no stock' } });
    const run = await t.old_status(run_id, 'FAILED');
    equal([run.error.message, run.worker_id, run.attempts], ['no stock', '', 1], 'run');
    holds(run.finished_at, 'finished_at', run.finished_at);
    await t.k.refused.CompleteWorkflow('FAILED_PRECONDITION', { run_id, output: json(1) });
    await t.k.refused.FailWorkflow('INVALID_ARGUMENT', { run_id: 'x' });
    await t.k.refused.CompleteWorkflow('INVALID_ARGUMENT', { run_id, output: Buffer.from('{bad') });
  },
  'K-81 names of any text are kept as they are': async (t) => {
    for (const name of ['two words', 'a/b', '100%', 'Ünïcode ☃', 'line\nbreak', 'x'.repeat(100), '']) {
      const label = name.replace('\n', ' ');
      const run_id = await t.old_start({ task_queue: name, workflow_type: name, workflow_id: label });
      const run = await t.old_run(run_id);
      equal([run.task_queue, run.workflow_type, run.business_id], [name, name, label], 'names');
      const worker = await t.old_worker({ task_queue: name, workflow_types: [name] });
      const got = await worker.take();
      equal([got.run_id, got.workflow_type], [run_id, name], 'delivered');
    }
  },
  'K-82 the default namespace needs no name, and an unknown one is empty': async (t) => {
    const run_id = await t.old_start({ namespace_id: '', workflow_type: `T-${t.ns}`, task_queue: `Q-${t.ns}` });
    equal((await t.old_run(run_id, 'default')).namespace_id, 'default', 'namespace');
    await t.k.CancelWorkflowRun({ run_id, namespace_id: '' });
    equal(await t.k.ListWorkflowRuns({ namespace_id: `${t.ns}-never` }), { workflow_runs: [], next_page_token: '', prev_page_token: '', has_more: false }, 'list');
  },
  'K-83 any JSON value is an input and comes back equal': async (t) => {
    const worker = await t.old_worker();
    for (const value of [null, true, 0, -1.5e10, 'text', [], {}, { a: { b: [1, 2, { c: 'ü"\\' }] } }]) {
      await t.old_start({ input: json(value) });
      const got = await worker.take();
      equal(parsed(got.workflow_input), value, 'workflow_input');
      await worker.complete(got.run_id, value);
      equal(parsed((await t.old_run(got.run_id)).output), value, 'output');
    }
  },
  'K-84 bytes that are no message are refused with details': async (t) => {
    await t.k.refused.StartWorkflow('INVALID_ARGUMENT', {}, { bytes: Buffer.from([0xff, 0xff, 0xff, 0xff]) });
  },
};
