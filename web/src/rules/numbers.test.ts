import { describe, expect, it } from 'vitest';
import { bytes, compact, count, percent, plural, rate } from './numbers';

describe('numbers', () => {
  it('groups thousands', () => expect(count(1_234_567)).toBe('1\u202f234\u202f567'));
  it('shows what is not known as a dash', () => expect([count(undefined), rate(undefined), bytes(undefined)]).toEqual(['–', '–', '–']));
  it.each([
    [0.04, '0.0'],
    [7, '7'],
    [999, '999'],
    [1234, '1.2k'],
    [34_567, '35k'],
    [1_200_000, '1.2M'],
  ])('keeps %d short', (value, text) => expect(compact(value)).toBe(text));
  it.each([
    [0, '0'],
    [0.03, '<0.1'],
    [3.16, '3.2'],
    [190, '190'],
  ])('shows a rate of %d', (value, text) => expect(rate(value)).toBe(text));
  it('counts in powers of two', () => expect([bytes(512), bytes(1536), bytes(3 * 1024 ** 3)]).toEqual(['512 B', '1.5 KiB', '3.0 GiB']));
  it('keeps a share within its bounds', () => expect([percent(-1), percent(0.404), percent(2)]).toEqual(['0 %', '40 %', '100 %']));
  it('speaks of one in the singular', () => expect([plural(1, 'job'), plural(2, 'job')]).toEqual(['1 job', '2 jobs']));
});
