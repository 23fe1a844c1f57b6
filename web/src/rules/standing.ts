// What the first answers say about who is looking. Nobody is taken for an operator unless the server says so, or asks nobody for a token.

export type Standing = 'told' | 'sign-in' | 'unknown' | 'operator' | 'read-only' | 'ask again';

/** By the status of `whoami`. 'unknown': the server has no such route, so how it treats a call without a token decides. */
export function standingOf(status: number): Standing {
  if (status === 401) return 'sign-in';
  if (status === 404 || status === 405) return 'unknown';
  return isOk(status) ? 'told' : 'ask again';
}

/** By the status of a call that carried neither token nor cookie; 0: it was not answered. */
export function standingWithout(status: number): Standing {
  return isOk(status) ? 'operator' : 'read-only';
}

/** Whether a sign-out has happened, by its answer: a session that has ended already is over too. */
export function isSignedOut(status: number): boolean {
  return isOk(status) || status === 401;
}

interface Reader {
  name?: string;
  role: string;
  namespaces?: string[];
}

/** The same for the same reader. */
export function readerKey(reader: Reader): string {
  return JSON.stringify([reader.name ?? '', reader.role, [...(reader.namespaces ?? [])].sort()]);
}

/** Whether what was read for one may not be shown to the other. Whoever signs in again goes on where they were. */
export function isOtherReader(before: Reader | undefined, now: Reader | undefined): boolean {
  return before !== undefined && (now === undefined || readerKey(before) !== readerKey(now));
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}
