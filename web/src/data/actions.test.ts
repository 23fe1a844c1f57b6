import { describe, expect, it } from 'vitest';
import { ask, asked, leave, type Action } from './actions';

const action = (title: string): Action => ({ title, verb: 'Do it', command: () => '', run: () => Promise.resolve({ text: 'done' }) });

describe('the action that is asked about', () => {
  it('is left', () => {
    const one = action('one');
    ask(one);
    leave(one);
    expect(asked.value).toBeUndefined();
  });
  it('stays when an earlier one ends', () => {
    const [one, two] = [action('one'), action('two')];
    ask(one);
    ask(two);
    leave(one);
    expect(asked.value).toBe(two);
  });
});
