import { describe, expect, it } from 'vitest';
import { forgetAll, kept, readers } from './kept';

describe('what was read', () => {
  it('is forgotten everywhere when somebody else is looking', () => {
    const [answers, history] = [kept<string, number>(), kept<string, string>()];
    answers.set('jobs', 1);
    history.set('hour', 'points');
    const before = readers.value;
    forgetAll();
    expect([answers.size, history.size, readers.value]).toEqual([0, 0, before + 1]);
    answers.set('jobs', 2);
    expect(answers.get('jobs')).toBe(2);
  });
});
