// Lists whose routes take one namespace (and mean the default one when none is given), read for all that are looked at.
import { signal } from '@preact/signals';
import { answer, api } from '../api/client';
import { namespacesToAsk } from '../rules/namespaces';
import { namespace } from './namespace';

/** How many namespaces were not asked for, since there are too many. */
export const leftOut = signal(0);

/** The namespaces that are looked at. */
export async function lookedAt(abort: AbortSignal): Promise<string[]> {
  const chosen = namespace.peek();
  if (chosen) return [chosen];
  const { namespaces } = await answer(api.GET('/api/v1/namespaces', { signal: abort }));
  const known = (namespaces ?? []).map((one) => one.name);
  const asked = namespacesToAsk(chosen, known);
  leftOut.value = Math.max(0, known.length - asked.length);
  return asked;
}

/** One answer for each namespace that is looked at, in their order. */
export async function ofEach<T>(abort: AbortSignal, read: (namespace: string) => Promise<T>): Promise<T[]> {
  return Promise.all((await lookedAt(abort)).map(read));
}
