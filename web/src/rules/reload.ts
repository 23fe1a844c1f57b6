// A page whose file could not be loaded is loaded anew: files that are gone (another version is served now) come with new names.

export const RELOAD_EVERY_MS = 30_000;

/** How long to wait before it, so that a file which is missing for good does not make the page load for ever. `last` 0: never before. */
export function reloadDelay(last: number, now: number): number {
  // A clock that was set back must not hold the page for long.
  return last === 0 || last > now ? 0 : Math.max(0, last + RELOAD_EVERY_MS - now);
}
