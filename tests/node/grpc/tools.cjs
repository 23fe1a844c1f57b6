// What tools, broken clients and crowds do to a gRPC server. Arguments: which part, address, more as the part says.
// One line per thing shown; the first that does not hold ends the process with code 1.
'use strict';
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { Scene, randomUUID } = require('./actors.cjs');
const { equal, fail, holds, json, pause, refused, until } = require('./check.cjs');
const { Wire, Refused, grpc, service, definitions } = require('./wire.cjs');

const SERVICES = ['kagzi.WorkflowService', 'kagzi.v1.WorkflowService', 'kagzi.v1.WorkerService', 'kagzi.v1.WorkflowScheduleService', 'kagzi.v1.AdminService',
  'kagzi.v1.NamespaceService'];
const shown = (text) => console.log(`ok   ${text}`);

async function code_of(promise) {
  try {
    await promise;
    return 'OK';
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.code;
  }
}

// --- health

async function health(address) {
  const wire = new Wire(address);
  const check = async (name) => (await wire.call('health', 'Health', 'Check', { service: name }, { seconds: 10 })).value.status;
  for (const name of ['', ...SERVICES]) {
    equal(await check(name), 'SERVING', `health of "${name}"`);
    shown(`"${name}" is SERVING`);
  }
  equal(await code_of(check('no.such.Service')), 'NOT_FOUND', 'health of a service that is not there');
  shown('an unknown service is NOT_FOUND');
}

// Watches while the caller stops the server: NOT_SERVING, or the end of the stream. A poll is open, as on every real server.
async function stopping(address) {
  const scene = new Scene(new Wire(address), 'stopping');
  const worker = await scene.worker();
  worker.open().done.catch(() => {});
  const stream = scene.wire.stream('health', 'Health', 'Watch')({ service: '' });
  const seen = [];
  stream.on('data', (answer) => {
    seen.push(answer.status);
    if (seen.length === 1) console.log('watching');
  });
  const ended = new Promise((resolve) => { stream.on('error', (error) => resolve(error.code)); stream.on('end', () => resolve('end')); });
  await until(() => seen.length > 0, 'a first status', 10);
  equal(seen[0], 'SERVING', 'the first status');
  await Promise.race([until(() => seen.includes('NOT_SERVING'), 'NOT_SERVING', 30).catch(() => {}), ended]);
  worker.silence();
  holds(seen.includes('NOT_SERVING') || (await Promise.race([ended, pause(1000)])) !== undefined, 'NOT_SERVING or the end', seen);
  shown(seen.includes('NOT_SERVING') ? 'NOT_SERVING once it stops' : 'the watch ends once it stops');
}

// --- reflection

function asked(wire, dialect, question) {
  const stream = wire.stream(dialect, 'ServerReflection', 'ServerReflectionInfo');
  return new Promise((resolve, reject) => {
    stream.on('data', (answer) => { resolve(answer); stream.end(); });
    stream.on('error', reject);
    stream.write({ host: '', ...question });
  });
}

// What a definition says, in the words of published.txt.
function facts_of(definition) {
  const type = (field) => (['TYPE_ENUM', 'TYPE_MESSAGE'].includes(field.type) ? field.typeName.split('.').pop() : field.type.slice('TYPE_'.length).toLowerCase());
  if (!definition.format) {
    return Object.values(definition).map((each) => `${each.path.split('/').pop()}(${each.requestStream ? '*' : ''}${each.requestType.type.name})`
      + `${each.responseStream ? '*' : ''}${each.responseType.type.name}`);
  }
  if (definition.type.value) return definition.type.value.map((each) => `${each.name}=${each.number}`);
  return definition.type.field.map((each) => `${each.name}=${each.number}:${each.label === 'LABEL_REPEATED' ? '*' : ''}${type(each)}`);
}

function published() {
  const ours = definitions();
  const lines = fs.readFileSync(path.join(__dirname, 'published.txt'), 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) {
    const [, name, ...facts] = line.split(' ');
    holds(ours[name], `${name} is there`, Object.keys(ours));
    const said = facts_of(ours[name]);
    for (const fact of facts) {
      const [head, ...others] = fact.split('|');
      const forms = [head, ...others.map((type) => head.replace(/:.*/, `:${type}`))];
      holds(forms.some((form) => said.includes(form)), `${name}: ${fact}`, said);
    }
  }
  shown(`the protos say what is published: ${lines.length} services, messages and enumerations`);
}

async function reflection(address) {
  published();
  const wire = new Wire(address);
  for (const version of ['reflection.v1', 'reflection.v1alpha']) {
    const listed = (await asked(wire, version, { list_services: '*' })).list_services_response.service.map((each) => each.name);
    for (const name of [...SERVICES, 'grpc.health.v1.Health']) holds(listed.includes(name), `${version} lists ${name}`, listed);
    for (const symbol of [...SERVICES, 'kagzi.ErrorDetail', 'kagzi.v1.ErrorDetail', 'kagzi.v1.WorkerService.PollTask']) {
      const answer = await asked(wire, version, { file_containing_symbol: symbol });
      const files = answer.file_descriptor_response ? answer.file_descriptor_response.file_descriptor_proto : [];
      const word = symbol.split('.').pop();
      holds(files.length > 0 && files.some((file) => file.includes(word)), `a file with ${symbol}`, answer);
    }
    const missing = await asked(wire, version, { file_containing_symbol: 'no.such.Thing' });
    equal(missing.error_response && missing.error_response.error_code, 5, 'an unknown symbol');
    const several = wire.stream(version, 'ServerReflection', 'ServerReflectionInfo');
    const answers = [];
    const ended = new Promise((resolve, reject) => { several.on('data', (each) => answers.push(each)); several.on('end', resolve); several.on('error', reject); });
    for (const symbol of SERVICES) several.write({ host: 'h', file_containing_symbol: symbol });
    several.end();
    await ended;
    equal(answers.map((each) => each.original_request.file_containing_symbol), SERVICES, 'answers of one stream, in order');
    shown(`${version}: services, files, an unknown symbol, several questions in one stream`);
  }
}

// --- broken clients

async function broken(address) {
  const wire = new Wire(address);
  const raw = (path, bytes, seconds = 10) => new Promise((resolve) => {
    wire.client.makeUnaryRequest(path, (each) => each, (each) => each, bytes, new grpc.Metadata(), { deadline: Date.now() + seconds * 1000 },
      (error) => resolve(error ? new Refused(path, 'raw', error).code : 'OK'));
  });
  for (const path of ['/kagzi.v1.WorkerService/NoSuchMethod', '/no.such.Service/Method', '/kagzi.WorkflowService/', '/x']) equal(await raw(path, Buffer.alloc(0)), 'UNIMPLEMENTED', path);
  shown('an unknown method is UNIMPLEMENTED');

  let methods = 0;
  for (const [dialect, names] of [['k0', ['WorkflowService']], ['v1', ['WorkflowService', 'WorkerService', 'WorkflowScheduleService', 'AdminService', 'NamespaceService']]]) {
    for (const name of names) {
      for (const method of Object.keys(service(dialect, name))) {
        for (const bytes of [Buffer.from([0xff, 0xff, 0xff, 0xff]), Buffer.from([0x0a, 0x7f, 0x41])]) {
          await refused(wire.call(dialect, name, method, {}, { bytes, seconds: 10 }), 'INVALID_ARGUMENT', `garbage for ${name}.${method}`);
        }
        methods += 1;
      }
    }
  }
  shown(`bytes that are no message are INVALID_ARGUMENT with details, for all ${methods} methods`);

  // As many messages as one likes, to a method that takes one.
  const messages = (count) => new Promise((resolve) => {
    const call = wire.client.makeClientStreamRequest('/kagzi.v1.AdminService/HealthCheck', (each) => each, (each) => each, new grpc.Metadata(),
      { deadline: Date.now() + 10000 }, (error) => resolve(error ? new Refused('stream', 'raw', error).code : 'OK'));
    for (let i = 0; i < count; i += 1) call.write(Buffer.alloc(0));
    call.end();
  });
  holds(!['OK', 'DEADLINE_EXCEEDED'].includes(await messages(0)), 'a refusal of a call without a message', 'none');
  holds((await messages(3)) !== 'DEADLINE_EXCEEDED', 'an answer to a call with three messages', 'none');
  const packed = new Wire(address, { channel: { 'grpc.default_compression_algorithm': 2 } });
  equal(await code_of(packed.call('v1', 'WorkflowService', 'StartWorkflow', { namespace: 'packed', external_id: 'x'.repeat(80), task_queue: 'q', workflow_type: 'W' })), 'OK', 'gzip');
  shown('no message, three messages and a compressed one are met with an answer');

  const start = (size) => ({ namespace: 'broken', external_id: randomUUID(), task_queue: 'q', workflow_type: 'W', input: { data: Buffer.alloc(size, 65) } });
  await refused(wire.call('v1', 'WorkflowService', 'StartWorkflow', start(3 << 20)), 'INVALID_ARGUMENT', '3 MiB for V1');
  const big = { workflow_id: 'w', task_queue: 'q', workflow_type: 'W', namespace_id: 'broken', input: json('x'.repeat(3 << 20)) };
  await refused(wire.call('k0', 'WorkflowService', 'StartWorkflow', big), 'INVALID_ARGUMENT', '3 MiB for K0');
  equal(await code_of(wire.call('v1', 'WorkflowService', 'StartWorkflow', start(5 << 20))), 'RESOURCE_EXHAUSTED', '5 MiB for V1');
  equal(await code_of(wire.call('k0', 'WorkflowService', 'StartWorkflow', { ...big, input: json('x'.repeat(5 << 20)) })), 'RESOURCE_EXHAUSTED', '5 MiB for K0');
  equal((await wire.call('v1', 'WorkflowService', 'ListWorkflows', { namespace: 'broken' })).value.workflows, [], 'runs that were started');
  shown('3 MiB are INVALID_ARGUMENT, 5 MiB are RESOURCE_EXHAUSTED, and nothing was started');

  const scene = new Scene(wire, 'deadline');
  const worker = await scene.worker();
  const begun = Date.now();
  // A poll's deadline may be answered by the server, empty, or pass at the client; it must not hang.
  const code = await code_of(scene.w.PollTask(worker.request(), { seconds: 0.4 }));
  holds(['OK', 'DEADLINE_EXCEEDED'].includes(code) && Date.now() - begun < 2000, 'an end at the deadline', `${code} after ${Date.now() - begun} ms`);
  const run_id = await scene.start();
  const other = await scene.worker();
  const asked_at = Date.now();
  equal((await other.only()).run_id, run_id, 'the run goes to the next poll');
  holds(Date.now() - asked_at < 1500, 'at once', `${Date.now() - asked_at} ms`);
  await scene.close();
  shown('a poll ends at its deadline and takes no run with it');
  equal((await wire.call('v1', 'AdminService', 'HealthCheck', {})).value.status, 'SERVING_STATUS_SERVING', 'health after all that');
}

// --- a client that vanishes

// Forwards bytes both ways; `cut` ends every connection as a pulled plug does.
function proxy(address) {
  const [host, port] = address.split(':');
  const pairs = new Set();
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), host);
    for (const [a, b] of [[near, far], [far, near]]) {
      a.pipe(b);
      a.on('error', () => {});
    }
    pairs.add([near, far]);
  });
  const cut = () => { for (const pair of pairs) for (const end of pair) (end.resetAndDestroy ? end.resetAndDestroy() : end.destroy()); pairs.clear(); };
  return new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve({ address: `127.0.0.1:${server.address().port}`, cut, close: () => server.close() })); });
}

async function vanish(address) {
  const way = await proxy(address);
  const near = new Scene(new Wire(way.address), 'vanish');
  const far = new Scene(new Wire(address), 'vanish');
  far.ns = near.ns;
  for (let round = 0; round < 3; round += 1) {
    const lost = await near.worker();
    const open = Array.from({ length: 20 }, () => lost.open());
    open.forEach((call) => call.done.catch(() => {}));
    await pause(300);
    lost.silence();
    way.cut();
    const begun = Date.now();
    const run_id = await far.start();
    const other = await far.worker();
    equal((await other.take(20)).run_id, run_id, 'the run goes to another worker');
    holds(Date.now() - begun < 3000, 'soon', `${Date.now() - begun} ms`);
    const run = await far.status(run_id, 'RUNNING');
    equal(run.worker_id, other.id, 'worker_id');
    await other.complete(run_id);
  }
  near.wire.close();
  way.close();
  await far.close();
  shown('twenty polls of a client that vanished take no run with them, three times');
}

// --- a crowd

const POLLS = ['asan', 'tsan'].includes(process.env.MUSTER_PRESET) ? 1000 : 10000; // a sanitizer makes each ten times as dear
const WORKERS = 100;
const CONNECTIONS = 8;
const STARTS_AT_A_TIME = 200;

async function crowd(address) {
  const wires = Array.from({ length: CONNECTIONS }, () => new Wire(address));
  const scenes = wires.map((wire) => new Scene(wire, 'crowd'));
  const ns = scenes[0].ns;
  for (const scene of scenes) scene.ns = ns;
  const seen = [];
  let open = 0;
  const poll = async (worker) => {
    for (;;) {
      open += 1;
      const got = await worker.scene.w.PollTask(worker.request(), { seconds: 120 }).finally(() => { open -= 1; });
      if (got.run_id === '') continue;
      seen.push(got.run_id);
      return;
    }
  };
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, i) => scenes[i % CONNECTIONS].worker()));
  const polls = workers.flatMap((worker) => Array.from({ length: POLLS / WORKERS }, () => poll(worker)));
  await until(() => open === POLLS, `${POLLS} open polls`, 30);
  // The last ones have arrived when a call behind them is answered.
  await Promise.all(scenes.map((scene) => scene.a.HealthCheck({})));
  equal(open, POLLS, 'open polls');
  shown(`${POLLS} polls are open on ${CONNECTIONS} connections`);
  const begun = Date.now();
  const ids = [];
  let left = POLLS;
  const starter = async (scene) => {
    while (left > 0) {
      left -= 1;
      ids.push(await scene.start());
    }
  };
  await Promise.all(Array.from({ length: STARTS_AT_A_TIME }, (_, i) => starter(scenes[i % CONNECTIONS])));
  const started = Date.now() - begun;
  await until(() => seen.length >= POLLS || open === 0, `${POLLS} deliveries`, 60);
  await Promise.all(polls);
  const took = Date.now() - begun;
  equal(new Set(seen).size, POLLS, 'different runs delivered');
  equal(seen.slice().sort().join(), ids.slice().sort().join(), 'each once');
  holds(took < 60000, 'within 60 s', `${took} ms`);
  shown(`${POLLS} runs, each delivered once, in ${took} ms (started within ${started} ms)`);
  for (const worker of workers) worker.silence();
}

// --- rights

async function auth(address, operator, eye, fleet) {
  const as = (token) => new Scene(new Wire(address, { metadata: token ? { authorization: `Bearer ${token}` } : {} }), 'auth');
  const nobody = as();
  const liar = as('wrong-wrong-wrong-wrong');
  for (const [scene, who] of [[nobody, 'no token'], [liar, 'a wrong token']]) {
    await scene.v.refused.ListWorkflows('UNAUTHENTICATED', { namespace: 'x' });
    await scene.k.refused.ListWorkflowRuns('UNAUTHENTICATED', { namespace_id: 'x' });
    await scene.w.refused.Register('UNAUTHENTICATED', scene.identity());
    shown(`${who} is UNAUTHENTICATED, with details`);
  }
  equal((await nobody.wire.call('health', 'Health', 'Check', { service: '' })).value.status, 'SERVING', 'health without a token');
  shown('probes need no token');
  const boss = as(operator);
  const run_id = await boss.start();
  shown('the operator starts a run');
  const reader = as(eye);
  reader.ns = boss.ns;
  await reader.status(run_id, 'PENDING');
  await reader.v.refused.StartWorkflow('PERMISSION_DENIED', { namespace: boss.ns, external_id: 'e', task_queue: 'q', workflow_type: 'W' });
  await reader.v.refused.CancelWorkflow('PERMISSION_DENIED', { namespace: boss.ns, run_id });
  await reader.w.refused.Register('PERMISSION_DENIED', reader.identity());
  await reader.k.refused.StartWorkflow('PERMISSION_DENIED', { workflow_id: 'w', task_queue: 'q', workflow_type: 'W' });
  shown('a read-only token reads and does nothing else');
  const hand = as(fleet);
  hand.ns = boss.ns;
  const worker = await hand.worker();
  equal((await worker.take(20)).run_id, run_id, 'delivered');
  await worker.step(run_id, 'a');
  await hand.v.refused.CancelWorkflow('PERMISSION_DENIED', { namespace: boss.ns, run_id });
  await hand.s.refused.CreateWorkflowSchedule('PERMISSION_DENIED', { namespace: boss.ns, task_queue: 'q', workflow_type: 'W', cron_expr: '0 0 0 1 1 *' });
  await worker.complete(run_id);
  await boss.status(run_id, 'COMPLETED');
  shown('a worker token works, and does not operate');
  await hand.close();
}

// --- whose call it was: prints run ids for the caller to look up elsewhere

async function trace(address) {
  const scene = new Scene(new Wire(address), 'trace');
  const start = (metadata) => scene.v.StartWorkflow({ namespace: 'default', external_id: randomUUID(), task_queue: 'q', workflow_type: 'W' }, { metadata });
  const given = await start({ 'x-correlation-id': 'from-the-test' });
  const traced = await start({ traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
  console.log(JSON.stringify({ given: given.run_id, traced: traced.run_id }));
}

// --- TLS. Arguments: address, operator token, ca, and for mutual TLS a certificate and its key.

async function tls(address, operator, ca, cert, key) {
  const read = (file) => (file ? fs.readFileSync(file) : null);
  const metadata = { authorization: `Bearer ${operator}` };
  const channel = { 'grpc.ssl_target_name_override': 'localhost', 'grpc.default_authority': 'localhost' };
  const info = async (credentials) => code_of(new Wire(address, { credentials, metadata, channel }).call('v1', 'AdminService', 'GetServerInfo', {}, { seconds: 5 }));
  const out = (code) => ['UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(code);
  equal(await info(grpc.credentials.createSsl(read(ca), read(key), read(cert))), 'OK', 'with everything it asks for');
  holds(out(await info(grpc.credentials.createInsecure())), 'nothing without TLS', 'an answer');
  holds(out(await info(grpc.credentials.createSsl())), 'nothing from a client that does not trust it', 'an answer');
  if (cert) holds(out(await info(grpc.credentials.createSsl(read(ca)))), 'nothing for a client without a certificate', 'an answer');
  const scene = new Scene(new Wire(address, { credentials: grpc.credentials.createSsl(read(ca), read(key), read(cert)), metadata, channel }), 'tls');
  const run = await scene.held();
  await run.worker.complete(run.run_id);
  await scene.close();
  shown(cert ? 'mutual TLS: a client with a certificate lives a run, others get nothing' : 'TLS: a client that trusts the server lives a run, others get nothing');
}

const PARTS = { health, stopping, reflection, broken, vanish, crowd, auth, trace, tls };

async function main([part, ...more]) {
  await (PARTS[part] || (() => fail(`one of ${Object.keys(PARTS)}`, part)))(...more);
  process.exit(0);
}

main(process.argv.slice(2)).catch((error) => { console.log(`FAIL ${error.message}`); if (process.env.CASES_TRACE) console.log(error.stack); process.exit(1); });
