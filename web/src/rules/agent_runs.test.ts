import { describe, expect, it } from 'vitest';
import { waitingFirst } from './agent_runs';

const run = (id: string, state = 'completed') => ({ id, state });

describe('runs of agents', () => {
  it('show those that wait for a person first, also ones older than the newest', () =>
    expect(waitingFirst([run('a'), run('b', 'awaiting_input'), run('c', 'streaming')], [run('b', 'awaiting_input'), run('old', 'awaiting_input')]).map((one) => one.id)).toEqual(['b', 'old', 'a', 'c']));
  it('show a run once', () => expect(waitingFirst([run('a', 'streaming')], [run('a', 'awaiting_input')])).toEqual([run('a', 'streaming')]));
});
