import { describe, expect, it } from 'vitest';
import { segmentsOf, toneOf, workerAddress } from './why';

describe('why as words and links', () => {
  it('links workers, jobs and times', () => {
    const job = '0190c8a2-0000-7000-8000-000000000001';
    const why = { id: 'x', state: 'ready', code: 'concurrency_key', text: `key 'a' is held by ${job} until 2026-11-18T12:00:00.000Z`, details: { jobs: [job] } };
    expect(segmentsOf(why, {})).toEqual([
      { text: "key 'a' is held by " },
      { text: job, href: `/jobs/${job}` },
      { text: ' until ' },
      { text: '2026-11-18T12:00:00.000Z', at: '2026-11-18T12:00:00.000Z' },
    ]);
  });
  it('links what is missing to the lanes, and the queue', () => {
    const why = { id: 'x', state: 'ready', code: 'no_capable_worker', text: "no live worker offers 'tool:ffmpeg'", details: { missing: ['tool:ffmpeg'] } };
    expect(segmentsOf(why, { queue: 'video' })[1]).toEqual({ text: "'tool:ffmpeg'", href: '/lanes?need=tool%3Affmpeg' });
    const paused = { id: 'x', state: 'ready', code: 'paused', text: "queue 'video' is paused" };
    expect(segmentsOf(paused, { queue: 'video' })[0]).toEqual({ text: "queue 'video'", href: '/queues?queue=video' });
  });
  it('keeps a sentence that names nothing', () => expect(segmentsOf({ id: 'x', state: 'ready', code: 'next_in_line', text: 'it is next' }, {})).toEqual([{ text: 'it is next' }]));
  it('loses no word', () => {
    const why = { id: 'x', state: 'running', code: 'running', text: "worker 'w' is running attempt 1", details: { workers: ['w'] } };
    expect(segmentsOf(why, {}).map((one) => one.text).join('')).toBe(why.text);
  });
  it('names the namespace of a worker when it is another one', () => expect([workerAddress('w/1'), workerAddress('w', 'team a')]).toEqual(['/workers/w%2F1', '/workers/w?namespace=team%20a']));
  it('worries when nobody will come', () => expect([toneOf('no_worker'), toneOf('workers_full'), toneOf('running')]).toEqual(['bad', 'wait', 'good']));
});
