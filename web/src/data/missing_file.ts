// A part of the program that could not be loaded: the server is away, or has other files by now. The browser remembers the failure, so only
// loading the whole page anew mends it, as soon as somebody answers and nothing is being typed.
import { effect, signal } from '@preact/signals';
import { reloadDelay } from '../rules/reload';
import { asked } from './actions';
import { lostSince, noticeSilence } from './connection';

const RELOADED = 'muster.reloaded';
const isMissing = signal(false);

export function watchFiles(): void {
  addEventListener('vite:preloadError', (event) => {
    event.preventDefault();
    noticeSilence();
    isMissing.value = true;
  });
  effect(() => {
    if (!isMissing.value || lostSince.value !== 0 || asked.value) return undefined;
    const timer = setTimeout(reload, reloadDelay(Number(sessionStorage.getItem(RELOADED) ?? 0), Date.now()));
    return () => clearTimeout(timer);
  });
}

function reload(): void {
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

/** A file's content. Without it nothing follows: what would be shown waits until the page is loaded anew. */
export function loaded<T, Part>(file: Promise<T>, take: (content: T) => Part): Promise<Part> {
  return file.then((content) => (content === undefined ? new Promise<Part>(() => undefined) : take(content)));
}
