// A worker's life through the two usual Redis clients of Node.js. Arguments: host, port, key. Prints one JSON line per client; a failed
// expectation ends the process with code 1.
'use strict';
const assert = require('node:assert');
const Ioredis = require('ioredis');
const { createClient, WatchError } = require('redis');

const [host, port, key] = process.argv.slice(2);

const registration = (id) =>
  JSON.stringify({ worker_id: id, hostname: 'h', agw_version: '0.1.0', capabilities: { tools: ['echo'] }, max_concurrent_jobs: 2 });

async function submit(call, name) {
  const plan = { plan_id: `plan-${name}`, tasks: [{ task_number: 1, command: 'echo', args: ['{{input.n}}'] }] };
  assert.strictEqual(String(await call('PLAN.SUBMIT', JSON.stringify(plan))), plan.plan_id);
  const action = { action_id: `action-${name}`, plan_id: plan.plan_id, inputs: [{ n: 1 }, { n: 2 }] };
  return JSON.parse(await call('ACTION.SUBMIT', JSON.stringify(action))).job_ids;
}

// `call` sends one command and gives its reply; `blocking` does so on a connection of its own.
async function live(name, call, blocking) {
  const jobs = await submit(call, name);
  assert.strictEqual(await blocking('WORKER.REGISTER', registration(`worker-${name}`)), `OK worker_id=worker-${name} heartbeat_interval=30`);
  const done = [];
  for (let i = 0; i < jobs.length; i += 1) {
    const [queue, element] = await blocking('BRPOP', 'queue:ready', '5');
    assert.strictEqual(String(queue), 'queue:ready');
    const job = JSON.parse(element);
    assert.strictEqual(job.plan.tasks[0].command, 'echo');
    assert.strictEqual(await blocking('JOB.UPDATE', job.job_id, JSON.stringify({ status: 'running' })), 'OK');
    assert.strictEqual(await blocking('JOB.UPDATE', job.job_id, JSON.stringify({ status: 'completed', task_results: [] })), 'OK');
    done.push(job.job_id);
  }
  assert.deepStrictEqual(done.sort(), jobs.slice().sort());
  assert.strictEqual(await blocking('WORKER.HEARTBEAT', `worker-${name}`, '{"active_jobs":0}'), 'OK');
  assert.strictEqual(await blocking('WORKER.UNREGISTER', `worker-${name}`), 'OK');
  console.log(JSON.stringify({ client: name, jobs: done.length }));
}

async function withIoredis() {
  const options = { host, port: Number(port), password: key };
  const one = new Ioredis(options);
  const two = new Ioredis(options);
  await one.set('node:text', 'v', 'EX', 100);
  assert.strictEqual(await one.get('node:text'), 'v');
  await one.hset('node:hash', { a: '1', b: '2' });
  assert.deepStrictEqual(await one.hgetall('node:hash'), { a: '1', b: '2' });
  const replies = await one.pipeline().incr('node:n').incr('node:n').lpush('node:list', 'x').rpop('node:list').exec();
  assert.deepStrictEqual(replies.map((reply) => reply[1]), [1, 2, 1, 'x']);
  await one.watch('node:seen');
  assert.deepStrictEqual(await one.multi().incr('node:seen').rpush('node:log', 'a').exec(), [[null, 1], [null, 1]]);
  await one.watch('node:seen');
  await two.incr('node:seen');
  assert.strictEqual(await one.multi().rpush('node:log', 'b').exec(), null);
  assert.deepStrictEqual(await one.lrange('node:log', 0, -1), ['a']);
  await live('ioredis', (...words) => one.call(...words), (...words) => two.call(...words));
  one.disconnect();
  two.disconnect();
}

async function withNodeRedis() {
  const open = () => createClient({ socket: { host, port: Number(port) }, password: key }).connect();
  const one = await open();
  const two = await open();
  await one.set('node:other', 'v', { EX: 100 });
  assert.strictEqual(await one.get('node:other'), 'v');
  assert.deepStrictEqual(await one.zRangeWithScores('node:none', 0, -1), []);
  assert.deepStrictEqual(await one.multi().incr('node:told').lPush('node:lines', 'a').exec(), [1, 1]);
  await one.watch('node:told');
  await two.incr('node:told');
  await assert.rejects(one.multi().lPush('node:lines', 'b').exec(), WatchError);
  assert.strictEqual(await one.lLen('node:lines'), 1);
  const listener = await open();
  const heard = [];
  await listener.subscribe('jobs', (message) => heard.push(JSON.parse(message)));
  await live('redis', (...words) => one.sendCommand(words), (...words) => two.sendCommand(words));
  await listener.ping();  // its reply comes behind every message that was sent before
  assert.ok(heard.some((event) => event.job_id), 'events name their jobs');
  await listener.disconnect();
  await one.disconnect();
  await two.disconnect();
}

withIoredis().then(withNodeRedis).then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
