import { describe, expect, it } from 'vitest';
import { ranked, scoreOf } from './ranking';

describe('ranking', () => {
  it('wants the letters in order', () => expect(scoreOf('wj', 'jobs')).toBeUndefined());
  it('prefers beginnings of words', () => expect(ranked('s', ['Jobs', 'Schedules', 'Sessions'], (text) => text, 2)).toEqual(['Sessions', 'Schedules']));
});
