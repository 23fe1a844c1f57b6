import { describe, expect, it } from 'vitest';
import { limitChange, limitCommand, limitFields, type Limited } from './queue_limits';

const queue: Limited = { namespace: 'team-a', name: 'mail', running_max: 4, rate: { count: 5, per_ms: 60_000, burst: 3 } };
const first = limitFields(queue);

describe('the limits of a queue', () => {
  it('are shown as jobs at one time and claims per second', () => {
    expect(first).toEqual({ running: '4', claims: '0.0833333' });
    expect(limitFields({})).toEqual({ running: '', claims: '' });
  });
  it('are not sent when nobody touched them', () => expect(limitChange(queue, first)).toEqual({}));
  it('are not sent for a queue that has none', () => expect(limitChange({}, limitFields({}))).toEqual({}));
  it('leave the rate alone when only the other is changed', () => {
    expect(limitChange(queue, { ...first, running: '9' })).toEqual({ running_max: 9 });
    expect(limitCommand(queue, { ...first, running: '9' })).toBe('muster queue limit mail --running-max 9 --namespace team-a');
  });
  it('keep the burst of a rate that is changed', () => {
    expect(limitChange(queue, { ...first, claims: '0.5' })).toEqual({ rate: { count: 0.5, per_ms: 1000, burst: 3 } });
    expect(limitCommand(queue, { ...first, claims: '0.5' })).toBe('muster queue limit mail --rate 0.5/s --burst 3 --namespace team-a');
  });
  it.each(['', '0'])('are removed by %j', (typed) => {
    expect(limitChange(queue, { running: typed, claims: typed })).toEqual({ running_max: 0, rate: { count: 0, per_ms: 1000 } });
    expect(limitCommand(queue, { running: typed, claims: typed })).toBe('muster queue limit mail --running-max 0 --rate off --namespace team-a');
  });
});
