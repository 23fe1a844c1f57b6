// Which namespace is looked at: one, or all that the reader may see. Chosen in the header, remembered by the browser.
import { signal } from '@preact/signals';

const REMEMBERED = 'muster.namespace';

/** Empty: all of them. */
export const namespace = signal(localStorage.getItem(REMEMBERED) ?? '');

export function chooseNamespace(name: string): void {
  namespace.value = name;
  if (name) localStorage.setItem(REMEMBERED, name);
  else localStorage.removeItem(REMEMBERED);
}

/** As a query of a list: absent means all. */
export function namespaceQuery(): { namespace?: string } {
  return namespace.value ? { namespace: namespace.value } : {};
}
