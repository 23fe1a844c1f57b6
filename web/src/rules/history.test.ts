import { describe, expect, it } from 'vitest';
import { goesOn, joined, lastPoint, type Recorded } from './history';

const record = (second: number, values: (number | null)[], name = 'running'): Recorded => ({ step_ms: 1000, from: new Date(second * 1000).toISOString(), points: values.length, series: { [name]: values } });

describe('a record read on', () => {
  it('keeps its length and moves on', () => {
    const both = joined(record(0, [1, 2, 3]), record(3, [4]));
    expect(both).toEqual({ step_ms: 1000, from: new Date(1000).toISOString(), points: 3, series: { running: [2, 3, 4] } });
    expect(lastPoint(both)).toBe(new Date(3000).toISOString());
  });
  it('is the same when nothing has come', () => expect(joined(record(0, [1]), record(9, [])).series.running).toEqual([1]));
  it('shows what was not recorded as a gap', () => expect(joined(record(0, [1, 2, 3, 4]), record(5, [6])).series.running).toEqual([3, 4, null, 6]));
  it('knows no past of a series that is new', () => expect(joined(record(0, [1, 2]), record(2, [7], 'dead')).series).toEqual({ running: [2, null], dead: [null, 7] }));
  it('begins anew after a long time', () => expect(joined(record(0, [1, 2]), record(99, [7])).series.running).toEqual([7]));
  it('goes on where the last point was, also over a gap, and when nothing has come', () => {
    for (const after of [record(2, [3]), record(9, [3]), record(2, [])]) expect(goesOn(record(0, [1, 2]), after)).toBe(true);
  });
  it('does not go on when the clock was set back', () => {
    for (const after of [record(1, []), record(0, [])]) expect(goesOn(record(0, [1, 2]), after)).toBe(false);
  });
  it('does not go on in the memory of another node', () => {
    expect(goesOn({ ...record(0, [1]), node: 'a' }, { ...record(1, [2]), node: 'b' })).toBe(false);
  });
  it('has no last point without any', () => expect(lastPoint(record(0, []))).toBeUndefined());
});
