import { describe, expect, it } from 'vitest';
import { pathOf } from './job_path';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();

describe("a job's way", () => {
  it('shows every attempt, its outcome and the end', () => {
    const path = pathOf({
      state: 'dead',
      created_at: at(0),
      finished_at: at(9),
      error: { kind: 'smtp', message: 'refused' },
      attempts: [
        { attempt: 1, worker: 'w1', started_at: at(1), ended_at: at(3), outcome: 'lost' },
        { attempt: 1, worker: 'w2', started_at: at(5), ended_at: at(9), outcome: 'failed', error: { kind: 'smtp', message: 'refused' } },
      ],
    });
    expect(path.map((entry) => [entry.title, entry.tone])).toEqual([
      ['accepted', 'plain'],
      ['attempt 1: lost, rescued', 'bad'],
      ['attempt 1: failed', 'bad'],
      ['dead', 'bad'],
    ]);
    expect(path[2]).toMatchObject({ after: 2000, took: 4000 });
  });
  it('shows an attempt that goes on though the list of attempts has none', () =>
    expect(pathOf({ state: 'running', created_at: at(0), started_at: at(1), worker: 'w', fence: 7, attempt: 2 }).at(-1)).toMatchObject({ tone: 'run', attempt: { attempt: 2, fence: 7, worker: 'w' } }));
  it('shows when it is due', () => {
    expect(pathOf({ state: 'scheduled', created_at: at(0), due_at: at(60) }).map((entry) => entry.title)).toEqual(['accepted', 'due']);
    const retried = pathOf({ state: 'scheduled', created_at: at(0), due_at: at(60), attempts: [{ attempt: 1, started_at: at(1), ended_at: at(2), outcome: 'failed' }] });
    expect(retried.map((entry) => entry.title)).toEqual(['accepted', 'attempt 1: failed', 'next attempt']);
  });
});
