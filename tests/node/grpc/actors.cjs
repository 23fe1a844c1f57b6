// Who takes part in a case: a caller of each dialect in a namespace of the case's own, and workers that beat as real ones do.
//
// A worker's heartbeats go on until it is told to fall silent, so that servers with short settings and with the usual ones are tested alike.
'use strict';
const { randomUUID } = require('node:crypto');
const { equal, holds, json, refused, until } = require('./check.cjs');
const { Refused } = require('./wire.cjs');

const TAKE_SECONDS = 60;
const POLL_SECONDS = 70;  // of the client; above the longest hold of a server
let pids = 1000 + Math.floor(Math.random() * 1e6) * 1000;

const next_pid = () => { pids = (pids + 1) % 2147483647; return pids; };

// The methods of a service as functions: k.StartWorkflow({...}) gives the answer's value; k.refused.StartWorkflow(status, {...}) its details;
// k.open.PollActivity({...}) a call under way; k.full.… value and trailers.
function calls(wire, dialect, name) {
  const method = (how) => new Proxy({}, { get: (_, word) => how(String(word)) });
  return new Proxy({
    refused: method((word) => (status, request, options) => refused(wire.call(dialect, name, word, request, options), status, word)),
    open: method((word) => (request, options) => wire.open(dialect, name, word, request, options)),
    full: method((word) => (request, options) => wire.call(dialect, name, word, request, options)),
  }, {
    get: (own, word) => own[word] || (async (request, options) => (await wire.call(dialect, name, String(word), request || {}, options)).value),
  });
}

// What both dialects' workers share: heartbeats on a timer, and polls until something comes.
class Worker {
  constructor(scene, id, every) {
    this.scene = scene;
    this.id = id;
    this.held = new Set();
    this.timer = setInterval(() => this.beat().catch(() => {}), Math.max(300, (every * 1000) / 3));
    scene.workers.push(this);
  }

  // Dies without a word: no more heartbeats.
  silence() {
    clearInterval(this.timer);
    this.timer = null;
  }

  // The next run, whatever empty answers come before it.
  async take(seconds = TAKE_SECONDS, options = {}) {
    return until(async () => {
      const got = await this.poll(options);
      return got.run_id === '' ? null : got;
    }, `a run for worker ${this.id}`, seconds);
  }

  // One answer, which must be a run; for polls of which only one may happen.
  async only(options = {}) {
    const got = await this.poll(options);
    holds(got.run_id !== '', 'a run in this poll', got);
    return got;
  }

  note(got) {
    if (got.run_id !== '') this.held.add(got.run_id);
    return got;
  }
}

class OldWorker extends Worker {
  request(options = {}) {
    return { task_queue: this.queue, worker_id: this.id, namespace_id: this.ns, supported_workflow_types: options.types || this.types };
  }

  async poll(options = {}) {
    return this.note(await this.scene.k.PollActivity(this.request(options), { seconds: POLL_SECONDS }));
  }

  open(options = {}) {
    const call = this.scene.k.open.PollActivity(this.request(options), { seconds: POLL_SECONDS });
    call.done.then((answer) => this.note(answer.value), () => {});
    return call;
  }

  beat(more = {}) {
    return this.scene.k.WorkerHeartbeat({ worker_id: this.id, active_count: this.held.size, ...more });
  }

  async complete(run_id, output = 'done') {
    await this.scene.k.CompleteWorkflow({ run_id, output: json(output) });
    this.held.delete(run_id);
  }

  leave() {
    return this.scene.k.DeregisterWorker({ worker_id: this.id, drain: false });
  }
}

class NewWorker extends Worker {
  request(options = {}) {
    return { namespace: this.ns, worker_id: this.id, task_queue: this.queue, workflow_types: options.types || this.types };
  }

  async poll(options = {}) {
    return this.note(await this.scene.w.PollTask(this.request(options), { seconds: POLL_SECONDS }));
  }

  open(options = {}) {
    const call = this.scene.w.open.PollTask(this.request(options), { seconds: POLL_SECONDS, metadata: options.metadata });
    call.done.then((answer) => this.note(answer.value), () => {});
    return call;
  }

  beat() {
    return this.scene.w.Heartbeat({ worker_id: this.id });
  }

  async step(run_id, step_name, output = 'done') {
    const begun = await this.scene.w.BeginStep({ namespace: this.ns, run_id, step_name, kind: 'STEP_KIND_FUNCTION' });
    if (begun.should_execute) await this.scene.w.CompleteStep({ namespace: this.ns, run_id, step_id: begun.step_id, output: { data: json(output) } });
    return begun;
  }

  async complete(run_id, output = 'done') {
    const answer = await this.scene.w.CompleteWorkflow({ namespace: this.ns, run_id, output: { data: json(output) } });
    this.held.delete(run_id);
    return answer;
  }

  leave() {
    return this.scene.w.Deregister({ worker_id: this.id, drain: false });
  }
}

class Scene {
  constructor(wire, id) {
    this.wire = wire;
    this.ns = `${id}-${randomUUID().slice(0, 8)}`;
    this.workers = [];
    this.k = calls(wire, 'k0', 'WorkflowService');
    this.ka = calls(wire, 'k0a', 'WorkflowService');
    this.v = calls(wire, 'v1', 'WorkflowService');
    this.w = calls(wire, 'v1', 'WorkerService');
    this.s = calls(wire, 'v1', 'WorkflowScheduleService');
    this.a = calls(wire, 'v1', 'AdminService');
    this.n = calls(wire, 'v1', 'NamespaceService');
  }

  // --- K0

  old_identity(more = {}) {
    return { namespace_id: this.ns, task_queue: 'q', workflow_types: ['W'], hostname: 'host', pid: next_pid(), version: '1.0.0', max_concurrent: 100, ...more };
  }

  async old_worker(more = {}) {
    const identity = this.old_identity(more);
    const answer = await this.k.RegisterWorker(identity);
    const worker = new OldWorker(this, answer.worker_id, answer.heartbeat_interval_secs);
    return Object.assign(worker, { ns: identity.namespace_id, queue: identity.task_queue, types: identity.workflow_types, identity });
  }

  async old_start(more = {}) {
    const request = { workflow_id: 'order-1', task_queue: 'q', workflow_type: 'W', input: json({ n: 1 }), namespace_id: this.ns, ...more };
    return (await this.k.StartWorkflow(request)).run_id;
  }

  async old_run(run_id, namespace_id = this.ns) {
    return (await this.k.GetWorkflowRun({ run_id, namespace_id })).workflow_run;
  }

  async old_status(run_id, word, namespace_id = this.ns) {
    const run = await this.old_run(run_id, namespace_id);
    equal(run.status, `WORKFLOW_STATUS_${word}`, 'status');
    return run;
  }

  async old_attempts(workflow_run_id, step_id = '') {
    return (await this.k.ListStepAttempts({ workflow_run_id, step_id, namespace_id: this.ns, page_size: 100 })).step_attempts;
  }

  // A run held by a worker of its own: { worker, run_id }.
  async old_held(start = {}, identity = {}) {
    const run_id = await this.old_start(start);
    const worker = await this.old_worker(identity);
    equal((await worker.take()).run_id, run_id, 'the run that was started is delivered');
    return { worker, run_id };
  }

  // --- V1

  identity(more = {}) {
    return { namespace: this.ns, task_queue: 'q', workflow_types: ['W'], hostname: 'host', pid: next_pid(), version: '1.0.0', ...more };
  }

  async worker(more = {}) {
    const identity = this.identity(more);
    const answer = await this.w.Register(identity);
    const worker = new NewWorker(this, answer.worker_id, answer.heartbeat_interval_secs);
    return Object.assign(worker, { ns: identity.namespace, queue: identity.task_queue, types: identity.workflow_types, identity });
  }

  started(more = {}) {
    return this.v.StartWorkflow({ namespace: this.ns, external_id: randomUUID(), task_queue: 'q', workflow_type: 'W', input: { data: json({ n: 1 }) }, ...more });
  }

  async start(more = {}) {
    return (await this.started(more)).run_id;
  }

  async run(run_id) {
    return (await this.v.GetWorkflow({ namespace: this.ns, run_id })).workflow;
  }

  async status(run_id, word) {
    const run = await this.run(run_id);
    equal(run.status, `WORKFLOW_STATUS_${word}`, 'status');
    return run;
  }

  async steps(run_id, step_name) {
    return (await this.a.ListSteps({ namespace: this.ns, run_id, ...(step_name ? { step_name } : {}) })).steps;
  }

  async held(start = {}, identity = {}) {
    const run_id = await this.start(start);
    const worker = await this.worker(identity);
    equal((await worker.take()).run_id, run_id, 'the run that was started is delivered');
    return { worker, run_id };
  }

  // Workers leave, so that a case costs the next ones nothing.
  async close() {
    for (const worker of this.workers) {
      worker.silence();
      await worker.leave().catch((error) => { if (!(error instanceof Refused)) throw error; });
    }
  }
}

module.exports = { Scene, calls, next_pid, randomUUID };
