// Calls methods for a test that is not written in JavaScript, and lives through restarts of the server. Argument: address.
// A JSON line in: { id, service: "v1.AdminService", method, request }; a JSON line out: { id, value } or { id, refused, text }. Bytes are base64.
'use strict';
const readline = require('node:readline');
const { Wire, Refused } = require('./wire.cjs');
const { pause } = require('./check.cjs');

const TRIES = 100;
const wire = new Wire(process.argv[2], { channel: { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.min_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 200 } });

// A server that is just starting is called again.
async function called(dialect, service, method, request) {
  for (let i = 1; ; i += 1) {
    try {
      return (await wire.call(dialect, service, method, request)).value;
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'UNAVAILABLE' || i === TRIES) throw error;
      await pause(100);
    }
  }
}

const plain = (_, value) => (value && value.type === 'Buffer' ? Buffer.from(value.data).toString('base64') : value);

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, service, method, request } = JSON.parse(line);
  const [dialect, name] = service.split('.');
  const answer = await called(dialect, name, method, request).then((value) => ({ id, value }), (error) => ({ id, refused: error.code || 'error', text: error.message }));
  process.stdout.write(`${JSON.stringify(answer, plain)}\n`);
});
