// Between the dialects and beside the usual paths: one server under both, odd names, long sleeps, second registrations.
'use strict';
const { equal, holds, json, millis, parsed, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const DAY_SECONDS = 86400;
const quick = { maximum_attempts: -1, initial_interval_ms: 50, backoff_coefficient: 1, maximum_interval_ms: 50 };

module.exports = {
  'K-91 a step nobody began can be completed and failed': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.CompleteStep({ run_id, step_id: 'done elsewhere', output: json(7) });
    equal(parsed((await t.k.BeginStep({ run_id, step_id: 'done elsewhere' })).cached_result), 7, 'remembered');
    await t.k.FailStep({ run_id, step_id: 'broken elsewhere', error: { message: 'x', non_retryable: true } });
    equal((await t.old_attempts(run_id, 'broken elsewhere')).map((each) => each.status), ['STEP_ATTEMPT_STATUS_FAILED'], 'attempts');
  },
  'K-92 a run that nobody holds cannot be completed, failed or put to sleep': async (t) => {
    const run_id = await t.old_start();
    await t.k.refused.CompleteWorkflow('FAILED_PRECONDITION', { run_id, output: json(1) });
    await t.k.refused.FailWorkflow('FAILED_PRECONDITION', { run_id, error: { message: 'x' } });
    await t.k.refused.ScheduleSleep('FAILED_PRECONDITION', { run_id, duration_seconds: 1 });
    await t.old_status(run_id, 'PENDING');
    const unknown = { run_id: randomUUID() };
    await t.k.refused.CompleteWorkflow('NOT_FOUND', { ...unknown, output: json(1) });
    await t.k.refused.FailWorkflow('NOT_FOUND', { ...unknown, error: { message: 'x' } });
    await t.k.refused.ScheduleSleep('NOT_FOUND', { ...unknown, duration_seconds: 1 });
    await t.k.refused.CompleteStep('NOT_FOUND', { ...unknown, step_id: 'a', output: json(1) });
    await t.k.refused.FailStep('NOT_FOUND', { ...unknown, step_id: 'a', error: { message: 'x' } });
  },
  'K-93 a run sleeps for months, but not for ever': async (t) => {
    const { run_id } = await t.old_held();
    await t.k.refused.ScheduleSleep('INVALID_ARGUMENT', { run_id, duration_seconds: 2 ** 50 });
    await t.old_status(run_id, 'RUNNING');
    const begun = Date.now();
    await t.k.ScheduleSleep({ run_id, duration_seconds: 60 * DAY_SECONDS });
    const run = await t.old_status(run_id, 'SLEEPING');
    const ahead = (millis(run.wake_up_at) - begun) / 1000;
    holds(Math.abs(ahead - 60 * DAY_SECONDS) < 60, 'wake_up_at in 60 days', `${ahead} s`);
    await t.k.CancelWorkflowRun({ run_id, namespace_id: t.ns });
  },
  'K-94 an endless policy retries a step as often as it fails': async (t) => {
    const { worker, run_id } = await t.old_held({ retry_policy: quick });
    for (let i = 1; i <= 8; i += 1) {
      equal((await t.k.BeginStep({ run_id, step_id: 'a' })).should_execute, true, 'should_execute');
      await t.k.FailStep({ run_id, step_id: 'a', error: { message: `try ${i}` } });
      await t.k.FailWorkflow({ run_id, error: { message: `try ${i}` } });
      worker.held.delete(run_id);
      equal((await worker.take()).run_id, run_id, 'delivered again');
    }
    equal((await t.old_attempts(run_id, 'a')).length, 8, 'attempts');
    await worker.complete(run_id);
  },
  'K-95 a namespace of any text is kept as it is': async (t) => {
    for (const text of ['two words', 'a/b', '50%', 'ü☃']) {
      const ns = `${text} ${t.ns}`;
      const { worker, run_id } = await t.old_held({ namespace_id: ns }, { namespace_id: ns });
      equal((await t.old_run(run_id, ns)).namespace_id, ns, 'of the run');
      equal((await t.k.GetWorker({ worker_id: worker.id })).worker.namespace_id, ns, 'of the worker');
      equal((await t.v.GetWorkflow({ namespace: ns, run_id })).workflow.namespace, ns, 'in the other dialect');
      equal((await t.n.GetNamespace({ namespace: ns })).namespace.namespace, ns, 'of the namespace');
      await worker.complete(run_id);
    }
  },
  'K-96 a name that is too long is refused, and changes nothing': async (t) => {
    const long = 'n'.repeat(5000);
    await t.k.refused.StartWorkflow('INVALID_ARGUMENT', { workflow_id: 'w', task_queue: long, workflow_type: 'W', namespace_id: t.ns });
    await t.k.refused.StartWorkflow('INVALID_ARGUMENT', { workflow_id: 'w', task_queue: 'q', workflow_type: long, namespace_id: t.ns });
    await t.k.refused.StartWorkflow('INVALID_ARGUMENT', { workflow_id: 'w', task_queue: 'q', workflow_type: 'W', namespace_id: long });
    await t.k.refused.RegisterWorker('INVALID_ARGUMENT', t.old_identity({ task_queue: long }));
    await t.v.refused.StartWorkflow('INVALID_ARGUMENT', { namespace: t.ns, external_id: long, task_queue: 'q', workflow_type: 'W' });
    equal((await t.k.ListWorkflowRuns({ namespace_id: t.ns })).workflow_runs, [], 'runs');
  },
  'K-97 a registration again brings new types, and ends a drain': async (t) => {
    const worker = await t.old_worker({ workflow_types: ['A'] });
    await t.k.DeregisterWorker({ worker_id: worker.id, drain: true });
    equal((await t.k.RegisterWorker({ ...worker.identity, workflow_types: ['A', 'B'] })).worker_id, worker.id, 'the same worker');
    const seen = (await t.k.GetWorker({ worker_id: worker.id })).worker;
    equal([seen.status, seen.workflow_types.slice().sort()], ['WORKER_STATUS_ONLINE', ['A', 'B']], 'worker');
    const run_id = await t.old_start({ workflow_type: 'B' });
    equal((await worker.take(20, { types: ['B'] })).run_id, run_id, 'delivered');
  },
  'K-98 a worker that leaves gives its runs to others at once': async (t) => {
    const { worker, run_id } = await t.old_held();
    const other = await t.old_worker();
    const delivered = other.take(60);
    await t.k.DeregisterWorker({ worker_id: worker.id, drain: false });
    worker.silence();
    equal((await delivered).run_id, run_id, 'delivered to the other');
    await other.complete(run_id);
    await t.old_status(run_id, 'COMPLETED');
  },
  'V-55 a run of one dialect is worked on and read in the other': async (t) => {
    const started = await t.old_start({ workflow_id: 'mixed' });
    const worker = await t.worker();
    const got = await worker.take();
    equal([got.run_id, got.input.data.toString()], [started, '{"n":1}'], 'delivered');
    await worker.step(started, 'a', { x: 1 });
    equal(parsed((await t.k.BeginStep({ run_id: started, step_id: 'a' })).cached_result), { x: 1 }, 'the step in the old dialect');
    await worker.complete(started, 'both');
    equal(parsed((await t.old_status(started, 'COMPLETED')).output), 'both', 'output');
    equal((await t.run(started)).external_id, 'mixed', 'external_id');
    const other = await t.start();
    const old = await t.old_worker();
    equal((await old.take()).run_id, other, 'delivered to a worker of the old dialect');
    await old.complete(other);
    await t.status(other, 'COMPLETED');
    equal((await t.a.GetStats({ namespace: t.ns })).completed_workflows, 2, 'completed');
  },
  'V-56 two registrations of one identity need two deregistrations': async (t) => {
    const worker = await t.worker();
    await t.w.Register(worker.identity);
    await t.w.Deregister({ worker_id: worker.id });
    equal((await worker.beat()).accepted, true, 'it lives after the first');
    await t.w.Deregister({ worker_id: worker.id });
    await t.w.refused.Heartbeat('NOT_FOUND', { worker_id: worker.id });
  },
  'V-57 statistics without a namespace are those of default': async (t) => {
    const stats = await t.a.GetStats({});
    holds(stats.total_workflows >= 0 && typeof stats.workflows_by_status === 'object', 'an answer', stats);
    equal((await t.a.GetStats({ namespace: `${t.ns}-never` })).total_workflows, 0, 'of an unknown namespace');
    equal((await t.a.GetQueueDepth({ namespace: `${t.ns}-never` })).pending_count, 0, 'depth of an unknown namespace');
    equal((await t.v.ListWorkflows({ namespace: `${t.ns}-never` })).workflows, [], 'runs of an unknown namespace');
    equal((await t.s.ListWorkflowSchedules({ namespace: `${t.ns}-never` })).schedules, [], 'schedules of an unknown namespace');
    equal((await t.a.ListWorkers({ namespace: `${t.ns}-never` })).workers, [], 'workers of an unknown namespace');
  },
  'V-58 the second sleep of one name is skipped, and steps keep running': async (t) => {
    const { worker, run_id } = await t.held();
    const nap = (more) => t.w.BeginStep({ namespace: t.ns, run_id, step_name: 'nap', kind: 'STEP_KIND_SLEEP', ...more });
    await nap();
    await t.w.Sleep({ namespace: t.ns, run_id, step_id: 'nap', duration: { seconds: 0, nanos: 100e6 } });
    equal((await worker.take()).run_id, run_id, 'delivered again');
    equal((await nap()).should_execute, false, 'the first sleep');
    equal((await nap()).should_execute, false, 'a second one of that name');
    await worker.step(run_id, 'after');
    await worker.complete(run_id);
  },
  'V-59 a policy of zero attempts is the default of five': async (t) => {
    const { worker, run_id } = await t.held();
    const policy = { maximum_attempts: 0, initial_interval_ms: 20, backoff_coefficient: 1, maximum_interval_ms: 20 };
    let answers = [];
    for (let i = 0; i < 5; i += 1) {
      await t.w.BeginStep({ namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION', retry_policy: policy });
      answers.push((await t.w.FailStep({ namespace: t.ns, run_id, step_id: 'a', error: { message: 'x' } })).scheduled_retry);
      if (answers[i]) equal((await worker.take()).run_id, run_id, 'delivered again');
    }
    equal(answers, [true, true, true, true, false], 'scheduled_retry');
    answers = await t.steps(run_id, 'a');
    equal(answers.map((step) => step.attempt_number), [1, 2, 3, 4, 5], 'attempts');
  },
  'V-60 a schedule that is moved back makes up for the newest max_catchup fires': async (t) => {
    const made = { namespace: t.ns, task_queue: 'q', workflow_type: 'W', cron_expr: '0 * * * * *', max_catchup: 3 };
    const { schedule_id } = (await t.s.CreateWorkflowSchedule(made)).schedule;
    const minute = Math.floor(Date.now() / 60000) * 60;
    await t.s.UpdateWorkflowSchedule({ namespace: t.ns, schedule_id, next_fire_at: { seconds: minute - 600, nanos: 0 } });
    const runs = await until(async () => {
      const seen = (await t.s.ListScheduleRuns({ namespace: t.ns, schedule_id })).runs;
      return seen.length >= 3 && seen;
    }, 'three fires', 15);
    const wanted = [0, 60, 120].map((back) => new Date((minute - back) * 1000).toISOString().slice(0, 16));
    // A minute may have begun meanwhile and fired too.
    const fired = runs.map((run) => /\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(run.external_id)[0]);
    holds(fired.length <= 4 && wanted.every((each) => fired.includes(each)), `${wanted}`, `${fired}`);
    const after = (await t.s.GetWorkflowSchedule({ namespace: t.ns, schedule_id })).schedule;
    holds(millis(after.next_fire_at) > minute * 1000 && after.last_fired_at, 'the next minute is next', after.next_fire_at);
    await t.s.DeleteWorkflowSchedule({ namespace: t.ns, schedule_id });
  },
  'V-61 a next_fire_at that is no fire of the cron text is looked at and passed over': async (t) => {
    const { schedule } = await t.s.CreateWorkflowSchedule({ namespace: t.ns, task_queue: 'q', workflow_type: 'W', cron_expr: '0 0 0 1 1 *' });
    const name = { namespace: t.ns, schedule_id: schedule.schedule_id };
    const soon = Math.ceil(Date.now() / 1000) * 1000 + 1000;
    equal(millis((await t.s.UpdateWorkflowSchedule({ ...name, next_fire_at: { seconds: soon / 1000, nanos: 0 } })).schedule.next_fire_at), soon, 'next_fire_at');
    await until(async () => millis((await t.s.GetWorkflowSchedule(name)).schedule.next_fire_at) === millis(schedule.next_fire_at), 'the next real fire', 15);
    equal((await t.s.ListScheduleRuns(name)).runs, [], 'runs');
    await t.s.DeleteWorkflowSchedule(name);
  },
};
