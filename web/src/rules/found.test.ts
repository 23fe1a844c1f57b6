import { describe, expect, it } from 'vitest';
import { foundAddress } from './found';

describe('found', () => {
  it.each([
    [{ kind: 'job', id: 'a' }, '/jobs/a'],
    [{ kind: 'run', id: 'a' }, '/workflows/a'],
    [{ kind: 'agent_run', id: 'a' }, '/agent-runs/a'],
    [{ kind: 'agent_run', id: 'a', namespace: 'x' }, '/agent-runs/a?namespace=x'],
    [{ kind: 'session', id: 'a', namespace: 'x' }, '/sessions/a?namespace=x'],
    [{ kind: 'package', id: 'a', namespace: 'x' }, '/packages/a?namespace=x'],
    [{ kind: 'agent', id: 'a', namespace: 'x' }, '/agents'],
    [{ kind: 'queue', id: 'a b' }, '/jobs?queue=a+b'],
    [{ kind: 'schedule', id: 'a', namespace: 'x' }, '/schedules/a?namespace=x'],
    [{ kind: 'worker', id: 'w', namespace: 'x' }, '/workers/w?namespace=x'],
  ])('is shown at %j', (found, address) => expect(foundAddress(found)).toBe(address));
});
