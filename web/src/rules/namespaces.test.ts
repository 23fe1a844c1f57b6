import { describe, expect, it } from 'vitest';
import { byName, namespacesToAsk, NAMESPACES_ASKED, newestFirst } from './namespaces';

describe('lists of several namespaces', () => {
  it('are read of the chosen one alone', () => expect(namespacesToAsk('b', ['a', 'b'])).toEqual(['b']));
  it('are read of each when none is chosen', () => expect(namespacesToAsk('', ['default', 'b'])).toEqual(['default', 'b']));
  it('are read of the default one when none is known', () => expect(namespacesToAsk('', [])).toEqual(['default']));
  it('are no flood', () => expect(namespacesToAsk('', Array.from({ length: 1000 }, (_, at) => `n${at}`))).toHaveLength(NAMESPACES_ASKED));
  it('are one list, newest first', () => {
    const at = (row: { at?: string }) => row.at;
    expect(newestFirst([[{ at: '2026-01-03' }, { at: '2026-01-01' }], [{ at: '2026-01-02' }, {}]], at).map(at)).toEqual(['2026-01-03', '2026-01-02', '2026-01-01', undefined]);
  });
  it('are one list by name', () => expect(byName([['b', 'd'], ['a', 'c']], (name) => name)).toEqual(['a', 'b', 'c', 'd']));
  it('stay as the server ordered them when there is one', () => expect(byName([['b', 'a']], (name) => name)).toEqual(['b', 'a']));
});
