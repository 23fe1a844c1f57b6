import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

describe('what may be stale', () => {
  beforeEach(() => {
    vi.resetModules();
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it('is read again at once', async () => {
    const { gaps, staleNow } = await import('./connection');
    staleNow();
    vi.advanceTimersByTime(1);
    expect(gaps.value).toBe(1);
  });
  it('is read once in two seconds however many gaps there are, and once after the last', async () => {
    const { gaps, staleNow } = await import('./connection');
    for (let ms = 0; ms < 9500; ms += 100) {
      staleNow();
      vi.advanceTimersByTime(100);
    }
    expect(gaps.value).toBe(5);
    vi.advanceTimersByTime(5000);
    expect(gaps.value).toBe(6);
  });
  it('is read once when everything is read anew meanwhile', async () => {
    const { epoch, gaps, readAnew, staleNow } = await import('./connection');
    staleNow();
    readAnew();
    vi.advanceTimersByTime(5000);
    expect([epoch.value, gaps.value]).toEqual([1, 0]);
  });
});
