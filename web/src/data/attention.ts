// Whether somebody looks at the page. Streams are closed while nobody does, since a browser has few connections for all its tabs.
import { signal } from '@preact/signals';

/** A look at another tab and back is not worth a new stream. */
const HIDDEN_GRACE_MS = 10_000;

export const isInSight = signal(!document.hidden);

let hiding: ReturnType<typeof setTimeout> | undefined;

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => (isInSight.value = false), HIDDEN_GRACE_MS);
  else isInSight.value = true;
});
