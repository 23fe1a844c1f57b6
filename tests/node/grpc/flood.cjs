// Peers that mean harm, on bare HTTP/2 without a token.
//   flood.cjs bomb ADDRESS MEBIBYTES CALLS   calls whose small messages are so large when unpacked; one line per answer
//   flood.cjs watch ADDRESS STREAMS          open streams of Health/Watch; one line when they are there, ends with the connection
'use strict';

const http2 = require('node:http2');
const zlib = require('node:zlib');

const [mode, address, ...numbers] = process.argv.slice(2);
const session = http2.connect(`http://${address}`);
session.on('error', () => process.exit(0));
session.on('close', () => process.exit(0));

function frame(message, compressed) {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function call(path, headers = {}) {
  return session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers });
}

async function packed(mebibytes) {
  const gzip = zlib.createGzip({ level: 9 });
  const parts = [];
  gzip.on('data', (part) => parts.push(part));
  const ended = new Promise((resolve) => gzip.on('end', resolve));
  const zeros = Buffer.alloc(1 << 20);
  for (let i = 0; i < mebibytes; ++i) await new Promise((resolve) => gzip.write(zeros, resolve));
  gzip.end();
  await ended;
  return Buffer.concat(parts);
}

function ended(stream) {
  return new Promise((resolve) => {
    let code = 'none';
    const note = (headers) => { code = headers['grpc-status'] ?? code; };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('error', () => {});
    stream.on('close', () => resolve(code));
    stream.resume();
  });
}

async function bomb(mebibytes, calls) {
  const message = frame(await packed(mebibytes), true);
  const answers = [];
  for (let i = 0; i < calls; ++i) {
    const stream = call('/kagzi.v1.AdminService/GetServerInfo', { 'grpc-encoding': 'gzip' });
    answers.push(ended(stream));
    stream.end(message);
  }
  for (const answer of answers) console.log(`status ${await answer}`);
  session.close();
}

function watch(streams) {
  let heard = 0;
  for (let i = 0; i < streams; ++i) {
    const stream = call('/grpc.health.v1.Health/Watch');
    stream.on('error', () => {});
    stream.once('data', () => { if (++heard === streams) console.log('watching'); });
    stream.write(frame(Buffer.alloc(0), false));
  }
}

if (mode === 'bomb') bomb(Number(numbers[0]), Number(numbers[1]));
else watch(Number(numbers[0]));
