import { describe, expect, it } from 'vitest';
import { foundAddress } from './found';

describe('found', () => {
  it.each([
    [{ kind: 'job', id: 'a' }, '/jobs/a'],
    [{ kind: 'run', id: 'a' }, '/workflows/a'],
    [{ kind: 'agent_run', id: 'a' }, '/agent-runs/a'],
    [{ kind: 'queue', id: 'a b' }, '/jobs?queue=a+b'],
    [{ kind: 'schedule', id: 'a', namespace: 'x' }, '/schedules/a?namespace=x'],
    [{ kind: 'worker', id: 'w', namespace: 'x' }, '/workers/w?namespace=x'],
  ])('is shown at %j', (found, address) => expect(foundAddress(found)).toBe(address));
});
