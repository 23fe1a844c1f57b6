// Keys that work everywhere: Ctrl K, `g` and a letter, `?`. None of them while somebody types.
import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { NO_CHORD, pressed } from '../rules/chords';
import { Icon } from '../parts/icon';
import { openPalette } from './palette';
import { visiblePlaces } from './visible_places';

const isHelpOpen = signal(false);

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function useKeys(): void {
  const { route } = useLocation();
  const chord = useRef(NO_CHORD);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const { keys, next } = pressed(chord.current, event.key, performance.now());
      chord.current = next;
      if (keys === '?') isHelpOpen.value = true;
      if (keys === '/') {
        event.preventDefault();
        openPalette();
      }
      const place = visiblePlaces.value.find((one) => keys === `g ${one.key}`);
      if (place) route(place.path);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [route]);
}

const ON_PAGES: [string, string][] = [
  ['Ctrl K', 'search, jump'],
  ['?', 'these keys'],
  ['↓ ↑', 'next, previous job'],
  ['Enter', 'open the job'],
  ['Space', 'select the job'],
  ['r', 'retry (job page)'],
  ['c', 'cancel (job page)'],
  ['Esc', 'close, clear selection'],
];

export function Help() {
  return isHelpOpen.value ? <OpenHelp /> : null;
}

function OpenHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const close = () => {
    isHelpOpen.value = false;
  };
  const jumps: [string, string][] = visiblePlaces.value.map((place) => [`g ${place.key}`, place.title]);
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="help-title">Keys</h2>
        <button type="button" class="quiet icon" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div class="dialog-body">
        <div class="help-grid">
          {[...ON_PAGES, ...jumps].map(([keys, text]) => (
            <div key={keys}>
              <span>{text}</span>
              <span class="nowrap">
                {keys.split(' ').map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
            </div>
          ))}
        </div>
      </div>
    </dialog>
  );
}
