// Two conversations of the dialects, call by call, with the run's state after each: two steps and a sleep, and a worker that dies.
// Arguments: address, and which: steps-k0, steps-v1, dies-k0, dies-v1. One line per call; the first that is not as written ends with code 1.
'use strict';
const { spawn } = require('node:child_process');
const path = require('node:path');
const readline = require('node:readline');
const { Scene, randomUUID } = require('./actors.cjs');
const { equal, holds, json, parsed, until } = require('./check.cjs');
const { Wire } = require('./wire.cjs');

const NAP_SECONDS = 5;
let number = 0;

// One line of the transcript: what was called, and how the run stands after it.
async function line(what, act, state) {
  number += 1;
  const value = await act();
  if (state) await state();
  console.log(`ok   ${number} ${what}`);
  return value;
}

async function steps_k0(t) {
  const after = (run_id, word, attempts) => async () => equal((await t.old_status(run_id(), word)).attempts, attempts, 'attempts');
  let run_id;
  const the_run = () => run_id;
  await line('StartWorkflow: PENDING', async () => { run_id = await t.old_start({ workflow_id: 'trip', input: json({ n: 1 }) }); }, after(the_run, 'PENDING', 0));
  const answer = await line('RegisterWorker', () => t.k.RegisterWorker(t.old_identity()));
  const worker_id = answer.worker_id;
  const beat = (active_count) => t.k.WorkerHeartbeat({ worker_id, active_count, completed_delta: 0, failed_delta: 0 });
  await line('WorkerHeartbeat', async () => equal(await beat(0), { accepted: true, should_drain: false }, 'answer'));
  let held = 0;
  const timer = setInterval(() => beat(held).catch(() => {}), 400);
  const poll = () => t.k.open.PollActivity({ task_queue: 'q', worker_id, namespace_id: t.ns, supported_workflow_types: ['W'] }, { seconds: 70 });
  const got = await line('PollActivity gives the run: RUNNING 1', async () => (await poll().done).value, after(the_run, 'RUNNING', 1));
  held = 1;
  equal([got.run_id, got.workflow_type, parsed(got.workflow_input)], [run_id, 'W', { n: 1 }], 'delivered');
  let open = await line('PollActivity again stays open', async () => poll());
  let delivered = null;
  const watch = (call) => call.done.then((each) => { delivered = each.value; }, () => {});
  watch(open);
  const begin = (step_id) => t.k.BeginStep({ run_id, step_id });
  const running = after(the_run, 'RUNNING', 1);
  await line('BeginStep a: execute', async () => equal((await begin('a')).should_execute, true, 'should_execute'), running);
  await line('CompleteStep a', () => t.k.CompleteStep({ run_id, step_id: 'a', output: json({ a: 1 }) }), running);
  await line('BeginStep __sleep_0: execute', async () => equal((await begin('__sleep_0')).should_execute, true, 'should_execute'), running);
  const slept = Date.now();
  await line('ScheduleSleep: SLEEPING', () => t.k.ScheduleSleep({ run_id, duration_seconds: NAP_SECONDS }), after(the_run, 'SLEEPING', 1));
  held = 0;
  await line('CompleteStep __sleep_0 null: SLEEPING', () => t.k.CompleteStep({ run_id, step_id: '__sleep_0', output: json(null) }), after(the_run, 'SLEEPING', 1));
  await line('no end call: the worker leaves the run', async () => equal(delivered, null, 'delivered'));
  await line('the open PollActivity gives the same run: RUNNING 2', async () => {
    await until(async () => {
      if (delivered && delivered.run_id === '') { delivered = null; open = poll(); watch(open); }
      return delivered;
    }, 'the run again', 30);
    equal(delivered.run_id, run_id, 'delivered');
    held = 1;
    holds(Date.now() - slept >= NAP_SECONDS * 1000, 'not before the sleep was over', `${Date.now() - slept} ms`);
    holds(Date.now() - slept <= NAP_SECONDS * 1000 + 1500, 'and soon after', `${Date.now() - slept} ms`);
  }, after(the_run, 'RUNNING', 2));
  const replay = after(the_run, 'RUNNING', 2);
  await line('BeginStep a: remembered', async () => {
    const memo = await begin('a');
    equal([memo.should_execute, parsed(memo.cached_result)], [false, { a: 1 }], 'memo');
  }, replay);
  await line('BeginStep __sleep_0: not executed', async () => equal((await begin('__sleep_0')).should_execute, false, 'should_execute'), replay);
  await line('BeginStep b: execute', async () => equal((await begin('b')).should_execute, true, 'should_execute'), replay);
  await line('CompleteStep b', () => t.k.CompleteStep({ run_id, step_id: 'b', output: json(2) }), replay);
  await line('CompleteWorkflow: COMPLETED', () => t.k.CompleteWorkflow({ run_id, output: json('end') }), after(the_run, 'COMPLETED', 2));
  clearInterval(timer);
  equal((await t.old_attempts(run_id)).map((each) => [each.step_id, each.status]), ['a', '__sleep_0', 'b'].map((id) => [id, 'STEP_ATTEMPT_STATUS_COMPLETED']), 'attempts of steps');
  await t.k.DeregisterWorker({ worker_id });
}

async function steps_v1(t) {
  let run_id;
  const after = (word, attempts) => async () => equal((await t.status(run_id, word)).attempts, attempts, 'attempts');
  await line('StartWorkflow: PENDING', async () => {
    const started = await t.v.StartWorkflow({ namespace: t.ns, external_id: randomUUID(), task_queue: 'W', workflow_type: 'W', input: { data: json({ n: 1 }) } });
    equal(started.already_exists, false, 'already_exists');
    run_id = started.run_id;
  }, after('PENDING', 0));
  const { worker_id } = await line('Register', () => t.w.Register(t.identity({ task_queue: 'W' })));
  const beat = () => t.w.Heartbeat({ worker_id });
  await line('Heartbeat', async () => equal(await beat(), { accepted: true, should_drain: false }, 'answer'));
  const timer = setInterval(() => beat().catch(() => {}), 400);
  const poll = () => t.w.open.PollTask({ namespace: t.ns, worker_id, task_queue: 'W', workflow_types: ['W'] }, { seconds: 70 });
  const got = await line('PollTask gives the run: RUNNING 1', async () => (await poll().done).value, after('RUNNING', 1));
  equal([got.run_id, got.workflow_type, parsed(got.input.data)], [run_id, 'W', { n: 1 }], 'delivered');
  let delivered = null;
  const watch = (call) => call.done.then((each) => { delivered = each.value; }, () => {});
  await line('PollTask again stays open', async () => { watch(poll()); });
  const begin = (step_name, kind = 'STEP_KIND_FUNCTION') => t.w.BeginStep({ namespace: t.ns, run_id, step_name, kind });
  await line('BeginStep a: execute, step_id a', async () => {
    const begun = await begin('a');
    equal([begun.should_execute, begun.step_id], [true, 'a'], 'answer');
  }, after('RUNNING', 1));
  await line('CompleteStep a gives the step', async () => {
    const { step } = await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: 'a', output: { data: json({ a: 1 }) } });
    equal([step.name, step.status], ['a', 'STEP_STATUS_COMPLETED'], 'step');
  }, after('RUNNING', 1));
  await line('BeginStep nap SLEEP: execute', async () => equal((await begin('nap', 'STEP_KIND_SLEEP')).should_execute, true, 'should_execute'), after('RUNNING', 1));
  const slept = Date.now();
  await line('Sleep: SLEEPING', () => t.w.Sleep({ namespace: t.ns, run_id, step_id: 'nap', duration: { seconds: NAP_SECONDS, nanos: 0 } }), after('SLEEPING', 1));
  await line('no call: the worker leaves the run', async () => equal(delivered, null, 'delivered'));
  await line('the open PollTask gives the same run: RUNNING 2', async () => {
    await until(async () => {
      if (delivered && delivered.run_id === '') { delivered = null; watch(poll()); }
      return delivered;
    }, 'the run again', 30);
    equal(delivered.run_id, run_id, 'delivered');
    const took = Date.now() - slept;
    holds(took >= NAP_SECONDS * 1000 && took <= NAP_SECONDS * 1000 + 1500, 'after the sleep, and soon', `${took} ms`);
  }, after('RUNNING', 2));
  await line('BeginStep a: remembered', async () => {
    const memo = await begin('a');
    equal([memo.should_execute, parsed(memo.cached_output.data)], [false, { a: 1 }], 'memo');
  }, after('RUNNING', 2));
  await line('BeginStep nap: not executed, the claim completed it', async () => {
    equal((await begin('nap', 'STEP_KIND_SLEEP')).should_execute, false, 'should_execute');
    equal((await t.steps(run_id, 'nap')).map((step) => step.status), ['STEP_STATUS_COMPLETED'], 'step');
  }, after('RUNNING', 2));
  await line('BeginStep b: execute', async () => equal((await begin('b')).should_execute, true, 'should_execute'), after('RUNNING', 2));
  await line('CompleteStep b', () => t.w.CompleteStep({ namespace: t.ns, run_id, step_id: 'b', output: { data: json(2) } }), after('RUNNING', 2));
  await line('CompleteWorkflow: COMPLETED', async () => equal(await t.w.CompleteWorkflow({ namespace: t.ns, run_id, output: { data: json('end') } }), { status: 'WORKFLOW_STATUS_COMPLETED' }, 'answer'),
    after('COMPLETED', 2));
  clearInterval(timer);
  await t.w.Deregister({ worker_id });
}

// A worker process and the lines it has written.
function doomed(dialect, address, ns) {
  const child = spawn(process.execPath, [path.join(__dirname, 'worker.cjs'), dialect, address, ns, 'a,gate=b'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = [];
  readline.createInterface({ input: child.stdout }).on('line', (text) => said.push(JSON.parse(text)));
  return { child, said };
}

async function dies(t, address, dialect) {
  const is_old = dialect === 'k0';
  const run_id = is_old ? await t.old_start() : await t.start();
  const status = (word) => (is_old ? t.old_status(run_id, word) : t.status(run_id, word));
  const { child, said } = doomed(dialect, address, t.ns);
  await line('claimed, step a completed, step b begun, and beats', async () => {
    await until(() => said.some((each) => each.ran === 'gate=b'), 'step b', 30);
    await until(() => said.filter((each) => each.beat === true).length >= 2, 'two beats', 30);
  }, async () => equal((await status('RUNNING')).attempts, 1, 'attempts'));
  const other = is_old ? await t.old_worker() : await t.worker();
  const delivered = other.take(90);
  const killed = Date.now();
  await line('kill -9 during step b', async () => {
    child.kill('SIGKILL');
    await new Promise((resolve) => { child.on('exit', resolve); });
  });
  await line('the other worker gets it, attempts counted once', async () => equal((await delivered).run_id, run_id, 'delivered'), async () => {
    const run = await status('RUNNING');
    equal([run.attempts, run.worker_id], [2, other.id], 'attempts and worker');
  });
  const dead = said.find((each) => each.worker).worker;
  await line('re-queued at once: no delay behind the worker\'s end', async () => {
    const gone = is_old ? (await t.k.GetWorker({ worker_id: dead })).worker : (await t.a.GetWorker({ worker_id: dead })).worker;
    equal(gone.status, 'WORKER_STATUS_OFFLINE', 'status');
    // Silence lasts dead_after; the sweep and the hand-over add no back-off to it.
    const patience = Number(process.env.MUSTER_TEST_PATIENCE_SECONDS || 60) * 1000;
    holds(Date.now() - killed < patience, 'soon after its death', `${Date.now() - killed} ms`);
  });
  await line('step a is remembered', async () => {
    const memo = is_old ? await t.k.BeginStep({ run_id, step_id: 'a' }) : await t.w.BeginStep({ namespace: t.ns, run_id, step_name: 'a', kind: 'STEP_KIND_FUNCTION' });
    equal(memo.should_execute, false, 'should_execute');
    equal(parsed(is_old ? memo.cached_result : memo.cached_output.data), 'a', 'its output');
  });
  await line('step b runs as attempt 2', async () => {
    const begun = is_old ? await t.k.BeginStep({ run_id, step_id: 'gate=b' })
      : await t.w.BeginStep({ namespace: t.ns, run_id, step_name: 'gate=b', kind: 'STEP_KIND_FUNCTION' });
    equal(begun.should_execute, true, 'should_execute');
    const attempts = is_old ? await t.old_attempts(run_id, 'gate=b') : await t.steps(run_id, 'gate=b');
    equal([attempts.length, attempts[1].status.replace(/.*_/, '')], [2, 'RUNNING'], 'attempts of b');
  });
  await line('and the run completes', async () => {
    if (is_old) await t.k.CompleteStep({ run_id, step_id: 'gate=b', output: json('b') });
    else await t.w.CompleteStep({ namespace: t.ns, run_id, step_id: 'gate=b', output: { data: json('b') } });
    await other.complete(run_id);
  }, () => status('COMPLETED'));
  await line('a late report of the dead worker changes nothing', async () => {
    if (is_old) await t.k.refused.FailWorkflow('FAILED_PRECONDITION', { run_id, error: { message: 'late' } });
    else await t.w.refused.FailWorkflow('FAILED_PRECONDITION', { namespace: t.ns, run_id, error: { message: 'late' } });
  }, () => status('COMPLETED'));
}

const TRANSCRIPTS = { 'steps-k0': steps_k0, 'steps-v1': steps_v1, 'dies-k0': (t, address) => dies(t, address, 'k0'), 'dies-v1': (t, address) => dies(t, address, 'v1') };

async function main([address, which]) {
  const scene = new Scene(new Wire(address), which);
  await TRANSCRIPTS[which](scene, address);
  await scene.close();
  process.exit(0);
}

main(process.argv.slice(2)).catch((error) => { console.log(`FAIL ${number}: ${error.message}`); process.exit(1); });
