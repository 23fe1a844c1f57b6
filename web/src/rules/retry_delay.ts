// How long to wait before asking a server again that did not answer: soon at first, then less and less often, never all tabs at once.

export const RETRY_FIRST_MS = 500;
export const RETRY_MAX_MS = 10_000;

/** `random` is within 0 and 1. */
export function retryDelay(attempt: number, random: number): number {
  const full = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(full * (0.7 + 0.3 * random));
}
