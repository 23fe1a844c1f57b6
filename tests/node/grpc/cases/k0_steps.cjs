// K0: steps, their memory and their retries, and sleep.
'use strict';
const { UUID, equal, holds, json, millis, parsed } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const short = { maximum_attempts: 3, initial_interval_ms: 100, backoff_coefficient: 2, maximum_interval_ms: 400 };
const numbered = (attempts) => attempts.map((attempt) => attempt.status.replace('STEP_ATTEMPT_STATUS_', ''));

// The run comes back to a worker after its step's retry was scheduled; gives how long that took.
async function comes_back(worker, run_id, since) {
  worker.held.delete(run_id);
  equal((await worker.take()).run_id, run_id, 'delivered again');
  return Date.now() - since;
}

module.exports = {
  'K-33 a step that is begun again without an end is executed again, as a new attempt': async (t) => {
    const { run_id } = await t.old_held();
    equal(await t.k.BeginStep({ run_id, step_id: 'a', input: json({ x: 1 }) }), { should_execute: true, cached_result: Buffer.alloc(0) }, 'first');
    equal((await t.k.BeginStep({ run_id, step_id: 'a' })).should_execute, true, 'second');
    const attempts = await t.old_attempts(run_id, 'a');
    equal([attempts.length, attempts[1] && attempts[1].status], [2, 'STEP_ATTEMPT_STATUS_RUNNING'], 'attempts, and the newest');
    await t.k.refused.BeginStep('INVALID_ARGUMENT', { run_id, step_id: 'b', input: Buffer.from('{bad') });
    await t.k.refused.BeginStep('INVALID_ARGUMENT', { run_id: 'x', step_id: 'b' });
    await t.k.refused.BeginStep('NOT_FOUND', { run_id: randomUUID(), step_id: 'b' });
  },
  'K-34 a completed step is not executed again, its output is remembered': async (t) => {
    const { run_id } = await t.old_held();
    for (const [step_id, value] of [['obj', { a: [1, 2] }], ['unit', null], ['text', 'ü'], ['zero', 0]]) {
      await t.k.BeginStep({ run_id, step_id });
      await t.k.CompleteStep({ run_id, step_id, output: json(value) });
      const memo = await t.k.BeginStep({ run_id, step_id });
      equal([memo.should_execute, parsed(memo.cached_result)], [false, value], step_id);
    }
  },
  'K-35 a step completed twice is completed once': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: 'a' });
    await t.k.CompleteStep({ run_id, step_id: 'a', output: json(1) });
    await t.k.CompleteStep({ run_id, step_id: 'a', output: json(1) });
    await t.k.CompleteStep({ run_id, step_id: 'a', output: json(2) });
    equal(numbered(await t.old_attempts(run_id, 'a')), ['COMPLETED'], 'attempts');
    equal(parsed((await t.k.BeginStep({ run_id, step_id: 'a' })).cached_result), 1, 'the first output stays');
  },
  'K-36 an output that is no JSON is refused and the step stays open': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: 'a' });
    await t.k.refused.CompleteStep('INVALID_ARGUMENT', { run_id, step_id: 'a', output: Buffer.from('{bad') });
    await t.k.refused.CompleteStep('INVALID_ARGUMENT', { run_id, step_id: 'a', output: Buffer.alloc(0) });
    await t.k.refused.CompleteStep('INVALID_ARGUMENT', { run_id: 'x', step_id: 'a', output: json(1) });
    equal(numbered(await t.old_attempts(run_id, 'a')), ['RUNNING'], 'attempts');
  },
  'K-37 a failed step needs a name': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.refused.FailStep('INVALID_ARGUMENT', { run_id, step_id: '', error: { message: 'x' } });
    await t.k.refused.FailStep('INVALID_ARGUMENT', { run_id: 'x', step_id: 'a', error: { message: 'x' } });
    await t.old_status(run_id, 'RUNNING');
  },
  'K-38 a step failed for good is FAILED, and FailWorkflow then ends the run': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: 'a' });
    await t.k.FailStep({ run_id, step_id: 'a', error: { code: 'ERROR_CODE_INVALID_ARGUMENT', message: 'no such card', non_retryable: true } });
    const [attempt] = await t.old_attempts(run_id, 'a');
    equal([attempt.status, attempt.error.message], ['STEP_ATTEMPT_STATUS_FAILED', 'no such card'], 'attempt');
    await t.old_status(run_id, 'RUNNING');
    await t.k.FailWorkflow({ run_id, error: { message: 'no such card', non_retryable: true } });
    await t.old_status(run_id, 'FAILED');
  },
  'K-39 a step that may be retried brings the run back, whatever FailWorkflow says': async (t) => {
    const { worker, run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: 'a', retry_policy: { ...short, initial_interval_ms: 400, maximum_interval_ms: 5000 } });
    const begun = Date.now();
    await t.k.FailStep({ run_id, step_id: 'a', error: { code: 'ERROR_CODE_INTERNAL', message: 'timeout' } });
    await t.k.FailWorkflow({ run_id, error: { code: 'ERROR_CODE_INTERNAL', message: 'timeout' } });
    const waiting = await t.old_run(run_id);
    equal([waiting.status, waiting.worker_id, waiting.finished_at], ['WORKFLOW_STATUS_PENDING', '', null], 'run');
    const took = await comes_back(worker, run_id, begun);
    holds(took >= 800, 'the delay K0 promises: 400 ms × 2', `${took} ms`);
    equal((await t.k.BeginStep({ run_id, step_id: 'a' })).should_execute, true, 'executed again');
    await t.k.CompleteStep({ run_id, step_id: 'a', output: json('second time') });
    const statuses = numbered(await t.old_attempts(run_id, 'a'));
    equal([statuses.length, statuses[1]], [2, 'COMPLETED'], 'attempts');
    await worker.complete(run_id);
    await t.old_status(run_id, 'COMPLETED');
  },
  'K-40 an error that begins with a listed text is not retried': async (t) => {
    const { run_id } = await t.old_held();
    const retry_policy = { ...short, non_retryable_errors: ['Fatal:', 'Denied'] };
    await t.k.BeginStep({ run_id, step_id: 'a', retry_policy });
    await t.k.FailStep({ run_id, step_id: 'a', error: { message: 'Fatal: disk gone' } });
    equal(numbered(await t.old_attempts(run_id, 'a')), ['FAILED'], 'attempts');
    await t.old_status(run_id, 'RUNNING');
    await t.k.FailWorkflow({ run_id, error: { message: 'Fatal: disk gone' } });
    await t.old_status(run_id, 'FAILED');
    const other = await t.old_held({ workflow_type: 'O', retry_policy }, { workflow_types: ['O'] });
    await t.k.BeginStep({ run_id: other.run_id, step_id: 'a' });
    await t.k.FailStep({ run_id: other.run_id, step_id: 'a', error: { message: 'not Fatal: this one may' } });
    await t.old_status(other.run_id, 'PENDING');
  },
  'K-41 a run sleeps, and the end of its sleep step is accepted meanwhile': async (t) => {
    const { worker, run_id } = await t.old_held();
    equal((await t.k.BeginStep({ run_id, step_id: '__sleep_0' })).should_execute, true, 'executed');
    const begun = Date.now();
    await t.k.ScheduleSleep({ run_id, duration_seconds: 2 });
    await t.k.CompleteStep({ run_id, step_id: '__sleep_0', output: json(null) });
    const run = await t.old_status(run_id, 'SLEEPING');
    equal(run.worker_id, '', 'worker_id');
    holds(run.wake_up_at && millis(run.wake_up_at) >= begun + 1900 && millis(run.wake_up_at) <= Date.now() + 2100, 'wake_up_at in 2 s', run.wake_up_at);
    const took = await comes_back(worker, run_id, begun);
    holds(took >= 2000, 'not before 2 s', `${took} ms`);
    equal((await t.k.BeginStep({ run_id, step_id: '__sleep_0' })).should_execute, false, 'slept already');
  },
  'K-42 a sleep of nothing is over at once and is not slept again': async (t) => {
    const { worker, run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: '__sleep_0' });
    await t.k.ScheduleSleep({ run_id, duration_seconds: 0 });
    await comes_back(worker, run_id, Date.now());
    equal((await t.k.BeginStep({ run_id, step_id: '__sleep_0' })).should_execute, false, 'although nobody completed it');
    await t.k.CompleteStep({ run_id, step_id: '__sleep_0', output: json(null) });
    equal(numbered(await t.old_attempts(run_id, '__sleep_0')), ['COMPLETED'], 'attempts');
    equal((await t.old_run(run_id)).attempts, 2, 'attempts of the run');
    await t.k.refused.ScheduleSleep('INVALID_ARGUMENT', { run_id: 'x', duration_seconds: 1 });
  },
  'K-67 errors as plain text are understood': async (t) => {
    const { worker, run_id } = await t.old_held();
    for (const [step_id, text] of [['a', 'boom'], ['b', 'a2345678 '], ['c', ''], ['d', 'ünï'], ['e', 'x'.repeat(300)]]) {
      await t.k.BeginStep({ run_id, step_id });
      await t.ka.FailStep({ run_id, step_id, error: text, non_retryable: true });
      const [attempt] = await t.old_attempts(run_id, step_id);
      equal([attempt.status, attempt.error.message], ['STEP_ATTEMPT_STATUS_FAILED', text], step_id);
    }
    await t.k.BeginStep({ run_id, step_id: 'later', retry_policy: short });
    const begun = Date.now();
    await t.ka.FailStep({ run_id, step_id: 'later', error: 'again', retry_after_ms: 900 });
    await t.ka.FailWorkflow({ run_id, error: 'again' });
    const took = await comes_back(worker, run_id, begun);
    holds(took >= 900, 'retry_after_ms is kept', `${took} ms`);
    await t.ka.FailWorkflow({ run_id, error: 'the end' });
    equal((await t.old_status(run_id, 'FAILED')).error.message, 'the end', 'message');
  },
  'K-69 HealthCheck says SERVING': async (t) => {
    const answer = await t.k.HealthCheck({ service: '' });
    equal([answer.status, answer.timestamp.nanos], ['SERVING', 0], 'answer');
    holds(Math.abs(millis(answer.timestamp) - Date.now()) < 60000, 'a time near now', answer.timestamp);
  },
  'K-70 a step attempt is read by its id': async (t) => {
    const { run_id } = await t.old_held();
    const kinds = { __sleep_0: 'SLEEP', wait_for_it: 'SLEEP', task_a: 'FUNCTION', my_function: 'FUNCTION', plain: 'UNSPECIFIED' };
    for (const step_id of Object.keys(kinds)) {
      await t.k.BeginStep({ run_id, step_id });
      const [listed] = await t.old_attempts(run_id, step_id);
      const { step_attempt: read } = await t.k.GetStepAttempt({ step_attempt_id: listed.step_attempt_id, namespace_id: 'ignored' });
      equal(read, listed, 'read and listed');
      holds(UUID.test(read.step_attempt_id), 'a UUID', read.step_attempt_id);
      equal([read.workflow_run_id, read.step_id, read.kind], [run_id, step_id, `STEP_KIND_${kinds[step_id]}`], 'attempt');
      equal([read.output.toString(), read.finished_at, read.child_workflow_run_id], ['null', null, ''], 'what it does not have');
      holds(read.created_at && read.started_at && read.updated_at, 'times', read);
    }
    const missing = randomUUID();
    const detail = await t.k.refused.GetStepAttempt('NOT_FOUND', { step_attempt_id: missing });
    equal(detail.subject_id, missing, 'subject_id');
    await t.k.refused.GetStepAttempt('INVALID_ARGUMENT', { step_attempt_id: 'x' });
  },
  'K-71 step attempts are listed in their order': async (t) => {
    const { run_id } = await t.old_held();
    for (const step_id of ['c', 'a', 'b']) {
      await t.k.BeginStep({ run_id, step_id });
      await t.k.CompleteStep({ run_id, step_id, output: json(step_id) });
    }
    equal((await t.old_attempts(run_id)).map((attempt) => attempt.step_id), ['c', 'a', 'b'], 'order');
    equal((await t.k.ListStepAttempts({ workflow_run_id: run_id, page_size: 2, namespace_id: t.ns })).step_attempts.length, 2, 'size 2');
    equal((await t.k.ListStepAttempts({ workflow_run_id: randomUUID(), namespace_id: t.ns })).step_attempts, [], 'of an unknown run');
    await t.k.refused.ListStepAttempts('INVALID_ARGUMENT', { workflow_run_id: 'x' });
  },
  'K-87 a step has as many attempts as its policy says': async (t) => {
    const { worker, run_id } = await t.old_held({ retry_policy: { ...short, maximum_attempts: 2 } });
    await t.k.BeginStep({ run_id, step_id: 'a' });
    await t.k.FailStep({ run_id, step_id: 'a', error: { message: 'one' } });
    await comes_back(worker, run_id, Date.now());
    await t.k.BeginStep({ run_id, step_id: 'a' });
    await t.k.FailStep({ run_id, step_id: 'a', error: { message: 'two' } });
    await t.old_status(run_id, 'RUNNING');
    const attempts = await t.old_attempts(run_id, 'a');
    equal([attempts.length, attempts[1].status, attempts[1].error.message], [2, 'STEP_ATTEMPT_STATUS_FAILED', 'two'], 'attempts');
    await t.k.FailWorkflow({ run_id, error: { message: 'two' } });
    await t.old_status(run_id, 'FAILED');
  },
  'K-88 many sleeps cost a run nothing of its budget': async (t) => {
    const { worker, run_id } = await t.old_held({ retry_policy: { maximum_attempts: 2 } });
    for (let i = 0; i < 6; i += 1) {
      await t.k.BeginStep({ run_id, step_id: `__sleep_${i}` });
      await t.k.ScheduleSleep({ run_id, duration_seconds: 0 });
      await comes_back(worker, run_id, Date.now());
    }
    equal((await t.old_run(run_id)).attempts, 7, 'claims');
    worker.silence();
    const other = await t.old_worker();
    equal((await other.take(90)).run_id, run_id, 'after its one crash it goes on');
    await other.complete(run_id);
    await t.old_status(run_id, 'COMPLETED');
  },
};
