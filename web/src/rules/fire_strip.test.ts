import { describe, expect, it } from 'vitest';
import { cellsOf, marksOf } from './fire_strip';

describe('fires on a strip', () => {
  it('fall into their cells, the end left out', () => expect(cellsOf([0, 1, 10, 99, 100, -1], 0, 100, 10).map((cell) => cell.fires)).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 1]));
  it('cover the span without a gap', () => {
    const cells = cellsOf([], 0, 7, 3);
    expect(cells[0]!.from).toBe(0);
    expect(cells[2]!.to).toBeCloseTo(7);
    expect(cells[1]!.from).toBeCloseTo(cells[0]!.to);
  });
  it('have few marks', () => {
    const day = 86_400_000;
    expect(marksOf(0, 7 * day, 8).length).toBeLessThanOrEqual(8);
    expect(marksOf(0, day, 8).length).toBeGreaterThan(2);
  });
});
