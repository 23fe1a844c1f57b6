// What was read for one reader, kept so that it is shown at once when it is looked at again. The next reader begins with nothing.
import { signal } from '@preact/signals';

const stores: Map<never, unknown>[] = [];

/** Grows when somebody else is looking: everything that is shown begins anew. */
export const readers = signal(0);

export function kept<Key, Value>(): Map<Key, Value> {
  const store = new Map<Key, Value>();
  stores.push(store as Map<never, unknown>);
  return store;
}

export function forgetAll(): void {
  for (const store of stores) store.clear();
  readers.value += 1;
}
