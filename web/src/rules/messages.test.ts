import { describe, expect, it } from 'vitest';
import { goneOnFrom, readOn, WHOLE_EVERY_MS } from './messages';

const said = (...numbers: number[]) => numbers.map((number) => ({ number }));

describe('a conversation that is read on', () => {
  it('adds what came, each once', () => expect(readOn(said(1, 2), said(2, 3), 10)).toEqual(said(1, 2, 3)));
  it('is the same list when nothing came', () => {
    const before = said(1, 2);
    expect(readOn(before, [], 10)).toBe(before);
  });
  it('keeps the last ones of many', () => expect(readOn(said(1, 2, 3), said(4, 5), 3)).toEqual(said(3, 4, 5)));
  it('goes on behind what is known', () => expect(goneOnFrom({ messages: said(1), compactions: 2, wholeAt: 1000 }, 2, 2000)).toEqual(said(1)));
  it('goes on while the number of compactions is not known yet', () => {
    expect(goneOnFrom({ messages: said(1), compactions: undefined, wholeAt: 1000 }, 2, 2000)).toEqual(said(1));
    expect(goneOnFrom({ messages: said(1), compactions: 2, wholeAt: 1000 }, undefined, 2000)).toEqual(said(1));
  });
  it('begins anew at first, after a compaction, and now and then', () => {
    const before = { messages: said(1), compactions: 2, wholeAt: 1000 };
    expect(goneOnFrom(undefined, 0, 2000)).toEqual([]);
    expect(goneOnFrom(before, 3, 2000)).toEqual([]);
    expect(goneOnFrom(before, 2, 1000 + WHOLE_EVERY_MS)).toEqual([]);
  });
});
