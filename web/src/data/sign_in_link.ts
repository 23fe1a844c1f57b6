// One-time links (`/#link=CODE`, printed by `muster dashboard`), taken when the page is loaded and whenever its address changes. Whoever is
// signed in already is asked first: otherwise a link that somebody else made would put them, unnoticed, into that person's session.
import { effect, signal } from '@preact/signals';
import { asProblem, type Problem } from '../api/problem';
import { ask, asked, type Action } from './actions';
import { lostSince, signInNeeded } from './connection';
import { identity, readIdentity, signIn, type Identity } from './identity';
import { notify } from './notices';

/** Why the last link did not sign in; shown where a token is asked for. */
export const linkFailure = signal<Problem | undefined>(undefined);

/** A code that waits for the server, for the answer to who is looking, and for an open dialog to end. */
const offered = signal<string | undefined>(undefined);

/** The answer to who is looking is awaited, so call it before that is asked for the first time. */
export function watchLinks(): void {
  offered.value = takeLinkCode();
  addEventListener('hashchange', () => {
    const code = takeLinkCode();
    // Another tab may have signed in or out since this one asked.
    if (code) void readIdentity().finally(() => (offered.value = code));
  });
  signInNeeded.subscribe((isNeeded) => {
    if (!isNeeded) linkFailure.value = undefined;
  });
  effect(() => {
    const code = offered.value;
    const who = identity.value;
    if (!code || lostSince.value !== 0) return;
    if (signInNeeded.value || (who && !who.signed_in)) {
      offered.value = undefined;
      void exchange(code);
    } else if (who && !asked.value) {
      offered.value = undefined;
      ask(confirmation(code, who));
    }
  });
}

/** Taken out of the address, so that nobody copies it. */
function takeLinkCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('link');
  if (!code) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

async function exchange(code: string): Promise<void> {
  linkFailure.value = undefined;
  try {
    await signIn('Link', code);
  } catch (error) {
    const problem = asProblem(error);
    // The server never judged it, so it is offered again when the server is back.
    if (problem.isUnreachable && lostSince.peek() !== 0) offered.value = code;
    else if (signInNeeded.peek()) linkFailure.value = problem;
    else notify(problem.detail, 'bad');
  }
}

function confirmation(code: string, who: Identity): Action {
  return {
    title: 'Sign in with this link?',
    verb: 'Sign in',
    text: `You are signed in as ${nameOf(who)}. The link ends that session in this browser and signs you in as whoever made it: go on only if you asked for it yourself.`,
    command: () => 'muster dashboard',
    run: async () => ({ text: `You are signed in as ${nameOf(await signIn('Link', code))}` }),
  };
}

function nameOf(who: Identity): string {
  return who.name ?? who.role;
}
