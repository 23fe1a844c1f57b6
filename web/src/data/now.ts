// The clock of everything that is shown relative to now: one tick a second for the whole page, none while nobody looks.
import { signal } from '@preact/signals';

export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1000);
