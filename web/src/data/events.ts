// The server's events, one stream for the whole page. Parts say what they want to hear (`useEvents`); the stream asks for the union,
// goes on where it was after a break, and is closed while nobody looks, since a browser has few connections for all its tabs.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Coalescer } from '../rules/coalesce';
import { retryDelay } from '../rules/retry_delay';
import { isInSight } from './attention';
import { doubt, epoch, signInNeeded, staleNow } from './connection';
import { namespace } from './namespace';

export interface JobEvent {
  kind: 'job';
  at: string;
  id: string;
  namespace: string;
  queue: string;
  type: string;
  event: string;
  from?: string;
  to: string;
  attempt?: number;
  fence?: number;
  worker?: string;
  cause?: string;
}

export interface WorkerEvent {
  kind: 'worker';
  at: string;
  namespace: string;
  id: string;
  from?: string;
  to?: string;
  cause?: string;
}

export interface QueueEvent {
  kind: 'queue';
  at: string;
  namespace: string;
  queue: string;
  paused: boolean;
}

export type LiveEvent = JobEvent | WorkerEvent | QueueEvent;
export type Kind = LiveEvent['kind'];

export interface Wanted {
  kinds: Kind[];
  job?: string;
}

type Listener = (events: LiveEvent[]) => void;

/** Whether events arrive; otherwise pages poll alone. */
export const isLive = signal(false);
/** Whether the page wants any. */
export const isWanted = signal(false);

const PACE_MS = 250;
const FLUSH_MS = 100;
const GAP_MS = 1000;
const KEYS_MAX = 2000;

const listeners = new Map<object, { wanted: Wanted; hear: Listener }>();
const waiting = new Coalescer<LiveEvent>((event) => `${event.kind} ${event.namespace} ${event.kind === 'queue' ? event.queue : event.id}`, KEYS_MAX);
let source: EventSource | undefined;
let address = '';
let lastId = '';
let attempts = 0;
let reopening: ReturnType<typeof setTimeout> | undefined;
let flushing: ReturnType<typeof setTimeout> | undefined;
let gapping: ReturnType<typeof setTimeout> | undefined;

function wantedAddress(): string {
  const all = [...listeners.values()].map((one) => one.wanted);
  if (all.length === 0) return '';
  const kinds = [...new Set(all.flatMap((one) => one.kinds))].sort();
  const words = new URLSearchParams({ kinds: kinds.join(','), coalesce_ms: String(PACE_MS) });
  const jobs = new Set(all.filter((one) => one.kinds.includes('job')).map((one) => one.job ?? ''));
  if (jobs.size === 1 && kinds.length === 1) {
    const [job] = jobs;
    if (job) words.set('job', job);
  }
  if (namespace.value && !words.has('job')) words.set('namespace', namespace.value);
  return `/events?${words}`;
}

function adjust(): void {
  const next = !isInSight.peek() || signInNeeded.peek() ? '' : wantedAddress();
  if (next === address && (source !== undefined || next === '')) return;
  close();
  isWanted.value = next !== '';
  address = next;
  if (next) open();
}

function close(): void {
  clearTimeout(reopening);
  source?.close();
  source = undefined;
  isLive.value = false;
}

function open(): void {
  const resume = lastId ? `&last_event_id=${encodeURIComponent(lastId)}` : '';
  const opened = new EventSource(address + resume);
  source = opened;
  opened.onopen = () => {
    attempts = 0;
    isLive.value = true;
  };
  opened.onerror = () => {
    if (source !== opened) return;
    isLive.value = false;
    doubt();
    // The browser gives up on an answer that is no stream; otherwise it would come back by itself, but at its own pace.
    opened.close();
    source = undefined;
    reopening = setTimeout(adjust, retryDelay(attempts, Math.random()));
    attempts += 1;
  };
  for (const kind of ['job', 'worker', 'queue'] as const) {
    opened.addEventListener(kind, (message) => take(kind, message));
  }
  opened.addEventListener('gap', (message) => {
    lastId = message.lastEventId || lastId;
    // A flood brings one with every turn; everything is read again at the pace of somebody who looks.
    gapping ??= setTimeout(() => {
      gapping = undefined;
      staleNow();
    }, GAP_MS);
  });
}

function take(kind: Kind, message: MessageEvent<string>): void {
  lastId = message.lastEventId || lastId;
  waiting.add({ kind, ...JSON.parse(message.data) } as LiveEvent);
  flushing ??= setTimeout(flush, FLUSH_MS);
}

function flush(): void {
  flushing = undefined;
  const { events, overflowed } = waiting.take();
  if (overflowed) staleNow();
  for (const { wanted, hear } of listeners.values()) {
    const heard = events.filter((event) => wanted.kinds.includes(event.kind) && (!wanted.job || (event.kind === 'job' && event.id === wanted.job)));
    if (heard.length) hear(heard);
  }
}

namespace.subscribe(() => queueMicrotask(adjust));
isInSight.subscribe(() => queueMicrotask(adjust));
signInNeeded.subscribe(() => queueMicrotask(adjust));
epoch.subscribe(() => queueMicrotask(adjust));

/** Hears the wanted events, coalesced, for as long as the part is shown. */
export function useEvents(wanted: Wanted | undefined, hear: Listener): void {
  const newest = useRef(hear);
  newest.current = hear;
  const key = wanted ? JSON.stringify(wanted) : '';
  useEffect(() => {
    if (!wanted) return undefined;
    const self = {};
    listeners.set(self, { wanted, hear: (events) => newest.current(events) });
    queueMicrotask(adjust);
    return () => {
      listeners.delete(self);
      queueMicrotask(adjust);
    };
  }, [key]);
}
