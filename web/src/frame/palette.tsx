// The command palette (Ctrl K): pages by a few letters, and anything by its id, found by the server.
import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { lookedAt } from '../data/every_namespace';
import { namespaceQuery } from '../data/namespace';
import { available } from '../data/routes';
import { ranked } from '../rules/ranking';
import { clip } from '../rules/text';
import { foundAddress, type Found } from '../rules/found';
import { visiblePlaces } from './visible_places';

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

interface Entry {
  kind: string;
  title: string;
  href: string;
  keys?: string;
  note?: string;
}

const SEARCH_AFTER_MS = 150;
const SHORTEST = 2;

const SHORTCUTS: Entry[] = [
  { kind: 'jobs', title: 'Dead jobs', href: '/jobs?state=dead' },
  { kind: 'jobs', title: 'Running jobs', href: '/jobs?state=running' },
  { kind: 'jobs', title: 'Waiting jobs', href: '/jobs?state=ready,scheduled' },
  { kind: 'workflows', title: 'Start a workflow', href: '/workflows?start=yes' },
  { kind: 'schedules', title: 'New schedule', href: '/schedules?new=yes' },
];

export function Palette() {
  return isOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Entry[]>([]);
  const [inPart, setInPart] = useState<string[]>([]);
  const [chosen, setChosen] = useState(0);
  const pages: Entry[] = visiblePlaces.value.map((place) => ({ kind: 'page', title: place.title, href: place.path, keys: `g ${place.key}` }));
  const entries = [...found, ...ranked(typed, [...pages, ...SHORTCUTS], (entry) => entry.title, 12)];
  const active = Math.min(chosen, entries.length - 1);

  // Before anything is painted: whoever opened it types on at once.
  useLayoutEffect(() => dialog.current!.showModal(), []);
  useEffect(() => list.current?.children[active]?.scrollIntoView({ block: 'nearest' }), [active]);
  useEffect(() => {
    const abort = new AbortController();
    const show = (result: Searched) => {
      setFound(result.found.map(entryOf));
      setInPart(result.in_part ?? []);
    };
    if (typed.trim().length < SHORTEST) show(NOTHING);
    const timer = setTimeout(() => {
      if (typed.trim().length >= SHORTEST) void search(typed.trim(), abort.signal).then((result) => abort.signal.aborted || show(result));
    }, SEARCH_AFTER_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [typed]);

  const close = () => {
    isOpen.value = false;
  };
  const go = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    route(entry.href);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((active + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(entries[active]);
    }
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Search or jump" onClose={close} onClick={(event) => event.target === dialog.current && close()}>
      <input
        type="text"
        role="combobox"
        aria-label="Search or jump"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries.length ? `palette-${active}` : undefined}
        placeholder={available.value.has('search') ? 'An id, a worker, a page …' : 'A page, or a whole id …'}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <ul ref={list} id="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, at) => (
          <li key={entry.kind + entry.href} id={`palette-${at}`} role="option" aria-selected={at === active} onClick={() => go(entry)} onMouseMove={() => setChosen(at)}>
            <span class="kind">{entry.kind}</span>
            <span class="clip">{entry.title}</span>
            <span class="end">
              {entry.note && <span class="faint">{entry.note}</span>}
              {entry.keys?.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}
            </span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="hint">Nothing by that name or id.</p>}
      {inPart.length > 0 && <p class="hint">Names of {inPart.join('s, ')}s were looked for in the first 1,000; a whole id is always found.</p>}
    </dialog>
  );
}

interface Searched {
  found: Found[];
  /** Kinds of which there are more than were looked through. */
  in_part?: string[];
}
const NOTHING: Searched = { found: [] };

function entryOf(one: Found): Entry {
  return { kind: one.kind.replace('_', ' '), title: clip(one.title || one.id, 80), href: foundAddress(one), ...(one.state && { note: one.state }) };
}

async function search(words: string, signal: AbortSignal): Promise<Searched> {
  const result = available.peek().has('search') ? await searched(words, signal) : NOTHING;
  return result.found.length === 0 && UUID.test(words) ? { ...result, found: await knownUuid(words, signal) } : result;
}

async function searched(words: string, signal: AbortSignal): Promise<Searched> {
  const query = new URLSearchParams({ q: words, ...namespaceQuery() });
  const response = await fetch(`/api/v1/search?${query}`, { signal }).catch(() => undefined);
  return response?.ok ? ((await response.json()) as Searched) : NOTHING;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** What the search does not look through is asked for by its id. */
async function knownUuid(id: string, signal: AbortSignal): Promise<Found[]> {
  const kinds = [['agent_run', 'agent-runs'], ['session', 'sessions'], ['job', 'jobs']] as const;
  const names = await lookedAt(signal).catch(() => ['default']);
  const found = await Promise.all(
    kinds.flatMap(([kind, path]) =>
      // A job's id is known in every namespace.
      (kind === 'job' ? [undefined] : names).map(async (name) => {
        const response = await fetch(`/api/v1/${path}/${id}${name ? `?${new URLSearchParams({ namespace: name })}` : ''}`, { signal }).catch(() => undefined);
        return response?.ok ? { kind, id, ...(name && { namespace: name }) } : undefined;
      }),
    ),
  );
  return found.filter((one) => one !== undefined).slice(0, 1);
}
