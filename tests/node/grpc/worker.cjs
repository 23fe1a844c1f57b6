// A worker of either dialect as a process of its own, so that a test can kill it. It does what the SDKs do: register, beat, poll, replay the
// steps of its one workflow, try again while the server is away.
// Arguments: dialect (k0, v1), address, namespace, steps. Steps are names in order, split by commas; `nap=SECONDS` sleeps, and at `gate=NAME`
// the worker waits inside the step for a line on stdin. What happens is told on stdout, a JSON object per line. Told to stop (SIGTERM), it
// neither beats nor polls any more, finishes what it has, and ends.
'use strict';
const readline = require('node:readline');
const { Wire, Refused } = require('./wire.cjs');
const { calls } = require('./actors.cjs');
const { json, pause } = require('./check.cjs');

const [dialect, address, namespace, plan] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const wire = new Wire(address, { channel: { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.min_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 200 } });
const k = calls(wire, 'k0', 'WorkflowService');
const w = calls(wire, 'v1', 'WorkerService');
const lines = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();

// The call was made before and its answer lost; the server says that the run has gone on since.
class Left extends Error {}

// While the server is away a call is repeated; what it refuses is the caller's business.
async function insist(call) {
  for (let lost = 0; ; lost += 1) {
    try {
      return await call();
    } catch (error) {
      if (lost > 0 && error.code === 'FAILED_PRECONDITION') throw new Left();
      if (!(error instanceof Refused) || !['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'INTERNAL', 'UNKNOWN'].includes(error.code)) throw error;
      if (error.detail && error.detail.non_retryable) throw error;
      await pause(100);
    }
  }
}

// The two dialects, as one worker sees them.
const old = {
  register: async () => (await k.RegisterWorker({ namespace_id: namespace, task_queue: 'q', workflow_types: ['W'], hostname: 'box', pid: process.pid, max_concurrent: 10 })),
  beat: (worker_id, active_count) => k.WorkerHeartbeat({ worker_id, active_count }),
  poll: (worker_id) => k.PollActivity({ task_queue: 'q', worker_id, namespace_id: namespace, supported_workflow_types: ['W'] }, { seconds: 70 }),
  begin: (run_id, step_id) => k.BeginStep({ run_id, step_id }),
  done: (run_id, step_id, output) => k.CompleteStep({ run_id, step_id, output: json(output) }),
  nap: async (run_id, step_id, seconds) => {
    await k.ScheduleSleep({ run_id, duration_seconds: seconds });
    await k.CompleteStep({ run_id, step_id, output: json(null) });
  },
  complete: (run_id, output) => k.CompleteWorkflow({ run_id, output: json(output) }),
};
const current = {
  register: async () => (await w.Register({ namespace, task_queue: 'q', workflow_types: ['W'], hostname: 'box', pid: process.pid })),
  beat: (worker_id) => w.Heartbeat({ worker_id }),
  poll: (worker_id) => w.PollTask({ namespace, worker_id, task_queue: 'q', workflow_types: ['W'] }, { seconds: 70 }),
  begin: (run_id, step_name, kind = 'STEP_KIND_FUNCTION') => w.BeginStep({ namespace, run_id, step_name, kind }),
  done: (run_id, step_id, output) => w.CompleteStep({ namespace, run_id, step_id, output: { data: json(output) } }),
  nap: (run_id, step_id, seconds) => w.Sleep({ namespace, run_id, step_id, duration: { seconds: Math.floor(seconds), nanos: (seconds % 1) * 1e9 } }),
  complete: (run_id, output) => w.CompleteWorkflow({ namespace, run_id, output: { data: json(output) } }),
};
const as = dialect === 'k0' ? old : current;
let active = 0;
let stopping = false;

// Runs one step; false when the run was left to sleep.
async function step(run_id, name) {
  const [word, value] = name.split('=');
  const step_id = word === 'nap' && dialect === 'k0' ? '__sleep_0' : name;
  const begun = await insist(() => as.begin(run_id, step_id, word === 'nap' ? 'STEP_KIND_SLEEP' : undefined));
  if (!begun.should_execute) {
    say({ remembered: name, run: run_id });
    return true;
  }
  say({ ran: name, run: run_id });
  if (word === 'gate') await lines.next();
  if (word === 'nap') {
    await insist(() => as.nap(run_id, step_id, Number(value)));
    return false;
  }
  await insist(() => as.done(run_id, step_id, name));
  say({ done: name, run: run_id });
  return true;
}

async function execute(run_id) {
  say({ took: run_id });
  for (const name of plan.split(',')) if (!(await step(run_id, name))) return;
  await insist(() => as.complete(run_id, 'all'));
  say({ completed: run_id });
}

async function main() {
  const { worker_id, heartbeat_interval_secs: every } = await insist(as.register);
  say({ worker: worker_id });
  const beat = () => as.beat(worker_id, active).then((answer) => say({ beat: answer.accepted }), (error) => say({ beat: error.code }));
  const beating = setInterval(beat, (every * 1000) / 2);
  const drained = () => stopping && active === 0 && process.exit(0);
  process.on('SIGTERM', () => {
    stopping = true;
    clearInterval(beating);
    say({ stopping: active });
    drained();
  });
  await beat();
  while (!stopping) {
    const got = await as.poll(worker_id).catch(async (error) => { say({ poll: error.code }); await pause(100); return { run_id: '' }; });
    if (got.run_id === '') continue;
    active += 1;
    execute(got.run_id).catch((error) => say(error instanceof Left ? { left: got.run_id } : { refused: error.code, text: error.message, run: got.run_id })).finally(() => { active -= 1; drained(); });
  }
}

main().catch((error) => { say({ refused: error.code, text: error.message }); process.exit(1); });
