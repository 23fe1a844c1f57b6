// What can be done to schedules.
import { answer, api, type Schemas } from '../api/client';
import { Problem } from '../api/problem';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { plural } from '../rules/numbers';
import { shortId } from '../rules/text';
import type { Action, Values } from './actions';
import { typedJson } from './run_actions';

export type Schedule = Schemas['Schedule'];

export function scheduleName(schedule: Schedule): string {
  return schedule.note || schedule.run?.type || schedule.job?.type || shortId(schedule.id!);
}

export function pauseSchedule(schedule: Schedule, done: () => void): Action {
  const { id, namespace } = schedule as { id: string; namespace: string };
  return {
    title: `Pause schedule ${shortId(id)}`,
    verb: 'Pause schedule',
    text: 'It makes no jobs until it is resumed.',
    fields: [{ name: 'note', label: 'Note', value: schedule.note ?? '' }],
    command: () => line(['schedule', 'pause', id], { namespace }),
    run: async ({ note }) => {
      await answer(api.POST('/api/v1/schedules/{id}/pause', { params: { path: { id } }, body: { namespace, ...(note && { note }) } }));
      return { text: `Schedule ${shortId(id)} is paused` };
    },
    done,
  };
}

export function resumeSchedule(schedule: Schedule, done: () => void): Action {
  const { id, namespace } = schedule as { id: string; namespace: string };
  return {
    title: `Resume schedule ${shortId(id)}`,
    verb: 'Resume schedule',
    fields: [{ name: 'catch', label: 'Make up for the fires it missed', kind: 'check' }],
    command: ({ catch: catchUp }) => line(['schedule', 'resume', id], { 'catch-up': catchUp === 'yes', namespace }),
    run: async ({ catch: catchUp }) => {
      await answer(api.POST('/api/v1/schedules/{id}/resume', { params: { path: { id } }, body: { namespace, catch_up: catchUp === 'yes' } }));
      return { text: `Schedule ${shortId(id)} fires again` };
    },
    done,
  };
}

export function triggerSchedule(schedule: Schedule, done: () => void): Action {
  const { id, namespace } = schedule as { id: string; namespace: string };
  return {
    title: `Trigger schedule ${shortId(id)}`,
    verb: 'Trigger now',
    text: 'One job now; its own fires are not touched.',
    command: () => line(['schedule', 'trigger', id], { namespace }),
    run: async () => {
      const job = await answer(api.POST('/api/v1/schedules/{id}/trigger', { params: { path: { id } }, body: { namespace } }));
      return { text: `Job ${shortId(job.id!)} is made`, href: schedule.run ? `/workflows/${job.id}` : `/jobs/${job.id}` };
    },
    done,
  };
}

/** What a field for an instant in the reader's zone holds, as the API takes it. */
function instantOf(typed: string | undefined): string | undefined {
  if (!typed) return undefined;
  const at = new Date(typed);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

function localField(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 19);
}

export function backfillSchedule(schedule: Schedule, done: () => void): Action {
  const { id, namespace } = schedule as { id: string; namespace: string };
  return {
    title: `Backfill schedule ${shortId(id)}`,
    verb: 'Backfill',
    text: 'One job for each fire of that time; those that were made already are not made again.',
    fields: [
      { name: 'from', label: 'After', kind: 'time', required: true, value: localField(Date.now() - 3_600_000), help: 'In your zone.' },
      { name: 'to', label: 'Up to', kind: 'time', required: true, value: localField(Date.now()) },
    ],
    command: ({ from, to }) => line(['schedule', 'backfill', id], { from: instantOf(from) ?? 'TIME', to: instantOf(to), namespace }),
    run: async ({ from, to }) => {
      const [begin, end] = [instantOf(from), instantOf(to)];
      if (!begin || !end) throw new Problem('invalid_argument', 400, 'give both times');
      const { jobs = [] } = await answer(api.POST('/api/v1/schedules/{id}/backfill', { params: { path: { id } }, body: { namespace, from: begin, to: end } }));
      const made = jobs.filter((job) => !job.existed).length;
      return { text: `${plural(made, 'job')} made, ${jobs.length - made} were there already` };
    },
    done,
  };
}

export function deleteSchedule(schedule: Schedule, done: () => void): Action {
  const { id, namespace } = schedule as { id: string; namespace: string };
  return {
    title: `Delete schedule ${shortId(id)}`,
    verb: 'Delete schedule',
    isDangerous: true,
    text: 'No further fires; the jobs it made stay.',
    command: () => line(['schedule', 'delete', id], { namespace }),
    run: async () => {
      await answer(api.DELETE('/api/v1/schedules/{id}', { params: { path: { id }, query: { namespace } } }));
      return { text: `Schedule ${shortId(id)} is deleted`, goTo: '/schedules' };
    },
    done,
  };
}

export function createSchedule(namespace: string, preview: Action['preview'], done: () => void): Action {
  const isJob = (values: Values) => values.makes === 'jobs';
  return {
    title: 'New schedule',
    verb: 'Create schedule',
    fields: [
      { name: 'text', label: 'Timing', required: true, placeholder: '0 9 * * 1-5', help: 'Cron of five to seven fields, @daily and the like, or “every 90s”.' },
      { name: 'zone', label: 'Zone', value: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC' },
      { name: 'makes', label: 'Makes', kind: 'choice', options: ['jobs', 'runs of a workflow'], value: 'jobs' },
      { name: 'type', label: 'Type', required: true, placeholder: 'report' },
      { name: 'queue', label: 'Queue', placeholder: 'default' },
      { name: 'input', label: 'Payload', kind: 'json', placeholder: '{"days": 1}' },
      { name: 'note', label: 'Note', placeholder: 'for people' },
    ],
    ...(preview && { preview }),
    command: (values) =>
      line(['schedule', 'create'], {
        [values.text?.startsWith('every ') ? 'every' : 'cron']: values.text?.replace(/^every /, '') || 'TEXT',
        timezone: values.zone,
        type: values.type || 'TYPE',
        queue: values.queue,
        input: values.input,
        note: values.note,
        job: isJob(values),
        namespace,
      }),
    run: async (values) => {
      const payload = typedJson(values.input, 'the payload');
      const made = { type: values.type!, ...(values.queue && { queue: values.queue }), ...(payload !== undefined && { payload: payload as never }) };
      const schedule = await answer(
        api.POST('/api/v1/schedules', {
          body: {
            namespace,
            timing: { text: values.text!, ...(values.zone && { zone: values.zone }) },
            ...(isJob(values) ? { job: made } : { run: made }),
            ...(values.note && { note: values.note }),
          } as never,
        }),
      );
      return { text: `Schedule ${shortId(schedule.id!)} is created`, href: withNamespace(`/schedules/${schedule.id}`, namespace) };
    },
    done,
  };
}
