import { describe, expect, it } from 'vitest';
import { isAccepted, isAnswered, isAnsweredSomewhere } from './probes';

describe('an optional route', () => {
  it('is there for whoever gets an answer', () => expect([200, 204].every(isAnswered)).toBe(true));
  it('is not there otherwise', () => expect([400, 401, 403, 404, 405, 500, 503].some(isAnswered)).toBe(false));
  it('of one namespace is also there for whoever may not ask about the default one', () => expect([200, 403].every(isAnsweredSomewhere)).toBe(true));
  it('of one namespace is not there otherwise', () => expect([401, 404, 500].some(isAnsweredSomewhere)).toBe(false));
  it('is there when its path accepts the method', () => expect(isAccepted('POST', 'GET, HEAD, POST, OPTIONS')).toBe(true));
  // GET /jobs/act is the job "act" to a server without POST /jobs/act.
  it('is not there when only another route has the path', () => expect(isAccepted('POST', 'GET, HEAD, OPTIONS')).toBe(false));
  it('is not there without a word about it', () => expect(isAccepted('POST', null)).toBe(false));
});
