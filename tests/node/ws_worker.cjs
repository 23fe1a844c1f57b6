// A worker of AstraFlow on the `ws` package, of either protocol, written from the facts of the wire alone.
//
//   ws_worker.cjs URL v1|v2 TASKS DELAY_MS [FEEDBACKS]
//
// Offers the node demo.echo in eight slots, says FEEDBACKS frames of three chunks about each task, answers it after DELAY_MS with {"echo": its parameters}, comes back after every cut, and ends when
// TASKS results are acknowledged. A package whose archive it can read, with the sha256 it was told, it installs by registering again (protocol 2); about any other it
// stays silent, as AstraFlow's do. Prints one JSON line: how many tasks it ran, resumed sessions and fresh ones.
'use strict';
const { createHash } = require('crypto');
const { readFileSync } = require('fs');
const { fileURLToPath } = require('url');
const { WebSocket } = require('ws');

const [url, protocol, tasks, delay, feedbacks = '0'] = process.argv.slice(2);
const v2 = protocol === 'v2';
const instance = v2 ? '0c7b1a52-1111-4222-8333-944455556666' : 'node-worker';
const node = { type: 'demo.echo', status: 'published', category: 'c', label: 'l', adapter: 'a', handler: 'echo', schema: {} };
const manifest = {
  schemaVersion: '1.0.0', name: 'demo.pkg', version: '1.0.0', description: 'd', python: { requires: '>=3.10' }, nodes: [node],
  adapters: [{ name: 'a', entrypoint: 'adapters.a', capabilities: ['demo.echo'] }],
};
const registration = {
  capabilities: { concurrency: { max_parallel: 8 }, runtimes: ['python'], features: [] },
  packages: [{ name: 'demo.pkg', version: '1.0.0', status: 'installed' }],
  manifests: [{ name: 'demo.pkg', version: '1.0.0', manifest }],
};
const handshake = {
  protocol: 1, auth: { mode: 'token', token: 'dev-token' },
  worker: { ...(v2 ? { worker_name: 'node', worker_instance_id: instance } : { id: instance }), version: '1', hostname: 'h' },
};

let socket = null;
let session = null; // what the last accept said
let counter = 0;
let sent = 0; // the last number of ours
let base = 0; // of theirs, in order
const early = new Map(); // theirs above a hole
const unacked = new Map(); // ours, by id
const running = new Set();
const outcome = { ran: 0, acknowledged: 0, resumed: 0, fresh: 0 };

const name = (short) => (v2 ? { handshake: 'control.handshake', register: 'control.register', ack: 'control.ack', result: 'biz.exec.result', feedback: 'biz.exec.feedback',
  heartbeat: 'control.heartbeat' }[short] : short);

function frame(type, payload, more = {}) {
  return { type, id: `${type}-${counter++}`, ts: new Date().toISOString().replace('Z', '+00:00'), tenant: 'default', sender: { role: 'worker', id: instance }, payload, ...more };
}
const write = (value) => socket !== null && socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(value));

function acknowledge(of) {
  const window = v2 ? { ack_seq: base, ack_bitmap: 0, recv_window: 64 } : {};
  write(frame(name('ack'), { ok: true, for: of.id, ...window }, { corr: of.corr, ack: { for: of.id } }));
}

function run(dispatch) {
  const { run_id, task_id, parameters } = dispatch.payload;
  const key = `${run_id} ${task_id}`;
  if (running.has(key)) return;
  running.add(key);
  for (let i = 0; i < Number(feedbacks); i += 1) {
    const chunks = [0, 1, 2].map((n) => ({ channel: n === 1 ? 'stderr' : 'stdout', index: i * 3 + n, text: `${i * 3 + n};` }));
    const said = frame(name('feedback'), { run_id, task_id, stage: 'streaming', progress: i / Number(feedbacks), chunks },
      { corr: dispatch.id, ...(v2 ? { session_seq: (sent += 1) } : {}) });
    if (v2) unacked.set(said.id, said);
    write(said);
  }
  setTimeout(() => {
    running.delete(key);
    outcome.ran += 1;
    const result = frame(name('result'), { run_id, task_id, status: 'SUCCEEDED', result: { echo: parameters }, duration_ms: 0, metadata: { by: 'ws_worker' } },
      { corr: dispatch.id, seq: dispatch.seq, ack: { request: true }, ...(v2 ? { session_seq: (sent += 1) } : {}) });
    unacked.set(result.id, result);
    write(result);
  }, Number(delay));
}

function install({ name: wanted, version, url: from, sha256 }) {
  let bytes;
  try {
    bytes = readFileSync(fileURLToPath(from));
  } catch {
    return;
  }
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) return;
  registration.packages = registration.packages.filter((each) => each.name !== wanted).concat({ name: wanted, version, status: 'installed' });
  write(frame(name('register'), registration, { ack: { request: true } }));
}

function uninstall({ name: wanted, version }) {
  registration.packages = registration.packages.filter((each) => each.name !== wanted || (version && each.version !== version));
  write(frame(name('register'), registration, { ack: { request: true } }));
}

function deliver(value) {
  if (value.type === 'biz.exec.dispatch') run(value);
  if (value.type === 'biz.pkg.install') install(value.payload);
  if (value.type === 'biz.pkg.uninstall') uninstall(value.payload);
}

function acked(result) {
  if (!unacked.delete(result) || !result.startsWith(name('result'))) return;
  outcome.acknowledged += 1;
  if (outcome.acknowledged < Number(tasks)) return;
  console.log(JSON.stringify(outcome));
  process.exit(0);
}

function start(resumed) {
  if (resumed) {
    outcome.resumed += 1;
    for (const result of unacked.values()) write(result);
    return;
  }
  outcome.fresh += 1;
  [sent, base] = [0, 0];
  early.clear();
  for (const result of unacked.values()) {
    if (v2) result.session_seq = sent += 1;
    write(result);
  }
}

function received(value) {
  switch (value.type) {
    case name('ack'):
      if (value.ack && value.ack.for.startsWith(name('handshake'))) write(frame(name('register'), registration, { ack: { request: true } }));
      if (!v2 && value.ack && value.ack.for.startsWith('register')) start(false);
      for (const [id, result] of [...unacked]) if (v2 ? result.session_seq <= value.payload.ack_seq : value.payload.for === id) acked(id);
      return;
    case 'control.session.accept':
      session = value.payload;
      return start(session.resumed);
    case 'control.reset': session = null; return;
    case 'cmd.dispatch': acknowledge(value); return run(value);
    case 'biz.exec.dispatch':
    case 'biz.pkg.install':
    case 'biz.pkg.uninstall':
      if (value.session_seq > base) early.set(value.session_seq, value);
      for (; early.has(base + 1); base += 1) { deliver(early.get(base + 1)); early.delete(base + 1); }
      return acknowledge(value);
    default:
  }
}

function connect() {
  socket = new WebSocket(url);
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(connect, 50));
  socket.on('message', (text) => received(JSON.parse(text)));
  socket.on('open', () => {
    const hello = session === null ? frame(name('handshake'), handshake, { ack: { request: true } })
      : frame('control.resume', { session_id: session.session_id, session_token: session.session_token, last_seen_seq: base }, { ack: { request: true } });
    write(hello);
  });
}
setInterval(() => write(frame(name('heartbeat'), { healthy: true, metrics: { inflight: running.size } })), 1000).unref();
connect();
