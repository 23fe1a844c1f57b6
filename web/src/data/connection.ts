// Whether the server answers. Any call that finds nobody starts the search; it ends by itself when somebody answers again, and then
// everything that is shown is read anew (`epoch`).
import { signal } from '@preact/signals';
import { brakeDelay } from '../rules/brake';
import { retryDelay } from '../rules/retry_delay';

/** Since when nobody answers; 0: somebody does. */
export const lostSince = signal(0);
/** Grows when everything is to be read anew: after a loss, a sign-in. */
export const epoch = signal(0);
/** Grows when something may have changed unheard: after a gap in the events. */
export const gaps = signal(0);
/** A token is needed, or the session has ended. */
export const signInNeeded = signal(false);

const STALE_EVERY_MS = 2000;
let staleAt = -Infinity;
let staling: ReturnType<typeof setTimeout> | undefined;
let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export function noticeReply(): void {
  if (lostSince.peek() === 0) return;
  clearTimeout(timer);
  attempts = 0;
  lostSince.value = 0;
  readAnew();
}

export function noticeSilence(): void {
  if (lostSince.peek() !== 0) return;
  lostSince.value = Date.now();
  search();
}

export function noticeUnauthenticated(): void {
  signInNeeded.value = true;
}

/** Everything that is shown is read at once, and what is under way for it is given up. */
export function readAnew(): void {
  clearTimeout(staling);
  staling = undefined;
  staleAt = performance.now();
  epoch.value += 1;
}

/** What is shown may be stale and is read again: at once, but not more often than every two seconds, however many gaps there are. */
export function staleNow(): void {
  staling ??= setTimeout(() => {
    staling = undefined;
    staleAt = performance.now();
    gaps.value += 1;
  }, brakeDelay(staleAt, performance.now(), STALE_EVERY_MS));
}

/** Looks at once instead of at the next turn. */
export function lookNow(): void {
  clearTimeout(timer);
  attempts = 0;
  void probe();
}

/** Something broke off: is anybody there? */
export function doubt(): void {
  if (lostSince.peek() === 0) fetch('/healthz', { cache: 'no-store' }).catch(() => noticeSilence());
}

function search(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void probe(), retryDelay(attempts, Math.random()));
  attempts += 1;
}

async function probe(): Promise<void> {
  try {
    const response = await fetch('/healthz', { cache: 'no-store' });
    if (response.ok) noticeReply();
    else search();
  } catch {
    search();
  }
}
