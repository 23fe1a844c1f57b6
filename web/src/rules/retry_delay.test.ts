import { describe, expect, it } from 'vitest';
import { RETRY_MAX_MS, retryDelay } from './retry_delay';

describe('retryDelay', () => {
  it('grows to a bound', () => {
    expect(retryDelay(0, 1)).toBe(500);
    expect(retryDelay(99, 1)).toBe(RETRY_MAX_MS);
    expect(retryDelay(3, 0)).toBeLessThan(retryDelay(3, 1));
  });
});
