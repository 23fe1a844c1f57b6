// V1: steps and sleep.
'use strict';
const { equal, holds, json, millis } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const begin = (t, run_id, step_name, more) => t.w.BeginStep({ namespace: t.ns, run_id, step_name, kind: 'STEP_KIND_FUNCTION', ...more });
const nap = (t, run_id, step_id, seconds, nanos = 0) => t.w.Sleep({ namespace: t.ns, run_id, step_id, duration: { seconds, nanos } });
const short = { maximum_attempts: 3, initial_interval_ms: 500, backoff_coefficient: 2, maximum_interval_ms: 2000 };

module.exports = {
  'V-11 a step needs a run that is there and unfinished': async (t) => {
    await t.w.refused.BeginStep('NOT_FOUND', { namespace: t.ns, run_id: randomUUID(), step_name: 'a', kind: 'STEP_KIND_FUNCTION' });
    await t.w.refused.BeginStep('INVALID_ARGUMENT', { namespace: t.ns, run_id: 'x', step_name: 'a', kind: 'STEP_KIND_FUNCTION' });
    const { worker, run_id } = await t.held();
    await worker.complete(run_id);
    await t.w.refused.BeginStep('FAILED_PRECONDITION', { namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION' });
  },
  'V-12 a completed step is not executed again': async (t) => {
    const { run_id } = await t.held();
    const first = await begin(t, run_id, 'charge card');
    equal([first.should_execute, first.step_id], [true, 'charge card'], 'first');
    const { step } = await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: first.step_id, output: { data: json({ ok: true }) } });
    equal([step.step_id, step.name, step.status, step.run_id], ['charge card', 'charge card', 'STEP_STATUS_COMPLETED', run_id], 'the answered step');
    const second = await begin(t, run_id, 'charge card');
    equal([second.should_execute, second.step_id, second.cached_output.data.toString()], [false, 'charge card', '{"ok":true}'], 'second');
  },
  'V-13 a step needs a kind, and an end needs a beginning': async (t) => {
    const { run_id } = await t.held();
    await t.w.refused.BeginStep('INVALID_ARGUMENT', { namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_UNSPECIFIED' });
    await t.w.refused.BeginStep('INVALID_ARGUMENT', { namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION', input: { data: Buffer.alloc(3 << 20) } });
    await t.w.refused.CompleteStep('NOT_FOUND', { namespace: t.ns, run_id, step_id: 'never begun', output: { data: json(1) } });
    equal(await t.steps(run_id), [], 'steps');
  },
  'V-14 a step completed twice is completed once': async (t) => {
    const { run_id } = await t.held();
    await begin(t, run_id, 'a');
    await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: 'a', output: { data: json(1) } });
    await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: 'a', output: { data: json(2) } });
    equal((await begin(t, run_id, 'a')).cached_output.data.toString(), '1', 'the first output stays');
    equal((await t.steps(run_id, 'a')).length, 1, 'attempts');
  },
  'V-15 a step that may be retried brings the run back after the delay': async (t) => {
    const { worker, run_id } = await t.held();
    await begin(t, run_id, 'a', { retry_policy: short });
    const begun = Date.now();
    const answer = await t.w.FailStep({ namespace: t.ns, run_id, step_id: 'a', error: { code: 'ERROR_CODE_INTERNAL', message: 'timeout' } });
    equal(answer.scheduled_retry, true, 'scheduled_retry');
    holds(!answer.retry_at || millis(answer.retry_at) >= begun + 450, 'a retry_at in the future', answer.retry_at);
    const waiting = await t.status(run_id, 'PENDING');
    equal(waiting.worker_id || '', '', 'worker_id');
    equal((await worker.take()).run_id, run_id, 'delivered again');
    holds(Date.now() - begun >= 500, 'after the delay', `${Date.now() - begun} ms`);
    equal((await begin(t, run_id, 'a')).should_execute, true, 'executed again');
    await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: 'a', output: { data: json(1) } });
    const attempts = await t.steps(run_id, 'a');
    equal(attempts.map((step) => [step.attempt_number, step.status]), [[1, 'STEP_STATUS_FAILED'], [2, 'STEP_STATUS_COMPLETED']], 'attempts');
    await worker.complete(run_id);
  },
  'V-16 a step failed for good is left to FailWorkflow': async (t) => {
    const { worker, run_id } = await t.held();
    await begin(t, run_id, 'a', { retry_policy: { ...short, non_retryable_errors: ['Fatal'] } });
    await t.w.refused.FailStep('INVALID_ARGUMENT', { namespace: t.ns, run_id, step_id: '', error: { message: 'x' } });
    const fail = (step_id, error) => t.w.FailStep({ namespace: t.ns, run_id, step_id, error });
    equal((await fail('a', { message: 'x', non_retryable: true })).scheduled_retry, false, 'non_retryable');
    await begin(t, run_id, 'b', { retry_policy: { ...short, non_retryable_errors: ['Fatal'] } });
    equal((await fail('b', { message: 'Fatal: y' })).scheduled_retry, false, 'a listed text');
    await begin(t, run_id, 'c', { retry_policy: { ...short, maximum_attempts: 1 } });
    equal((await fail('c', { message: 'z' })).scheduled_retry, false, 'the last attempt');
    await t.status(run_id, 'RUNNING');
    await begin(t, run_id, 'd', { retry_policy: short });
    const begun = Date.now();
    equal((await fail('d', { message: 'later', retry_after_ms: 1200 })).scheduled_retry, true, 'retry_after_ms');
    equal((await worker.take()).run_id, run_id, 'delivered again');
    holds(Date.now() - begun >= 1200, 'retry_after_ms is kept', `${Date.now() - begun} ms`);
    equal(await t.w.FailWorkflow({ namespace: t.ns, run_id, error: { message: 'z' } }), { status: 'WORKFLOW_STATUS_FAILED' }, 'FailWorkflow');
  },
  'V-17 a run sleeps; a sleep without or with a negative duration is refused': async (t) => {
    const { run_id } = await t.held();
    await begin(t, run_id, 'nap', { kind: 'STEP_KIND_SLEEP' });
    await t.w.refused.Sleep('INVALID_ARGUMENT', { namespace: t.ns, run_id, step_id: 'nap' });
    await t.w.refused.Sleep('INVALID_ARGUMENT', { namespace: t.ns, run_id, step_id: 'nap', duration: { seconds: -1, nanos: 0 } });
    await t.w.refused.Sleep('INVALID_ARGUMENT', { namespace: t.ns, run_id, step_id: 'nap', duration: { seconds: 0, nanos: -5 } });
    await t.status(run_id, 'RUNNING');
    const begun = Date.now();
    await nap(t, run_id, 'nap', 2);
    const run = await t.status(run_id, 'SLEEPING');
    holds(millis(run.wake_up_at) >= begun + 1900 && !run.worker_id, 'wake_up_at and no worker', run);
  },
  'V-18 a sleep of 300 ms is slept': async (t) => {
    const { worker, run_id } = await t.held();
    await begin(t, run_id, 'nap', { kind: 'STEP_KIND_SLEEP' });
    const begun = Date.now();
    await nap(t, run_id, 'nap', 0, 300e6);
    equal((await worker.take(20)).run_id, run_id, 'delivered again');
    const took = Date.now() - begun;
    holds(took >= 300, 'not before 300 ms', `${took} ms`);
  },
  'V-19 a sleep that was slept is not slept again': async (t) => {
    const { worker, run_id } = await t.held();
    equal((await begin(t, run_id, 'nap', { kind: 'STEP_KIND_SLEEP' })).should_execute, true, 'first');
    await nap(t, run_id, 'nap', 0, 200e6);
    await worker.take(20);
    equal((await begin(t, run_id, 'nap', { kind: 'STEP_KIND_SLEEP' })).should_execute, false, 'second');
    const [step] = await t.steps(run_id, 'nap');
    equal([step.kind, step.status], ['STEP_KIND_SLEEP', 'STEP_STATUS_COMPLETED'], 'step');
    equal((await t.run(run_id)).attempts, 2, 'attempts of the run');
  },
  'V-20 a sleeper that is due goes to the poll that is open': async (t) => {
    const { worker, run_id } = await t.held();
    await begin(t, run_id, 'nap', { kind: 'STEP_KIND_SLEEP' });
    const begun = Date.now();
    await nap(t, run_id, 'nap', 1);
    equal((await worker.only()).run_id, run_id, 'delivered to this poll');
    const took = Date.now() - begun;
    holds(took >= 1000, 'not before it was due', `${took} ms`);
  },
  'V-41 steps are listed with every attempt': async (t) => {
    const { run_id } = await t.held();
    for (const name of ['c', 'a', 'b']) {
      await begin(t, run_id, name, { input: { data: json(name) } });
      await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: name, output: { data: json(`${name}!`) } });
    }
    const steps = await t.steps(run_id);
    equal(steps.map((step) => [step.name, step.step_id, step.attempt_number, step.output.data.toString()]),
      [['c', 'c', 1, '"c!"'], ['a', 'a', 1, '"a!"'], ['b', 'b', 1, '"b!"']], 'steps');
    holds(steps.every((step) => step.created_at && step.started_at && step.finished_at), 'times', steps[0]);
    equal((await t.steps(run_id, 'a')).map((step) => step.input.data.toString()), ['"a"'], 'by name');
    const page = await t.a.ListSteps({ namespace: t.ns, run_id, page: { page_size: 2, include_total_count: true } });
    equal([page.steps.length, page.page.has_more], [2, true], 'first page');
    const rest = await t.a.ListSteps({ namespace: t.ns, run_id, page: { page_size: 2, page_token: page.page.next_page_token } });
    equal(rest.steps.map((step) => step.name), ['b'], 'second page');
    await t.a.refused.GetStep('INVALID_ARGUMENT', { namespace: t.ns, step_id: 'x' });
    await t.a.refused.GetStep('NOT_FOUND', { namespace: t.ns, step_id: randomUUID() });
  },
  'V-54 step calls do not ask for the namespace': async (t) => {
    const { run_id } = await t.held();
    equal((await t.w.BeginStep({ run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION' })).should_execute, true, 'BeginStep');
    await t.w.CompleteStep({ namespace: 'any', run_id, step_id: 'a', output: { data: json(1) } });
    equal((await t.a.ListSteps({ run_id })).steps.length, 1, 'ListSteps');
    equal(await t.w.CompleteWorkflow({ run_id, output: { data: json(1) } }), { status: 'WORKFLOW_STATUS_COMPLETED' }, 'CompleteWorkflow');
  },
};
