import { describe, expect, it } from 'vitest';
import { Coalescer } from './coalesce';

describe('Coalescer', () => {
  const make = (most = 3) => new Coalescer<{ id: string; state: string }>((event) => event.id, most);
  it('keeps the newest of each, in the order they came', () => {
    const waiting = make();
    waiting.add({ id: 'a', state: 'ready' });
    waiting.add({ id: 'b', state: 'ready' });
    waiting.add({ id: 'a', state: 'running' });
    expect(waiting.take()).toEqual({ events: [{ id: 'b', state: 'ready' }, { id: 'a', state: 'running' }], overflowed: false });
    expect(waiting.isEmpty()).toBe(true);
  });
  it('says when there were more than it keeps', () => {
    const waiting = make(2);
    for (const id of ['a', 'b', 'c']) waiting.add({ id, state: 'ready' });
    expect(waiting.take()).toMatchObject({ overflowed: true });
    expect(waiting.take()).toEqual({ events: [], overflowed: false });
  });
});
