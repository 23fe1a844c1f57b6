import { describe, expect, it } from 'vitest';
import { differenceRows } from './differences';

const of = (...groups: number[]) => groups.map((group, at) => ({ node: 'abc'[at]!, value: `v${group}`, group }));

describe('settings that differ', () => {
  it('have a cell for each node, and the odd ones are marked', () => {
    const [row] = differenceRows(['a', 'b', 'c'], [{ name: 'x', own: false, known: true, values: of(1, 2, 1) }]);
    expect(row).toEqual({
      name: 'x',
      state: 'differs',
      cells: [
        { node: 'a', value: 'v1', isOdd: false },
        { node: 'b', value: 'v2', isOdd: true },
        { node: 'c', value: 'v1', isOdd: false },
      ],
    });
  });
  it('of two nodes mark neither, and neither do those of nodes that all differ', () => {
    for (const groups of [[1, 2], [1, 2, 3]])
      expect(differenceRows(['a', 'b', 'c'], [{ name: 'x', known: true, values: of(...groups) }])[0]!.cells.some((cell) => cell.isOdd)).toBe(false);
  });
  it('that are each node’s own are never odd', () => {
    const [row] = differenceRows(['a', 'b', 'c'], [{ name: 'listen.http', own: true, known: true, values: of(1, 2, 1) }]);
    expect(row!.state).toBe('own');
    expect(row!.cells.some((cell) => cell.isOdd)).toBe(false);
  });
  it('leave a node without a value that does not know them', () => {
    const [row] = differenceRows(['old', 'a', 'b'], [{ name: 'new', own: false, known: false, values: of(1, 2) }]);
    expect(row!.state).toBe('unknown');
    expect(row!.cells[0]).toEqual({ node: 'old', isOdd: false });
    expect(row!.cells[1]!.value).toBe('v1');
  });
});
