import { describe, expect, it } from 'vitest';
import { runBody, runCommand } from './new_run';

describe('a new run', () => {
  it('is started in the namespace that is looked at', () => {
    expect(runBody('team-a', { type: 'order' }, undefined)).toEqual({ namespace: 'team-a', type: 'order' });
    expect(runCommand('team-a', { type: 'order' })).toBe('muster workflow start --type order --namespace team-a');
  });
  it('has what was typed and nothing else', () => {
    expect(runBody('default', { type: 'order', queue: 'q', external: 'o-1', input: '{"a":1}' }, { a: 1 })).toEqual({ namespace: 'default', type: 'order', queue: 'q', external_id: 'o-1', payload: { a: 1 } });
    expect(runCommand('default', {})).toBe('muster workflow start --type TYPE');
  });
});
