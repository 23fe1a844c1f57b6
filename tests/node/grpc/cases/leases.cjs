// Who may act on a run: its holder, known by its connection. Another actor has a connection of its own.
'use strict';
const { equal, holds, json, until } = require('../check.cjs');
const { Scene } = require('../actors.cjs');
const { Wire } = require('../wire.cjs');

// Plays with a second scene in the same namespace, on another connection.
async function beside(t, play) {
  const other = new Scene(new Wire(t.wire.address), 'beside');
  other.ns = t.ns;
  try {
    await play(other);
  } finally {
    await other.close().catch(() => {});
    other.wire.close();
  }
}

const begun = (t, run_id, step_name) => ({ namespace: t.ns, run_id, step_name, kind: 'STEP_KIND_FUNCTION' });
const done = (t, run_id, step_id, output) => ({ namespace: t.ns, run_id, step_id, output: { data: json(output) } });

module.exports = {
  'V-120 a late step of a worker that left does not end its successor\'s attempt': async (t) => {
    const { worker: a, run_id } = await t.held();
    equal((await t.w.BeginStep(begun(t, run_id, 'a'))).should_execute, true, 'A begins');
    a.silence();
    await a.leave();
    await beside(t, async (other) => {
      const b = await other.worker();
      equal((await b.take()).run_id, run_id, 'the run goes to B');
      equal((await other.w.BeginStep(begun(t, run_id, 'a'))).should_execute, true, 'B begins the step again');
      await t.w.refused.CompleteStep('FAILED_PRECONDITION', done(t, run_id, 'a', 'late'));
      await t.w.refused.FailStep('FAILED_PRECONDITION', { namespace: t.ns, run_id, step_id: 'a', error: { message: 'late' } });
      await t.w.refused.CompleteWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id, output: { data: json('late') } });
      const steps = (await t.a.ListSteps({ namespace: t.ns, run_id, step_name: 'a' })).steps;
      equal(steps[steps.length - 1].status, 'STEP_STATUS_RUNNING', 'B\'s attempt goes on');
      await other.w.CompleteStep(done(t, run_id, 'a', 'of B'));
      await b.complete(run_id);
    });
    await t.status(run_id, 'COMPLETED');
  },
  'V-121 a stranger\'s connection cannot settle a run that is held': async (t) => beside(t, async (holder) => {
    // On a connection that no other case cancels polls of.
    const { worker, run_id } = await holder.held();
    await beside(t, async (other) => {
      await other.w.refused.CompleteWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id, output: { data: json(1) } });
      await other.w.refused.FailWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id, error: { message: 'x' } });
      await other.w.refused.BeginStep('FAILED_PRECONDITION', begun(t, run_id, 'a'));
      await t.status(run_id, 'RUNNING');
      await other.w.Heartbeat({ worker_id: worker.id });
      await other.w.CompleteWorkflow({ namespace: t.ns, run_id, output: { data: json(1) } });
    });
    worker.held.delete(run_id);
    await t.status(run_id, 'COMPLETED');
  }),
  'V-122 a fence speaks for its lease on any connection': async (t) => {
    const worker = await t.worker();
    const run_id = await t.start();
    const answer = await worker.open().done;
    equal(answer.value.run_id, run_id, 'delivered');
    await until(() => answer.trailers, 'trailers', 5);
    await beside(t, async (other) => {
      await other.w.CompleteWorkflow({ namespace: t.ns, run_id, output: { data: json(1) } }, { metadata: { 'muster-fence': answer.trailers['muster-fence'] } });
    });
    await t.status(run_id, 'COMPLETED');
  },
  'K-120 nothing a former holder says moves the run': async (t) => {
    const { worker: a, run_id } = await t.old_held();
    await t.k.BeginStep({ run_id, step_id: 'a' });
    a.silence();
    await a.leave();
    await beside(t, async (other) => {
      const b = await other.old_worker();
      equal((await b.take()).run_id, run_id, 'the run goes to B');
      await other.k.BeginStep({ run_id, step_id: 'a' });
      await t.k.refused.CompleteStep('FAILED_PRECONDITION', { run_id, step_id: 'a', output: json('late') });
      await t.k.refused.FailWorkflow('FAILED_PRECONDITION', { run_id, error: { message: 'late' } });
      await t.k.refused.ScheduleSleep('FAILED_PRECONDITION', { run_id, duration_seconds: 1 });
      const attempts = await t.old_attempts(run_id, 'a');
      holds(attempts[attempts.length - 1].status === 'STEP_ATTEMPT_STATUS_RUNNING', 'B\'s attempt goes on', attempts);
      await b.complete(run_id);
    });
    await t.old_status(run_id, 'COMPLETED');
  },
  'K-121 a stranger\'s connection cannot settle a run that is held': async (t) => beside(t, async (holder) => {
    const { worker, run_id } = await holder.old_held();
    await beside(t, async (other) => {
      await other.k.refused.CompleteWorkflow('FAILED_PRECONDITION', { run_id, output: json(1) });
      await other.k.refused.CompleteStep('FAILED_PRECONDITION', { run_id, step_id: 'a', output: json(1) });
    });
    await t.old_status(run_id, 'RUNNING');
    await worker.complete(run_id);
  }),
};
