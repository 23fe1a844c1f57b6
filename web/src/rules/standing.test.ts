import { describe, expect, it } from 'vitest';
import { standingOf, standingWithout } from './standing';

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
