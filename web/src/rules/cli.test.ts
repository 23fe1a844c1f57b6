import { describe, expect, it } from 'vitest';
import { lengthFlag, line, quoted } from './cli';

describe('command lines', () => {
  it.each([
    ['mail', 'mail'],
    ['a b', `'a b'`],
    [`it's`, `'it'\\''s'`],
    ['$(rm -rf /)', `'$(rm -rf /)'`],
    ['{"a":1}', `'{"a":1}'`],
    ['', `''`],
  ])('quote %s', (word, text) => expect(quoted(word)).toBe(text));
  it('leave out what was not given, and the default namespace', () =>
    expect(line(['queue', 'pause', 'mail'], { reason: '', namespace: 'default', all: false, 'catch-up': true })).toBe('muster queue pause mail --catch-up'));
  it('name another namespace', () => expect(line(['queue', 'resume', 'mail'], { namespace: 'team-a' })).toBe('muster queue resume mail --namespace team-a'));
  it.each([
    [300_000, '5m'],
    [90_000, '90s'],
    [7_200_000, '2h'],
    [1500, '1500ms'],
  ])('say %i ms without rounding', (ms, text) => expect(lengthFlag(ms)).toBe(text));
});
