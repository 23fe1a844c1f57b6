import { describe, expect, it } from 'vitest';
import { isOtherReader, isSignedOut, standingOf, standingWithout } from './standing';

describe('who is looking', () => {
  it.each([
    [200, 'told'],
    [401, 'sign-in'],
    [404, 'unknown'],
    [405, 'unknown'],
    [503, 'ask again'],
  ])('is by an answer of %i to whoami: %s', (status, standing) => expect(standingOf(status)).toBe(standing));
  it('is an operator where everybody is', () => expect(standingWithout(200)).toBe('operator'));
  it.each([401, 403, 429, 500, 0])('only reads where a call without a token is answered %i', (status) => expect(standingWithout(status)).toBe('read-only'));
});

describe('a sign-out', () => {
  it.each([[200, true], [204, true], [401, true], [404, false], [500, false], [0, false]])('answered %i has happened: %s', (status, done) => expect(isSignedOut(status)).toBe(done));
});

describe('another reader', () => {
  const boss = { name: 'boss', role: 'operator', namespaces: ['a', 'b'] };
  it('is nobody, after somebody', () => expect(isOtherReader(boss, undefined)).toBe(true));
  it.each([{ ...boss, name: 'eye' }, { ...boss, role: 'read-only' }, { ...boss, namespaces: ['a'] }])('is %j', (now) => expect(isOtherReader(boss, now)).toBe(true));
  it('is not the same one again', () => expect(isOtherReader(boss, { ...boss, namespaces: ['b', 'a'] })).toBe(false));
  it('is not the first one: what was read meanwhile is theirs', () => expect(isOtherReader(undefined, boss)).toBe(false));
});
