import { describe, expect, it } from 'vitest';
import { addressOfFilter, EVERY_JOB, filterOfAddress, flagsOfFilter, isNarrowed, jobsAddress, mayMatch, searchOfFilter, type JobFilter } from './filters';

const FULL: JobFilter = {
  queue: 'mail',
  type: 'mail.send',
  states: ['ready', 'dead'],
  worker: 'w 1',
  labels: { customer: '42', note: 'a=b&c' },
  errorKind: 'smtp',
  createdAfter: '2026-11-18T00:00:00.000Z',
  oldestFirst: true,
};

describe('filters in the address', () => {
  it('come back as they were', () => expect(filterOfAddress(`?${addressOfFilter(FULL)}`)).toEqual(FULL));
  it('leave nothing behind when everything is shown', () => expect(addressOfFilter(EVERY_JOB)).toBe(''));
  it('drop states that do not exist', () => expect(filterOfAddress('?state=dead,undead').states).toEqual(['dead']));
  it('drop labels without a name', () => expect(filterOfAddress('?label==x&label=a=').labels).toEqual({ a: '' }));
  it('make links', () => expect([jobsAddress({}), jobsAddress({ states: ['dead'], queue: 'a b' })]).toEqual(['/jobs', '/jobs?state=dead&queue=a+b']));
  it('know whether they narrow', () => expect([isNarrowed(EVERY_JOB), isNarrowed({ ...EVERY_JOB, oldestFirst: true }), isNarrowed(FULL)]).toEqual([false, false, true]));
});

describe('filters for the server and the command line', () => {
  it('send only what is said', () => expect(searchOfFilter({ ...EVERY_JOB, namespace: 'a', states: ['dead'] })).toEqual({ namespace: 'a', states: ['dead'] }));
  it('are quoted as a shell reads them', () =>
    expect(flagsOfFilter({ ...EVERY_JOB, queue: "o'hara", labels: { a: 'b c' } })).toBe(`--queue 'o'\\''hara' --label 'a=b c'`));
});

describe('mayMatch', () => {
  const event = { namespace: 'default', queue: 'mail', type: 'mail.send', to: 'ready' };
  it('judges by what an event says', () => {
    expect(mayMatch(EVERY_JOB, event)).toBe(true);
    expect(mayMatch({ ...EVERY_JOB, queue: 'video' }, event)).toBe(false);
    expect(mayMatch({ ...EVERY_JOB, states: ['dead'] }, event)).toBe(false);
  });
});
