// A small world to look at: workers with work in every state, a workflow that waits for a signal, schedules, a plan over inputs.
import { expect } from '@playwright/test';
import type { Server } from './server';

const LONG_MS = 600_000;

export interface World {
  dead: string;
  running: string;
  stuck: string;
  run: string;
  parent: string;
  schedule: string;
  action: string;
  session: string;
  /** A run of an agent that waits for somebody to allow a tool's call. */
  asking: string;
}

export class Worker {
  private constructor(
    private readonly server: Server,
    readonly id: string,
    private readonly session: number,
  ) {}

  static async register(server: Server, id: string, spec: Record<string, unknown>): Promise<Worker> {
    const { session } = await server.call('POST', '/workers', { id, heartbeat_ms: LONG_MS, dead_after_ms: 3 * LONG_MS, ...spec });
    return new Worker(server, id, session);
  }

  async claim(queue: string): Promise<{ id: string; fence: number }> {
    const { jobs } = await this.server.call('POST', '/jobs/claim', { worker: this.id, session: this.session, queues: [queue], limit: 1, lease_ms: LONG_MS, wait_ms: 10_000 });
    if (!jobs[0]) throw new Error(`nothing to claim from ${queue}`);
    return jobs[0];
  }

  settle(how: 'complete' | 'fail' | 'progress', job: { id: string; fence: number }, body: Record<string, unknown>): Promise<unknown> {
    return this.server.call('POST', `/jobs/${job.id}/${how}`, { fence: job.fence, ...body });
  }

  steps(run: { id: string; fence: number }, ...calls: Record<string, unknown>[]): Promise<unknown> {
    return this.server.call('POST', `/runs/${run.id}/steps`, { fence: run.fence, calls });
  }
}

/** A job that has failed for good. The queue holds nothing else that waits. */
export async function deadJob(server: Server, worker: Worker, queue: string, spec: Record<string, unknown> = {}): Promise<string> {
  const { id } = await server.job({ type: 'mail.send', queue, retry: { attempts_max: 1 }, payload: { to: 'ada@example.org', subject: 'Hello' }, labels: { customer: '42' }, ...spec });
  const job = await worker.claim(queue);
  await worker.settle('fail', job, { error: { kind: 'smtp', message: '550 mailbox unavailable' } });
  return id;
}

/** A run of an agent is in that state, soon. */
export async function reaches(server: Server, run: string, state: string): Promise<void> {
  await expect.poll(async () => (await server.call('GET', `/agent-runs/${run}`)).state).toBe(state);
}

export async function makeWorld(server: Server): Promise<World> {
  const encoder = await Worker.register(server, 'encoder-1', { capabilities: ['tool:ffmpeg'], queues: ['video'], slots: 4, labels: { zone: 'eu-1' }, hostname: 'enc-1', version: '2.1' });
  const clerk = await Worker.register(server, 'clerk-1', { capabilities: ['workflow:*'], queues: ['orders', 'mail'], slots: 8, labels: { zone: 'eu-2' } });

  const { id: running } = await server.job({ type: 'encode', queue: 'video', needs: ['tool:ffmpeg'], payload: { file: 'clip.mov', preset: '1080p' } });
  await encoder.settle('progress', await encoder.claim('video'), { fraction: 0.4, message: 'pass 1 of 2' });
  const { id: stuck } = await server.job({ type: 'encode', queue: 'video', needs: ['tool:ffmpeg', 'label:gpu=1'], payload: { file: 'big.mov' } });
  for (let i = 0; i < 3; i += 1) {
    await server.job({ type: 'mail.send', queue: 'mail', payload: { to: `user-${i}@example.org` } });
    await clerk.settle('complete', await clerk.claim('mail'), { result: { accepted: true } });
  }
  const dead = await deadJob(server, clerk, 'mail');
  await server.job({ type: 'report', queue: 'reports', delay_ms: LONG_MS });

  const { id: parent } = await server.call('POST', '/runs', { type: 'order', queue: 'orders', external_id: 'order-17', payload: { order: 17 } });
  const held = await clerk.claim('orders');
  await clerk.steps(held, { call: 'begin', step: 'charge', kind: 'function', input: { amount: 42 } });
  await clerk.steps(held, { call: 'complete', step: 'charge', output: { paid: true } }, { call: 'begin', step: 'pack', kind: 'function' });
  await clerk.steps(held, { call: 'complete', step: 'pack', output: { boxes: 2 } }, { call: 'await_signal', step: 'approval', signal: 'approved' });
  const { id: run } = await server.call('POST', '/runs', { type: 'ship', queue: 'orders', parent: { run: parent, step: 'shipping' } });

  const { id: schedule } = await server.call('POST', '/schedules', { timing: { text: '0 9 * * 1-5', zone: 'Europe/Berlin' }, job: { type: 'report', queue: 'reports', payload: { days: 1 } }, note: 'daily report' });
  await server.call('POST', '/plans', {
    plan_id: 'count-lines',
    plan_description: 'Count the lines of a file.',
    tasks: [
      { task_number: 1, command: 'sort', args: ['{{input.path}}'] },
      { task_number: 2, command: 'wc', args: ['-l'], input_from_task: 1 },
    ],
  });
  const { id: action } = await server.call('POST', '/actions', { plan: 'count-lines', inputs: Array.from({ length: 24 }, (_, at) => ({ path: `/var/log/${at}` })) });
  await server.call('POST', '/tools', { name: 'get_weather', description: 'The weather of a city', approval: 'ask' });
  await server.call('POST', '/agents', { name: 'support', model: 'a-model', description: 'Helps people', tool_names: ['get_weather'] });
  const { id: session } = await server.call('POST', '/sessions', { metadata: { customer: 42 } });
  const { id: answered } = await server.call('POST', '/agent-runs', { agent: 'support', prompt: 'My parcel is late.', session_id: session });
  await reaches(server, answered, 'completed');
  const { id: asking } = await server.call('POST', '/agent-runs', { agent: 'support', prompt: 'How is the weather in Oslo?' });
  await reaches(server, asking, 'awaiting_input');
  await server.call('POST', '/queues/reports/pause', { namespace: 'default', reason: 'month end' });
  return { dead, running, stuck, run, parent, schedule, action, session, asking };
}
