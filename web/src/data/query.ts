// What a page shows and keeps true: read at once, again when an event says so, and now and then in any case, since polling is always
// correct. An answer stays on the page while the next one is on its way, and when there is none.
import { signal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem';
import { epoch, gaps, signInNeeded } from './connection';
import { useEvents, type LiveEvent, type Wanted } from './events';
import { kept } from './kept';

export interface Answer<T> {
  data?: T;
  problem?: Problem;
  /** When `data` was read. */
  at?: number;
}

export interface Query<T> extends Answer<T> {
  refresh: () => void;
}

export interface Options {
  /** How often it is read without any event; 0: never. */
  everyMs?: number;
  wanted?: Wanted;
  /** Whether an event concerns it; absent: any that is wanted does. */
  concerns?: (event: LiveEvent) => boolean;
}

const EVERY_MS = 5000;
const LEAST_MS = 1000;
const ENTRIES_MAX = 100;
const known = kept<string, Signal<Answer<unknown>>>();

function entryOf<T>(key: string): Signal<Answer<T>> {
  let entry = known.get(key);
  if (entry) known.delete(key);
  else entry = signal<Answer<unknown>>({});
  known.set(key, entry);
  if (known.size > ENTRIES_MAX) known.delete(known.keys().next().value!);
  return entry as Signal<Answer<T>>;
}

/** `key` names what is read; the same key shows at once what was read under it before. Empty: nothing is read. */
export function useQuery<T>(key: string, read: (abort: AbortSignal) => Promise<T>, options: Options = {}): Query<T> {
  const entry = entryOf<T>(key);
  const reader = useRef(read);
  reader.current = read;
  const again = useRef<() => void>(() => undefined);
  const everyMs = options.everyMs ?? EVERY_MS;
  const turn = epoch.value;
  const gap = gaps.value;
  const gapSeen = useRef(gap);

  useEffect(() => {
    if (!key) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isWanted = false;
    let lastStart = 0;

    const readNow = async () => {
      if (isReading) {
        isWanted = true;
        return;
      }
      isReading = true;
      isWanted = false;
      lastStart = performance.now();
      try {
        const data = await reader.current(abort.signal);
        if (!abort.signal.aborted) entry.value = { data, at: Date.now() };
      } catch (error) {
        // What was there stays; whoever shows it says that it is old.
        if (!abort.signal.aborted) entry.value = { ...entry.peek(), problem: asProblem(error) };
      }
      isReading = false;
      if (abort.signal.aborted) return;
      if (isWanted) soon();
      else plan(everyMs);
    };
    const plan = (ms: number) => {
      clearTimeout(timer);
      if (ms > 0) timer = setTimeout(() => (document.hidden || signInNeeded.peek() ? plan(ms) : void readNow()), ms);
    };
    const soon = () => plan(Math.max(1, LEAST_MS - (performance.now() - lastStart)));
    again.current = () => {
      if (isReading) isWanted = true;
      else soon();
    };
    void readNow();
    const onSight = () => {
      if (!document.hidden) again.current();
    };
    document.addEventListener('visibilitychange', onSight);
    return () => {
      abort.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onSight);
    };
  }, [key, turn, everyMs]);

  useEffect(() => {
    // What is under way is not given up for it, or a slow answer would never come.
    if (gapSeen.current !== gap) again.current();
    gapSeen.current = gap;
  }, [gap]);

  useEvents(key ? options.wanted : undefined, (events) => {
    if (!options.concerns || events.some(options.concerns)) again.current();
  });

  return { ...entry.value, refresh: () => again.current() };
}
