// Who is looking: role and namespaces of the token or session. What a role may not do is not offered.
import { batch, computed, signal } from '@preact/signals';
import { Problem, problemOf } from '../api/problem';
import { fitsHeader } from '../rules/header_text';
import { isOtherReader, isSignedOut, standingOf, standingWithout } from '../rules/standing';
import { asked } from './actions';
import { noticeReply, noticeSilence, readAnew, signInNeeded } from './connection';
import { forgetAll } from './kept';
import { notify } from './notices';
import { tellOtherTabs } from './other_tabs';

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

/** Grows with each question and each answer to a sign-in: an answer that was overtaken says who was looking, not who is. */
let turns = 0;
let asking: ReturnType<typeof setTimeout> | undefined;

/** Asks at the start, and again when the session may have changed without this page (other_tabs.ts). */
export async function readIdentity(): Promise<void> {
  clearTimeout(asking);
  const turn = (turns += 1);
  let response: Response;
  try {
    response = await fetch('/api/v1/whoami', { cache: 'no-store' });
  } catch {
    noticeSilence();
    return;
  }
  noticeReply();
  const standing = standingOf(response.status);
  const who = standing === 'told' ? ((await response.json()) as Identity) : standing === 'unknown' ? await withoutToken() : undefined;
  if (turn !== turns) return;
  switch (standing) {
    case 'sign-in':
      signInNeeded.value = true;
      return;
    case 'unknown':
      identity.value = who;
      return;
    case 'told':
      if (signInNeeded.peek()) goOn(who!);
      else identity.value = who;
      return;
    default:
      asking = setTimeout(() => void readIdentity(), AGAIN_MS);
  }
}

/** What waited for a sign-in goes on, and reads everything anew. */
function goOn(who: Identity): void {
  // What depends on several of these is told once.
  batch(() => {
    identity.value = who;
    signInNeeded.value = false;
    readAnew();
  });
}

/** Whoever may do what there is not known; where nobody is asked for a token, everybody may do everything. */
async function withoutToken(): Promise<Identity> {
  return { role: standingWithout(await openDoor()) === 'operator' ? 'operator' : 'read-only' };
}

/** What the server answers to somebody who shows nothing; 0: it does not. */
async function openDoor(): Promise<number> {
  const response = await fetch('/api/v1/namespaces', { cache: 'no-store', credentials: 'omit' }).catch(() => undefined);
  return response?.status ?? 0;
}

/** With a token, or with the code of a one-time link. The server keeps the secret in a cookie no script can read. */
export async function signIn(scheme: 'Bearer' | 'Link', secret: string): Promise<Identity> {
  if (!fitsHeader(secret)) {
    const what = scheme === 'Link' ? 'link' : 'token';
    throw new Problem('invalid_argument', 400, `the ${what} holds a character that no ${what} has, such as a typographic quote or an invisible mark; copy it again`);
  }
  let response: Response;
  try {
    response = await fetch('/api/v1/sign-in', { method: 'POST', headers: { authorization: `${scheme} ${secret}` } });
  } catch {
    noticeSilence();
    throw new Problem('unreachable', 0, 'the server does not answer');
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(body, response.status);
  turns += 1;
  goOn(body as Identity);
  tellOtherTabs();
  return body as Identity;
}

export async function signOut(): Promise<void> {
  const response = await fetch('/api/v1/sign-out', { method: 'POST' }).catch(() => undefined);
  if (!response) noticeSilence();
  if (!isSignedOut(response?.status ?? 0)) {
    notify(response ? `You are still signed in: the server answered ${response.status}` : 'You are still signed in: the server does not answer', 'bad');
    return;
  }
  turns += 1;
  signInNeeded.value = true;
  identity.value = undefined;
  tellOtherTabs();
}

let lastReader: Identity | undefined;
identity.subscribe((who) => {
  if (isOtherReader(lastReader, who)) {
    asked.value = undefined;
    forgetAll();
  }
  lastReader = who;
});
