// Something that may be asked for at any rate and is done at once, but not more often than every so often.

/** How long to wait with it. `last`: when it was done before, or -Infinity. */
export function brakeDelay(last: number, now: number, everyMs: number): number {
  return Math.max(0, last + everyMs - now);
}
