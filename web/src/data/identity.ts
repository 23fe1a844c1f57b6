// Who is looking: role and namespaces of the token or session. What a role may not do is not offered.
import { computed, signal } from '@preact/signals';
import { Problem, problemOf } from '../api/problem';
import { isOtherReader, isSignedOut, standingOf, standingWithout } from '../rules/standing';
import { asked } from './actions';
import { noticeReply, noticeSilence, readAnew, signInNeeded } from './connection';
import { forgetAll } from './kept';
import { notify } from './notices';

export interface Identity {
  name?: string;
  role: 'operator' | 'worker' | 'read-only';
  namespaces?: string[];
  /** By the cookie, rather than by nobody's token at all. */
  signed_in?: boolean;
  expires_at?: string;
}

const AGAIN_MS = 2000;

export const identity = signal<Identity | undefined>(undefined);
export const isOperator = computed(() => identity.value?.role === 'operator');

/** Asks once at the start, and again after every sign-in. */
export async function readIdentity(): Promise<void> {
  let response: Response;
  try {
    response = await fetch('/api/v1/whoami', { cache: 'no-store' });
  } catch {
    noticeSilence();
    return;
  }
  noticeReply();
  switch (standingOf(response.status)) {
    case 'sign-in':
      signInNeeded.value = true;
      return;
    case 'unknown':
      // Whoever may do what there is not known; where nobody is asked for a token, everybody may do everything.
      identity.value = { role: standingWithout(await openDoor()) === 'operator' ? 'operator' : 'read-only' };
      return;
    case 'told':
      identity.value = (await response.json()) as Identity;
      signInNeeded.value = false;
      return;
    default:
      setTimeout(() => void readIdentity(), AGAIN_MS);
  }
}

/** What the server answers to somebody who shows nothing; 0: it does not. */
async function openDoor(): Promise<number> {
  const response = await fetch('/api/v1/namespaces', { cache: 'no-store', credentials: 'omit' }).catch(() => undefined);
  return response?.status ?? 0;
}

/** With a token, or with the code of a one-time link. The server keeps the secret in a cookie no script can read. */
export async function signIn(scheme: 'Bearer' | 'Link', secret: string): Promise<void> {
  let response: Response;
  try {
    response = await fetch('/api/v1/sign-in', { method: 'POST', headers: { authorization: `${scheme} ${secret}` } });
  } catch {
    noticeSilence();
    throw new Problem('unreachable', 0, 'the server does not answer');
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(body, response.status);
  identity.value = body as Identity;
  signInNeeded.value = false;
  readAnew();
}

export async function signOut(): Promise<void> {
  const response = await fetch('/api/v1/sign-out', { method: 'POST' }).catch(() => undefined);
  if (!response) noticeSilence();
  if (!isSignedOut(response?.status ?? 0)) {
    notify(response ? `You are still signed in: the server answered ${response.status}` : 'You are still signed in: the server does not answer', 'bad');
    return;
  }
  signInNeeded.value = true;
  identity.value = undefined;
}

let lastReader: Identity | undefined;
identity.subscribe((who) => {
  if (isOtherReader(lastReader, who)) {
    asked.value = undefined;
    forgetAll();
  }
  lastReader = who;
});

/** The code of a one-time link (`/#link=CODE`), taken out of the address so that nobody copies it. */
export function takeLinkCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('link');
  if (!code) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}
