// What can be done to jobs, one or many, described once for the list, the job's page and the run's page.
import { answer, api } from '../api/client';
import { plural } from '../rules/numbers';
import { line } from '../rules/cli';
import { flagsOfFilter, searchOfFilter, type JobFilter } from '../rules/filters';
import { shortId } from '../rules/text';
import type { Action } from './actions';

const REASON = { name: 'reason', label: 'Reason', placeholder: 'kept with the job', help: 'Optional; shown in the audit and on the job.' };

export function cancelJob(id: string, done: () => void): Action {
  return {
    title: `Cancel job ${shortId(id)}`,
    verb: 'Cancel job',
    isDangerous: true,
    text: 'A waiting job is cancelled at once; a running one is stopped through its worker.',
    fields: [REASON],
    command: ({ reason }) => line(['job', 'cancel', id], { reason }),
    run: async ({ reason }) => {
      const cancelled = await answer(api.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id } }, body: reason ? { reason } : {} }));
      return { text: cancelled.state === 'cancelled' ? `Job ${shortId(id)} is cancelled` : `Job ${shortId(id)} is asked to stop` };
    },
    done,
  };
}

export function retryJob(id: string, done: () => void): Action {
  return {
    title: `Retry job ${shortId(id)}`,
    verb: 'Retry job',
    text: 'It becomes ready again, with its attempts and rescues given back.',
    command: () => line(['job', 'retry', id]),
    run: async () => {
      const settled = await answer(api.POST('/api/v1/jobs/{id}/retry', { params: { path: { id } } }));
      return { text: `Job ${shortId(id)} is ${settled.state}` };
    },
    done,
  };
}

export function cancelJobs(ids: string[], done: () => void): Action {
  return {
    title: `Cancel ${plural(ids.length, 'job')}`,
    verb: `Cancel ${plural(ids.length, 'job')}`,
    isDangerous: true,
    text: 'Waiting jobs are cancelled at once; running ones are stopped through their workers.',
    fields: [REASON],
    command: ({ reason }) => line(['job', 'cancel', ...ids], { reason }),
    run: async ({ reason }) => {
      const { jobs = [] } = await answer(api.POST('/api/v1/jobs/cancel', { body: { ids, ...(reason && { reason }) } }));
      const refused = jobs.filter((job) => 'error' in job).length;
      return { text: `${plural(jobs.length - refused, 'job')} cancelled${refused ? `, ${refused} were over already` : ''}` };
    },
    done,
  };
}

export function retryJobs(ids: string[], done: () => void): Action {
  return {
    title: `Retry ${plural(ids.length, 'job')}`,
    verb: `Retry ${plural(ids.length, 'job')}`,
    text: 'Dead and cancelled jobs become ready again, with their attempts and rescues given back.',
    command: () => line(['job', 'retry', ...ids]),
    run: async (_, tell) => {
      let refused = 0;
      for (const [at, id] of ids.entries()) {
        const { response } = await api.POST('/api/v1/jobs/{id}/retry', { params: { path: { id } } });
        if (!response.ok) refused += 1;
        tell(`${at + 1} of ${ids.length}`);
      }
      return { text: `${plural(ids.length - refused, 'job')} ready again${refused ? `, ${refused} could not be retried` : ''}` };
    },
    done,
  };
}

const SLICE = 500;

/** All that match, counted first by the server, then done slice by slice so that it can say how far it is. Nothing is done when more match by then than the reader has agreed to. */
export function onAllThatMatch(action: 'cancel' | 'retry', filter: JobFilter, matched: number, isMore: boolean, done: () => void): Action {
  const many = `${isMore ? 'more than ' : ''}${plural(matched, 'job')}`;
  const verb = action === 'cancel' ? 'Cancel' : 'Retry';
  return {
    title: `${verb} ${many} that match`,
    verb: `${verb} ${many}`,
    isDangerous: action === 'cancel',
    text: 'Everything that matches the filter now, also what the list has not loaded.',
    fields: action === 'cancel' ? [REASON] : [],
    command: ({ reason }) => `${line(['job', action])} ${flagsOfFilter(filter)}${reason ? ` ${line([], { reason }).slice('muster '.length)}` : ''}`.trim(),
    run: async ({ reason }, tell) => {
      let cursor: string | undefined;
      let changed = 0;
      let skipped = 0;
      do {
        const slice = await answer(
          api.POST('/api/v1/jobs/act', {
            body: { action, filter: searchOfFilter(filter), dry_run: false, limit: SLICE, ...(cursor ? { cursor } : !isMore && { expected: matched }), ...(reason && { reason }) },
          }),
        );
        changed += slice.changed ?? 0;
        skipped += slice.skipped ?? 0;
        cursor = slice.next;
        tell(`${changed} of ${matched}`);
      } while (cursor);
      return { text: `${plural(changed, 'job')} ${action === 'cancel' ? 'cancelled' : 'ready again'}${skipped ? `, ${skipped} skipped` : ''}` };
    },
    done,
  };
}

export async function countMatching(action: 'cancel' | 'retry', filter: JobFilter): Promise<{ matched: number; isMore: boolean }> {
  const counted = await answer(api.POST('/api/v1/jobs/act', { body: { action, filter: searchOfFilter(filter), dry_run: true } }));
  return { matched: counted.matched ?? 0, isMore: counted.more ?? false };
}
