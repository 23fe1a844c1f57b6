// The tabs of one browser share one session: whoever signs in or out in one of them does so in all. The others are told, and ask again who
// is looking, so that none has to be loaded anew.
import { signInNeeded } from './connection';

const channel = new BroadcastChannel('muster.session');

export function tellOtherTabs(): void {
  channel.postMessage('changed');
}

/** Asks when another tab has told, and when somebody comes back to a tab that wants a sign-in: a browser may have dropped what it was told. */
export function watchSession(ask: () => void): void {
  channel.addEventListener('message', ask);
  const comeBack = () => {
    if (!document.hidden && signInNeeded.peek()) ask();
  };
  document.addEventListener('visibilitychange', comeBack);
  addEventListener('focus', comeBack);
}
