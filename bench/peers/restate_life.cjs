// Restate: one server on an empty folder, one service whose handler runs two durable steps, and a load of calls that wait for their
// results. Everything is ended with this process.
'use strict';

const http = require('http');
const http2 = require('http2');
const net = require('net');
const path = require('path');
const { spawn } = require('child_process');
// The SDK expects a newer Node.js than Debian's in this one point.
Promise.withResolvers ??= () => {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
};
process.env.RESTATE_LOGGING = 'ERROR';  // a line per call would be measured too
const restate = require('@restatedev/restate-sdk');
const { main } = require('./load.cjs');

const kFolder = process.env.MUSTER_BENCH_FOLDER;
const kOutstanding = Number(process.env.MUSTER_BENCH_OUTSTANDING);
const kSeconds = Number(process.env.MUSTER_BENCH_SECONDS);
const kStartMs = 30000;
// The program itself: its launcher would outlive us.
const kServer = path.join('node_modules', '@restatedev', `restate-server-linux-${process.arch}`, 'bin', 'restate-server');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const freePort = () => new Promise((resolve) => {
  const server = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

const twoSteps = restate.service({
  name: 'bench',
  handlers: {
    run: async (ctx) => {
      await ctx.run('step-0', () => 1);
      return ctx.run('step-1', () => 1);
    },
  },
});

const agent = new http.Agent({ keepAlive: true, maxSockets: kOutstanding });

function post(port, route, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const request = http.request({ host: '127.0.0.1', port, path: route, method: 'POST', agent, headers }, (response) => {
      let answer = '';
      response.on('data', (part) => { answer += part; });
      response.on('end', () => (response.statusCode < 300 ? resolve(answer) : reject(new Error(`${response.statusCode} ${answer}`))));
    });
    request.on('error', reject);
    request.end(text);
  });
}

async function until(what) {
  const end = Date.now() + kStartMs;
  for (;;) {
    try {
      return await what();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(50);
    }
  }
}

async function start() {
  const [ingress, admin, node, service] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const endpoint = http2.createServer(restate.createEndpointHandler({ services: [twoSteps] }));
  await new Promise((resolve) => endpoint.listen(service, '127.0.0.1', resolve));
  const server = spawn(kServer, ['--base-dir', kFolder, '--node-name', 'bench'], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: {
      ...process.env,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
  });
  process.on('exit', () => server.kill('SIGKILL'));
  await until(() => post(admin, '/deployments', { uri: `http://127.0.0.1:${service}` }));
  await until(() => post(ingress, '/bench/run', {}));
  return ingress;
}

main(async () => {
  const ingress = await start();
  const end = Date.now() + kSeconds * 1000;
  const lengths = [];
  const began = Date.now();
  const life = async () => {
    while (Date.now() < end) {
      const at = process.hrtime.bigint();
      await post(ingress, '/bench/run', {});
      lengths.push(Number(process.hrtime.bigint() - at) / 1e6);
    }
  };
  await Promise.all(Array.from({ length: kOutstanding }, life));
  lengths.sort((a, b) => a - b);
  const p99 = lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * 0.99))];
  console.log(JSON.stringify({ lives: Math.round((lengths.length * 1000) / (Date.now() - began)), p99: Number(p99.toFixed(3)) }));
});
