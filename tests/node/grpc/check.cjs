// What the programs of this folder expect and how they say what they got instead.
'use strict';
const util = require('node:util');
const { Refused } = require('./wire.cjs');

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

// gRPC status → ErrorDetail.code per dialect, and whether the same call may help later.
const ERRORS = {
  NOT_FOUND: ['NOT_FOUND', true],
  INVALID_ARGUMENT: ['INVALID_ARGUMENT', true],
  FAILED_PRECONDITION: ['PRECONDITION_FAILED', true],
  ABORTED: ['CONFLICT', false],
  PERMISSION_DENIED: ['UNAUTHORIZED', true],
  UNAUTHENTICATED: ['UNAUTHORIZED', true],
  UNAVAILABLE: ['UNAVAILABLE', false],
  INTERNAL: ['INTERNAL', true],
};

class Unexpected extends Error {}

function show(value) {
  return util.inspect(value, { depth: 6, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 12 });
}

function fail(expected, got) {
  throw new Unexpected(`expected ${expected} got ${typeof got === 'string' ? got : show(got)}`);
}

function equal(got, expected, what) {
  if (!util.isDeepStrictEqual(got, expected)) fail(`${what}: ${show(expected)}`, got);
}

function holds(condition, expected, got) {
  if (!condition) fail(expected, got === undefined ? 'otherwise' : got);
}

// The call must be refused with this status and with whole details; gives the ErrorDetail.
async function refused(promise, status, what) {
  let answer;
  try {
    answer = await promise;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    holds(error.code === status, `${what}: ${status}`, `${error.code}: ${error.text}`);
    holds(error.detail, `${what}: details in grpc-status-details-bin`, `${error.code} without them`);
    const [word, final] = ERRORS[status];
    equal(error.detail.code, `ERROR_CODE_${word}`, `${what}: ErrorDetail.code`);
    equal(error.detail.non_retryable, final, `${what}: ErrorDetail.non_retryable`);
    holds(error.detail.message !== '', `${what}: a message for people`, error.detail);
    return error.detail;
  }
  return fail(`${what}: ${status}`, answer === undefined ? 'OK' : show(answer.value || answer));
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// Polls until the condition gives something true, and returns it.
async function until(condition, what, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  let last;
  while (Date.now() < end) {
    last = await condition();
    if (last) return last;
    await pause(50);
  }
  return fail(`${what} within ${seconds} s`, last);
}

const millis = (timestamp) => (timestamp ? timestamp.seconds * 1000 + Math.floor(timestamp.nanos / 1e6) : null);
const timestamp = (ms) => ({ seconds: Math.floor(ms / 1000), nanos: (((ms % 1000) + 1000) % 1000) * 1e6 });
const json = (value) => Buffer.from(JSON.stringify(value));
const parsed = (bytes) => JSON.parse(bytes.toString());

module.exports = { Unexpected, UUID, equal, fail, holds, json, millis, parsed, pause, refused, show, timestamp, until };
