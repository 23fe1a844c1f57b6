// The jobs that match a filter, page by page over the server's cursors, with rows kept true by events. The list never moves under the
// reader: new jobs are counted, and come in when the reader is at the top or asks for them.
import { useEffect, useMemo } from 'preact/hooks';
import { signal, type Signal } from '@preact/signals';
import { answer, api, type Schemas } from '../api/client';
import { asProblem, type Problem } from '../api/problem';
import { appended, changed, firstPage, forgotten, onlyInView, pageOf, refilled, reread, rowCount, type CursorList } from '../rules/cursor_list';
import { mayMatch, type JobFilter } from '../rules/filters';
import { epoch, gaps } from './connection';
import { isLive, useEvents, type JobEvent, type LiveEvent } from './events';

export type Job = Schemas['Job'];
export type Source = 'jobs' | 'runs';

const PAGE = 200;
const LEAST_MS = 1000;
const POLL_MS = 5000;
// Events tell of every change; what they cannot tell of is read now and then all the same.
const POLL_LIVE_MS = 15_000;

export interface JobList {
  list: Signal<CursorList<Job> | undefined>;
  problem: Signal<Problem | undefined>;
  /** Jobs that came since the list was read. */
  fresh: Signal<number>;
  /** Loads what these rows need, and forgets what is far from them. */
  look: (first: number, last: number) => void;
  /** Begins anew, at the top. */
  reload: () => void;
  /** Reads again what is shown, and leaves the reader where they are. */
  refresh: () => void;
  /** Whether the reader is where new rows may come in. */
  atTop: (isAtTop: boolean) => void;
}

class Loader implements JobList {
  readonly list = signal<CursorList<Job> | undefined>(undefined);
  readonly problem = signal<Problem | undefined>(undefined);
  readonly fresh = signal(0);
  private readonly abort = new AbortController();
  private readonly underWay = new Set<string>();
  private isAtTop = true;
  private isWantedAgain = false;
  private readAt = 0;
  private inView: [first: number, last: number] = [0, 0];
  /** What stands above the reader was read before something was missed. */
  private isStale = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly filter: JobFilter,
    private readonly source: Source,
  ) {}

  private async read(cursor: string | undefined) {
    const { filter } = this;
    const query = {
      ...(filter.namespace && { namespace: filter.namespace }),
      ...(filter.queue && { queue: filter.queue }),
      ...(filter.type && { type: filter.type }),
      ...(filter.states.length && { state: filter.states.join(',') }),
      ...(filter.worker && { worker: filter.worker }),
      ...(filter.errorKind && { error_kind: filter.errorKind }),
      ...(filter.createdAfter && { created_after: filter.createdAfter }),
      ...(filter.createdBefore && { created_before: filter.createdBefore }),
      ...(Object.keys(filter.labels).length && { label: Object.entries(filter.labels).map(([key, value]) => `${key}=${value}`) }),
      order: filter.oldestFirst ? ('oldest' as const) : ('newest' as const),
      limit: PAGE,
      ...(cursor && { cursor }),
    };
    const call = { params: { query }, signal: this.abort.signal };
    // The two routes answer alike; only which jobs they know differs.
    return answer<Schemas['JobPage']>(this.source === 'runs' ? api.GET('/api/v1/runs', call as never) : api.GET('/api/v1/jobs', call as never));
  }

  private async once(key: string, work: () => Promise<void>): Promise<void> {
    if (this.underWay.has(key)) return;
    this.underWay.add(key);
    try {
      await work();
      this.problem.value = undefined;
    } catch (error) {
      if (!this.abort.signal.aborted) this.problem.value = asProblem(error);
    } finally {
      this.underWay.delete(key);
    }
  }

  reload = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    // A read that is under way may have been answered before what it is asked for again.
    this.isWantedAgain = this.underWay.has('first');
    void this.once('first', async () => {
      this.readAt = performance.now();
      const page = await this.read(undefined);
      this.isStale = false;
      this.list.value = firstPage(page.jobs ?? [], page.next);
      this.fresh.value = 0;
    }).then(() => {
      if (this.isWantedAgain && !this.underWay.has('first') && !this.abort.signal.aborted) this.soon();
    });
  };

  look = (first: number, last: number): void => {
    const list = this.list.peek();
    if (!list) return;
    if (list.next && last >= rowCount(list) - PAGE / 2) {
      void this.once('next', async () => {
        const before = this.list.peek()!;
        const page = await this.read(before.next);
        const now = this.list.peek();
        // A reload in between has begun another list; this page is none of it.
        if (now && now.next === before.next) this.list.value = appended(now, page.jobs, page.next);
      });
    }
    const from = pageOf(list, first) ?? 0;
    const to = pageOf(list, Math.min(last, rowCount(list) - 1)) ?? from;
    this.inView = [from, to];
    for (let index = from; index <= to; index += 1) {
      const page = list.pages[index]!;
      if (page.rows) continue;
      void this.once(`page ${page.cursor}`, async () => {
        const read = await this.read(page.cursor);
        const now = this.list.peek();
        if (now && now.pages[index]?.cursor === page.cursor) this.list.value = refilled(now, index, read.jobs ?? []);
      });
    }
    this.list.value = forgotten(this.list.peek()!, from, to);
  };

  refresh = (): void => {
    const list = this.list.peek();
    if (!list || this.isAtTop) {
      this.reload();
      return;
    }
    clearTimeout(this.timer);
    this.timer = undefined;
    const [from, to] = this.inView;
    this.isStale = true;
    this.list.value = onlyInView(list, from, to);
    list.pages.forEach((page, index) => {
      if (index !== 0 && (index < from || index > to)) return;
      void this.once(`again ${page.cursor}`, async () => {
        const read = await this.read(page.cursor);
        const now = this.list.peek();
        if (!now || now.pages[index]?.cursor !== page.cursor) return;
        const { list: next, came } = reread(now, index, read.jobs ?? [], read.next !== undefined, (job) => job.id!);
        this.list.value = next;
        if (index === 0 && !this.filter.oldestFirst) this.fresh.value = came;
      });
    });
  };

  atTop = (isAtTop: boolean): void => {
    this.isAtTop = isAtTop;
    if (isAtTop && (this.isStale || this.fresh.peek() > 0)) this.soon();
  };

  soon(): void {
    this.timer ??= setTimeout(this.refresh, Math.max(1, LEAST_MS - (performance.now() - this.readAt)));
  }

  poll(): void {
    const isDue = performance.now() - this.readAt >= (isLive.peek() ? POLL_LIVE_MS : POLL_MS);
    if (isDue && this.isAtTop && !document.hidden) this.soon();
  }

  /** What happened between the list's first read and the stream's beginning is told by neither. */
  streamBegan(): void {
    if (this.isAtTop) this.soon();
  }

  hear(events: LiveEvent[]): void {
    const list = this.list.peek();
    if (!list) return;
    const byId = new Map(events.filter((event): event is JobEvent => event.kind === 'job').map((event) => [event.id, event]));
    const next = changed(list, (job) => {
      const event = byId.get(job.id!);
      if (!event) return job;
      byId.delete(job.id!);
      return withEvent(job, event);
    });
    if (next !== list) this.list.value = next;
    let came = 0;
    for (const event of byId.values()) if (mayMatch(this.filter, event)) came += 1;
    if (came === 0 || this.filter.oldestFirst) return;
    this.fresh.value += came;
    if (this.isAtTop) this.soon();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.abort.abort();
  }
}

/** What an event says about a row; the rest stays until the row is read again. */
function withEvent(job: Job, event: JobEvent): Job {
  if (job.fence !== undefined && event.fence !== undefined && event.fence < job.fence) return job;
  const isOver = event.to === 'completed' || event.to === 'dead' || event.to === 'cancelled';
  return {
    ...job,
    state: event.to as Job['state'],
    ...(event.attempt !== undefined && { attempt: event.attempt }),
    ...(event.worker && { worker: event.worker }),
    ...(isOver && { finished_at: event.at }),
  };
}

export function useJobList(filter: JobFilter, source: Source): JobList {
  const key = JSON.stringify([filter, source]);
  const loader = useMemo(() => new Loader(filter, source), [key]);
  const turn = epoch.value;
  const gap = gaps.value;
  useEffect(() => loader.refresh(), [loader, turn, gap]);
  useEffect(() => {
    const timer = setInterval(() => loader.poll(), LEAST_MS);
    const forget = isLive.subscribe((now) => {
      if (now) loader.streamBegan();
    });
    return () => {
      clearInterval(timer);
      forget();
      loader.stop();
    };
  }, [loader]);
  useEvents({ kinds: ['job'] }, (events) => loader.hear(events));
  return loader;
}
