// Which jobs a list shows: kept in the page's address, so that a link shows the same list, and turned into what the API and the command
// line take.
import { quoted } from './cli';

export const JOB_STATES = ['scheduled', 'ready', 'running', 'completed', 'dead', 'cancelled'] as const;
export type JobState = (typeof JOB_STATES)[number];

export interface JobFilter {
  namespace?: string;
  queue?: string;
  type?: string;
  states: JobState[];
  worker?: string;
  labels: Record<string, string>;
  errorKind?: string;
  createdAfter?: string;
  createdBefore?: string;
  oldestFirst: boolean;
}

export const EVERY_JOB: JobFilter = { states: [], labels: {}, oldestFirst: false };

const PLAIN = [
  ['queue', 'queue'],
  ['type', 'type'],
  ['worker', 'worker'],
  ['errorKind', 'error'],
  ['createdAfter', 'after'],
  ['createdBefore', 'before'],
] as const;

export function filterOfAddress(search: string): JobFilter {
  const words = new URLSearchParams(search);
  const filter: JobFilter = { states: [], labels: {}, oldestFirst: words.get('order') === 'oldest' };
  for (const [field, word] of PLAIN) {
    const value = words.get(word);
    if (value) filter[field] = value;
  }
  const wanted = (words.get('state') ?? '').split(',');
  filter.states = JOB_STATES.filter((state) => wanted.includes(state));
  for (const pair of words.getAll('label')) {
    const at = pair.indexOf('=');
    if (at > 0) filter.labels[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return filter;
}

/** The part of the address behind `?`; empty when the filter keeps everything. */
export function addressOfFilter(filter: JobFilter): string {
  const words = new URLSearchParams();
  if (filter.states.length) words.set('state', filter.states.join(','));
  for (const [field, word] of PLAIN) {
    const value = filter[field];
    if (value) words.set(word, value);
  }
  for (const [key, value] of Object.entries(filter.labels)) words.append('label', `${key}=${value}`);
  if (filter.oldestFirst) words.set('order', 'oldest');
  return words.toString().replaceAll('%2C', ',').replaceAll('%3D', '=');
}

export function jobsAddress(filter: Partial<JobFilter>): string {
  const search = addressOfFilter({ ...EVERY_JOB, ...filter });
  return search ? `/jobs?${search}` : '/jobs';
}

/** The body of `POST /jobs/search`, and the `filter` of actions on many jobs. */
export function searchOfFilter(filter: JobFilter) {
  return {
    ...(filter.namespace && { namespace: filter.namespace }),
    ...(filter.queue && { queue: filter.queue }),
    ...(filter.type && { type: filter.type }),
    ...(filter.states.length && { states: filter.states }),
    ...(filter.worker && { worker: filter.worker }),
    ...(Object.keys(filter.labels).length && { labels: filter.labels }),
    ...(filter.errorKind && { error_kind: filter.errorKind }),
    ...(filter.createdAfter && { created_after: filter.createdAfter }),
    ...(filter.createdBefore && { created_before: filter.createdBefore }),
  };
}

/** The same filter as flags of `muster job …`. */
export function flagsOfFilter(filter: JobFilter): string {
  const flags: string[] = [];
  const add = (flag: string, value: string | undefined) => {
    if (value) flags.push(`--${flag} ${quoted(value)}`);
  };
  add('namespace', filter.namespace);
  add('queue', filter.queue);
  add('type', filter.type);
  add('state', filter.states.join(','));
  add('worker', filter.worker);
  for (const [key, value] of Object.entries(filter.labels)) add('label', `${key}=${value}`);
  add('error-kind', filter.errorKind);
  add('created-after', filter.createdAfter);
  add('created-before', filter.createdBefore);
  return flags.join(' ');
}

export function isNarrowed(filter: JobFilter): boolean {
  return addressOfFilter({ ...filter, oldestFirst: false }) !== '';
}

/** Whether a job that an event tells of belongs into the list, as far as the event says. */
export function mayMatch(filter: JobFilter, job: { namespace: string; queue: string; type: string; to?: string }): boolean {
  return (
    (!filter.namespace || filter.namespace === job.namespace) &&
    (!filter.queue || filter.queue === job.queue) &&
    (!filter.type || filter.type === job.type) &&
    (filter.states.length === 0 || filter.states.some((state) => state === job.to))
  );
}
