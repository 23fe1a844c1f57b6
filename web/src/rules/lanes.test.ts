import { describe, expect, it } from 'vitest';
import { lanesLeftOut, lanesQuery } from './lanes';

describe('lanes', () => {
  it('are asked for by namespace and queue, as many as there may be', () => {
    expect(lanesQuery('', '')).toEqual({ limit: 1000 });
    expect(lanesQuery('team a', 'video')).toEqual({ namespace: 'team a', queue: 'video', limit: 1000 });
  });
  it('are all there when the answer says so', () => expect(lanesLeftOut({ lanes: [1], more: false })).toBe(''));
  it('are said to be left out when there are more', () => expect(lanesLeftOut({ lanes: [1, 2], more: true })).toContain('more lanes than the first 2'));
});
