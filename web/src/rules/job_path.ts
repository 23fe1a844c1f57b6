// A job's way so far, as entries of a time line: accepted, due, every attempt with its lease and outcome, and the end.
import { instant } from './time';

export interface Attempt {
  attempt: number;
  fence?: number;
  worker?: string;
  started_at?: string;
  ended_at?: string;
  outcome?: string;
  error?: { kind: string; message: string };
}

export interface JobTimes {
  state: string;
  created_at: string;
  due_at?: string;
  expires_at?: string;
  started_at?: string;
  finished_at?: string;
  lease_expires_at?: string;
  worker?: string;
  fence?: number;
  attempt?: number;
  attempts?: Attempt[];
  error?: { kind: string; message: string };
  cancel_requested?: boolean;
}

export interface PathEntry {
  at?: string;
  /** What happened, in one word or two. */
  title: string;
  tone: 'plain' | 'run' | 'good' | 'bad' | 'wait';
  attempt?: Attempt;
  note?: string;
  /** Milliseconds since the entry before. */
  after?: number;
  /** How long the attempt took, when it is over. */
  took?: number;
}

export function pathOf(job: JobTimes): PathEntry[] {
  const path: PathEntry[] = [{ at: job.created_at, title: 'accepted', tone: 'plain' }];
  const created = instant(job.created_at) ?? 0;
  const due = instant(job.due_at);
  const attempts = job.attempts ?? [];
  const firstStart = instant(attempts[0]?.started_at ?? job.started_at) ?? Infinity;
  if (due !== undefined && due > created + 1000 && due <= firstStart) path.push({ at: job.due_at!, title: 'due', tone: 'wait' });
  for (const attempt of attempts) {
    const started = instant(attempt.started_at);
    const ended = instant(attempt.ended_at);
    path.push({
      at: attempt.started_at!,
      title: titleOf(attempt),
      tone: toneOf(attempt),
      attempt,
      ...(started !== undefined && ended !== undefined && { took: ended - started }),
    });
  }
  if (job.state === 'running' && !attempts.some((attempt) => !attempt.ended_at)) {
    const attempt: Attempt = { attempt: job.attempt ?? 1, ...(job.fence !== undefined && { fence: job.fence }) };
    if (job.worker) attempt.worker = job.worker;
    path.push({ at: job.started_at!, title: 'running', tone: 'run', attempt });
  }
  if (job.state === 'scheduled' && due !== undefined && attempts.length > 0) path.push({ at: job.due_at!, title: 'next attempt', tone: 'wait' });
  if (job.finished_at) path.push({ at: job.finished_at, ...endOf(job) });
  for (let i = 1; i < path.length; i += 1) {
    const at = instant(path[i]!.at);
    const before = instant(path[i - 1]!.attempt?.ended_at ?? path[i - 1]!.at);
    if (at !== undefined && before !== undefined && at > before) path[i]!.after = at - before;
  }
  return path;
}

function titleOf(attempt: Attempt): string {
  if (!attempt.ended_at) return `attempt ${attempt.attempt}`;
  const outcome = attempt.outcome ?? 'ended';
  return `attempt ${attempt.attempt}: ${outcome === 'lost' ? 'lost, rescued' : outcome}`;
}

function toneOf(attempt: Attempt): PathEntry['tone'] {
  if (!attempt.ended_at) return 'run';
  switch (attempt.outcome) {
    case 'completed':
      return 'good';
    case 'released':
    case 'snoozed':
    case 'parked':
      return 'wait';
    default:
      return 'bad';
  }
}

function endOf(job: JobTimes): Pick<PathEntry, 'title' | 'tone' | 'note'> {
  const note = job.error && job.state !== 'completed' ? `${job.error.kind}: ${job.error.message}` : undefined;
  const tone = job.state === 'completed' ? 'good' : job.state === 'dead' ? 'bad' : 'plain';
  return { title: job.state, tone, ...(note && { note }) };
}
