// bullmq keeps its queues in scripts and streams, which the server has not. It must say so at its first call, with nothing done.
// Arguments: host, port, key.
'use strict';
const assert = require('node:assert');
const { Queue } = require('bullmq');

const [host, port, key] = process.argv.slice(2);
const queue = new Queue('letters', { connection: { host, port: Number(port), password: key } });
queue.on('error', () => {});  // told by the call, too
assert.rejects(queue.add('send', { to: 'ann' }), /Redis version needs to be greater/)
  .then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
