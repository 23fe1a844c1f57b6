import { describe, expect, it } from 'vitest';
import { NO_CHORD, pressed } from './chords';

describe('chords', () => {
  it('take two keys in time', () => {
    const { keys, next } = pressed(NO_CHORD, 'g', 1000);
    expect(keys).toBe('');
    expect(pressed(next, 'j', 1500).keys).toBe('g j');
    expect(pressed(next, 'j', 9000).keys).toBe('j');
  });
});
