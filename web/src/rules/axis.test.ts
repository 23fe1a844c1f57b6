import { describe, expect, it } from 'vitest';
import { saidOnce } from './axis';

describe('labels of an axis', () => {
  it('are not repeated beside each other', () => expect(saidOnce(['00:29', '00:29', '00:30', '00:30', '00:29'])).toEqual(['00:29', '', '00:30', '', '00:29']));
});
