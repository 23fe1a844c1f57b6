// Drain and resume, for the list of workers and the worker's page.
import { answer, api } from '../api/client';
import { Problem } from '../api/problem';
import { lengthFlag, line } from '../rules/cli';
import { parseDuration } from '../rules/time';
import type { Action } from './actions';

interface Which {
  id: string;
  namespace: string;
}

export function drainWorker({ id, namespace }: Which, done: () => void): Action {
  return {
    title: `Drain worker ${id}`,
    verb: 'Drain worker',
    text: 'It gets no new work. What runs may finish until the deadline; then it is handed back, and costs no attempt.',
    fields: [
      { name: 'deadline', label: 'Deadline', kind: 'duration', placeholder: '5m', help: 'From now, such as 90s, 5m or 1h; empty: however long it takes.' },
      { name: 'reason', label: 'Reason', placeholder: 'upgrade' },
    ],
    command: ({ deadline, reason }) => {
      const ms = parseDuration(deadline ?? '');
      return line(['workers', 'drain', id], { deadline: ms === undefined ? undefined : lengthFlag(ms), reason, namespace });
    },
    run: async ({ deadline, reason }) => {
      const ms = deadline ? parseDuration(deadline) : undefined;
      if (deadline && ms === undefined) throw new Problem('invalid_argument', 400, `"${deadline}" is no length of time; give one such as 90s, 5m or 1h`);
      await answer(
        api.POST('/api/v1/workers/{id}/drain', { params: { path: { id } }, body: { namespace, ...(ms !== undefined && { deadline_ms: ms }), ...(reason && { reason }) } }),
      );
      return { text: `Worker ${id} is draining` };
    },
    done,
  };
}

export function resumeWorker({ id, namespace }: Which, done: () => void): Action {
  return {
    title: `Put worker ${id} back to work`,
    verb: 'Resume worker',
    text: 'It takes new work again.',
    command: () => line(['workers', 'resume', id], { namespace }),
    run: async () => {
      await answer(api.POST('/api/v1/workers/{id}/resume', { params: { path: { id } }, body: { namespace } }));
      return { text: `Worker ${id} takes work again` };
    },
    done,
  };
}
