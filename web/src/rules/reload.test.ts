import { describe, expect, it } from 'vitest';
import { RELOAD_EVERY_MS, reloadDelay } from './reload';

describe('loading the page anew', () => {
  it('is done at once the first time', () => expect(reloadDelay(0, 1_000_000)).toBe(0));
  it('is not done again and again', () => expect(reloadDelay(1_000_000, 1_000_500)).toBe(RELOAD_EVERY_MS - 500));
  it('is done again after a while', () => expect(reloadDelay(1_000_000, 1_000_000 + RELOAD_EVERY_MS)).toBe(0));
  it('does not wait for a clock that was set back', () => expect(reloadDelay(2_000_000, 1_000_000)).toBe(0));
});
