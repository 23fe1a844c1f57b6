// What can be done to a workflow's runs.
import { answer, api } from '../api/client';
import { Problem } from '../api/problem';
import { line } from '../rules/cli';
import { runBody, runCommand } from '../rules/new_run';
import { shortId } from '../rules/text';
import type { Action } from './actions';

/** JSON as somebody typed it; nothing when the field is empty. */
export function typedJson(text: string | undefined, what: string): unknown {
  if (!text?.trim()) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem('invalid_argument', 400, `${what} is not JSON: ${(error as Error).message}`);
  }
}

export function startRun(namespace: string, done: () => void, type = ''): Action {
  return {
    title: 'Start a workflow',
    verb: 'Start',
    fields: [
      { name: 'type', label: 'Type', required: true, value: type, placeholder: 'order', help: 'Workers that offer workflow:<type> take it.' },
      { name: 'queue', label: 'Queue', placeholder: 'default' },
      { name: 'external', label: 'External id', placeholder: 'order-17', help: 'One unfinished run of a namespace has it; a second start gives that one.' },
      { name: 'input', label: 'Input', kind: 'json', placeholder: '{"order": 17}' },
    ],
    command: (typed) => runCommand(namespace, typed),
    run: async (typed) => {
      const payload = typedJson(typed.input, 'the input');
      const run = await answer(api.POST('/api/v1/runs', { body: runBody(namespace, typed, payload) }));
      return { text: run.existed ? `Run ${shortId(run.id!)} was there already` : `Run ${shortId(run.id!)} is started`, href: `/workflows/${run.id}` };
    },
    done,
  };
}

export function signalRun(id: string, done: () => void, name = ''): Action {
  return {
    title: `Signal run ${shortId(id)}`,
    verb: 'Send signal',
    text: 'Taken by the step that waits for it, or kept until one does.',
    fields: [
      { name: 'name', label: 'Name', required: true, value: name, placeholder: 'approved' },
      { name: 'data', label: 'Data', kind: 'json', placeholder: '{"by": "ada"}' },
    ],
    command: ({ name: typed, data }) => line(['workflow', 'signal', id, typed || 'NAME'], { data }),
    run: async ({ name: typed, data }) => {
      const value = typedJson(data, 'the data');
      const sent = await answer(api.POST('/api/v1/runs/{id}/signal', { params: { path: { id } }, body: { name: typed!, ...(value !== undefined && { data: value as never }) } }));
      return { text: sent.taken ? `Signal ${typed} was taken` : `Signal ${typed} is kept until the run asks for it` };
    },
    done,
  };
}

export function endRun(id: string, how: 'cancel' | 'terminate', done: () => void): Action {
  const isCancel = how === 'cancel';
  return {
    title: `${isCancel ? 'Cancel' : 'Terminate'} run ${shortId(id)}`,
    verb: isCancel ? 'Cancel run' : 'Terminate run',
    isDangerous: true,
    text: isCancel ? 'It ends at once as cancelled, and its unfinished children with it.' : 'It ends at once as dead with error kind “terminated”, and its unfinished children with it.',
    fields: [{ name: 'reason', label: 'Reason', placeholder: isCancel ? 'wrong customer' : 'it loops' }],
    command: ({ reason }) => line(['workflow', how, id], { reason }),
    run: async ({ reason }) => {
      const call = { params: { path: { id } }, body: reason ? { reason } : {} };
      await answer(isCancel ? api.POST('/api/v1/runs/{id}/cancel', call) : api.POST('/api/v1/runs/{id}/terminate', call));
      return { text: `Run ${shortId(id)} is ${isCancel ? 'cancelled' : 'terminated'}` };
    },
    done,
  };
}

export function retryRun(id: string, done: () => void): Action {
  return {
    title: `Retry run ${shortId(id)}`,
    verb: 'Start again',
    text: 'A new run with the same input, from its beginning.',
    fields: [{ name: 'external', label: 'External id', placeholder: 'that of the finished one' }],
    command: ({ external }) => line(['workflow', 'retry', id], { id: external }),
    run: async ({ external }) => {
      const run = await answer(api.POST('/api/v1/runs/{id}/retry', { params: { path: { id } }, body: external ? { external_id: external } : {} }));
      return { text: `Run ${shortId(run.id!)} is started`, href: `/workflows/${run.id}` };
    },
    done,
  };
}
