// Whether the server answers. Any call that finds nobody starts the search; it ends by itself when somebody answers again, and then
// everything that is shown is read anew (`epoch`).
import { signal } from '@preact/signals';
import { retryDelay } from '../rules/retry_delay';

/** Since when nobody answers; 0: somebody does. */
export const lostSince = signal(0);
/** Grows whenever what was read before may be stale: after a loss, a gap in the events, a sign-in. */
export const epoch = signal(0);
/** A token is needed, or the session has ended. */
export const signInNeeded = signal(false);

let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

export function noticeReply(): void {
  if (lostSince.peek() === 0) return;
  clearTimeout(timer);
  attempts = 0;
  lostSince.value = 0;
  epoch.value += 1;
}

export function noticeSilence(): void {
  if (lostSince.peek() !== 0) return;
  lostSince.value = Date.now();
  search();
}

export function noticeUnauthenticated(): void {
  signInNeeded.value = true;
}

export function staleNow(): void {
  epoch.value += 1;
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
