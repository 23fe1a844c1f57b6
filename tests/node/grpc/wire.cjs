// A gRPC client made from the published protos: calls by name, answers and refusals as values. It knows the wire and no rules.
//
// Every refusal of the server carries the dialect's ErrorDetail as raw bytes in grpc-status-details-bin; it is decoded here, so that no test
// can forget to look.
'use strict';
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const CALL_SECONDS = 30;
const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;  // of the client: the server's limits are what is tested
const NAMES = Object.fromEntries(Object.entries(grpc.status).filter(([, v]) => typeof v === 'number').map(([k, v]) => [v, k]));

function load(file) {
  return loader.loadSync(path.join(__dirname, file), { keepCase: true, longs: Number, enums: String, defaults: true });
}

const files = {};
function definition(file) {
  files[file] = files[file] || load(file);
  return files[file];
}

// dialect → proto file, package. That the server's own files are as published is checked by tools.cjs.
const PROTO = '../../../proto';
const DIALECTS = {
  k0: [`${PROTO}/kagzi_k0.proto`, 'kagzi'],
  k0a: ['k0a.proto', 'kagzi'],
  v1: [`${PROTO}/kagzi_v1.proto`, 'kagzi.v1'],
  health: [`${PROTO}/health_v1.proto`, 'grpc.health.v1'],
  'reflection.v1': [`${PROTO}/reflection_v1.proto`, 'grpc.reflection.v1'],
  'reflection.v1alpha': [`${PROTO}/reflection_v1alpha.proto`, 'grpc.reflection.v1alpha'],
};

// Everything the files of the server define.
function definitions() {
  return Object.assign({}, ...Object.values(DIALECTS).filter(([file]) => file.startsWith(PROTO)).map(([file]) => definition(file)));
}

function service(dialect, name) {
  const [file, scope] = DIALECTS[dialect];
  const found = definition(file)[`${scope}.${name}`];
  if (!found) throw new Error(`${file} has no ${name}`);
  return found;
}

function detail_of(dialect, bytes) {
  return service(dialect === 'k0a' ? 'k0' : dialect, 'ErrorDetail').deserialize(bytes);
}

// The server reads an error of a K0 client as bytes, since older ones send plain text there; clients send an ErrorDetail.
function as_sent(dialect, request) {
  if (dialect !== 'k0' || !request || typeof request.error !== 'object') return request;
  return { ...request, error: service(dialect, 'ErrorDetail').serialize(request.error) };
}

function metadata_of(entries) {
  const made = new grpc.Metadata();
  for (const [name, value] of Object.entries(entries || {})) made.set(name, value);
  return made;
}

function texts_of(metadata) {
  return Object.fromEntries(Object.entries(metadata ? metadata.getMap() : {}).filter(([, value]) => typeof value === 'string'));
}

class Refused extends Error {
  constructor(what, dialect, error) {
    super(`${what}: ${NAMES[error.code]}: ${error.details}`);
    this.code = NAMES[error.code];
    this.text = error.details;
    this.metadata = error.metadata;
    const blob = error.metadata ? error.metadata.get('grpc-status-details-bin')[0] : undefined;
    this.blob = blob;
    this.detail = blob && ['k0', 'k0a', 'v1'].includes(dialect) ? detail_of(dialect, blob) : null;
  }
}

class Wire {
  // options: credentials, and whatever grpc-js takes for a channel.
  constructor(address, { credentials = grpc.credentials.createInsecure(), metadata = {}, channel = {} } = {}) {
    this.address = address;
    this.metadata = metadata;
    this.client = new grpc.Client(address, credentials, {
      'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
      'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
      'grpc.enable_retries': 0,
      'grpc.use_local_subchannel_pool': 1,
      ...channel,
    });
  }

  // Starts a call: { done, cancel }. `done` gives { value, trailers, leading } or throws Refused. `bytes` goes out instead of the request.
  open(dialect, name, method, request, { metadata, seconds = CALL_SECONDS, bytes } = {}) {
    const which = service(dialect, name)[method];
    if (!which) throw new Error(`${name} has no method ${method}`);
    const what = `${name}.${method}`;
    const serialize = bytes === undefined ? which.requestSerialize : () => bytes;
    let call;
    const done = new Promise((resolve, reject) => {
      const answer = {};
      const options = { deadline: Date.now() + seconds * 1000 };
      call = this.client.makeUnaryRequest(which.path, serialize, which.responseDeserialize, as_sent(dialect, request),
        metadata_of({ ...this.metadata, ...metadata }), options, (error, value) => {
          if (error) reject(new Refused(what, dialect, error));
          else resolve(Object.assign(answer, { value }));
        });
      call.on('metadata', (leading) => { answer.leading = texts_of(leading); });
      call.on('status', (status) => { answer.trailers = texts_of(status.metadata); });
    });
    return { done, cancel: () => call.cancel() };
  }

  async call(dialect, name, method, request, options) {
    const answer = await this.open(dialect, name, method, request, options).done;
    // The status comes behind the message; who wants trailers gets them.
    while (answer.trailers === undefined) await new Promise((resolve) => setImmediate(resolve));
    return answer;
  }

  stream(dialect, name, method) {
    const which = service(dialect, name)[method];
    const metadata = metadata_of(this.metadata);
    if (which.requestStream) return this.client.makeBidiStreamRequest(which.path, which.requestSerialize, which.responseDeserialize, metadata);
    return (request) => this.client.makeServerStreamRequest(which.path, which.requestSerialize, which.responseDeserialize, request, metadata);
  }

  close() {
    this.client.close();
  }
}

module.exports = { Wire, Refused, grpc, service, definitions, detail_of, NAMES };
