import { describe, expect, it } from 'vitest';
import { clock, duration, exact, instant, parseDuration, relative } from './time';

describe('duration', () => {
  it.each([
    [0, '0ms'],
    [420, '420ms'],
    [1000, '1s'],
    [1500, '1.5s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [252_000, '4m 12s'],
    [7_500_000, '2h 5m'],
    [273_600_000, '3d 4h'],
    [-5, '0ms'],
    [Number.NaN, '–'],
  ])('says %i ms as %s', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('relative', () => {
  const now = Date.parse('2026-11-18T12:00:00Z');
  it.each([
    [0, 'now'],
    [-12_000, '12s ago'],
    [-59 * 60_000, '59m ago'],
    [-3 * 3_600_000, '3h ago'],
    [-2 * 86_400_000, '2d ago'],
    [240_000, 'in 4m'],
  ])('says %i ms from now as %s', (distance, text) => expect(relative(now + distance, now)).toBe(text));
});

describe('exact', () => {
  it('is the time of the zone, with milliseconds', () => {
    expect(exact(Date.parse('2026-11-18T12:04:05.007Z'), 'Europe/Berlin')).toBe('2026-11-18 13:04:05.007 (Europe/Berlin)');
    expect(clock(Date.parse('2026-07-01T00:30:00Z'), 'UTC')).toBe('00:30:00');
  });
});

describe('instant', () => {
  it('is nothing for what is no time', () => {
    expect(instant(undefined)).toBeUndefined();
    expect(instant('soon')).toBeUndefined();
    expect(instant('1970-01-01T00:00:01Z')).toBe(1000);
  });
});

describe('parseDuration', () => {
  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
  ])('reads %s', (text, ms) => expect(parseDuration(text)).toBe(ms));
  it.each(['', '5', 'm', '5 minutes', '5m!'])('refuses "%s"', (text) => expect(parseDuration(text)).toBeUndefined());
});
