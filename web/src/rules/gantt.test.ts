import { describe, expect, it } from 'vitest';
import { ganttOf, ticksOf, type Step } from './gantt';

const at = (seconds: number) => new Date(seconds * 1000).toISOString();
const step = (name: string, begun: number, finished?: number, more: Partial<Step> = {}): Step => ({
  id: `${name} ${begun}`,
  name,
  kind: 'function',
  state: finished === undefined ? 'running' : 'completed',
  attempt: 1,
  begun_at: at(begun),
  ...(finished !== undefined && { finished_at: at(finished) }),
  ...more,
});

describe('steps over time', () => {
  it('puts attempts of one step into one line', () => {
    const { lines } = ganttOf([step('charge', 0, 1, { state: 'failed' }), step('charge', 2, 4), step('mail', 4, 10)], 10_000);
    expect(lines.map((line) => [line.name, line.bars.length])).toEqual([['charge', 2], ['mail', 1]]);
    expect(lines[0]!.bars.map((bar) => [bar.left, bar.width, bar.look])).toEqual([[0, 0.1, 'failed'], [0.2, 0.2, 'work']]);
  });
  it('leaves what goes on open until now', () => {
    const { lines, to } = ganttOf([step('wait', 0, undefined, { kind: 'signal', state: 'waiting' })], 8000);
    expect(to).toBe(8000);
    expect(lines[0]!.bars[0]).toMatchObject({ isOpen: true, width: 1, look: 'signal' });
  });
  it('shows what took no time at all', () => {
    const bar = ganttOf([step('a', 0, 100), step('b', 100, 100)], 0).lines[1]!.bars[0]!;
    expect(bar.width).toBeGreaterThan(0);
    expect(bar.left + bar.width).toBeLessThanOrEqual(1);
  });
  it('is empty without steps', () => expect(ganttOf([], 0).lines).toEqual([]));
  it.each([5, 900, 60_000, 3_600_000, 400 * 86_400_000])('has a few round ticks for %i ms', (span) => {
    const ticks = ticksOf(span);
    expect(ticks.length).toBeGreaterThanOrEqual(3);
    expect(ticks.length).toBeLessThanOrEqual(8);
  });
});
