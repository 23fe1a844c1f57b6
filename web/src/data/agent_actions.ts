// What can be done to agents' runs: ask something, approve and deny tool calls, cancel.
import { answer, api, type Schemas } from '../api/client';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { shortId } from '../rules/text';
import type { Action } from './actions';
import { typedJson } from './run_actions';

export function startAgentRun(agent: string, namespace: string, done: () => void, session?: string): Action {
  return {
    title: session ? 'Go on with the session' : `Ask ${agent}`,
    verb: 'Ask',
    fields: [
      ...(session ? [{ name: 'agent', label: 'Agent', value: agent, required: true }] : []),
      { name: 'prompt', label: 'Prompt', kind: 'long' as const, required: true },
    ],
    command: ({ agent: typed, prompt }) => line(['run', 'start', typed || agent || 'AGENT', prompt || 'PROMPT'], { session, namespace }),
    run: async ({ agent: typed, prompt }) => {
      const run = await answer(api.POST('/api/v1/agent-runs', { body: { namespace, agent: typed || agent, prompt: prompt!, ...(session && { session_id: session }) } }));
      return { text: `Run ${shortId(run.id)} is started`, href: withNamespace(`/agent-runs/${run.id}`, namespace) };
    },
    done,
  };
}

export function approveTool(execution: Schemas['ToolExecution'], namespace: string, done: () => void): Action {
  const id = execution.run_id;
  return {
    title: `Approve ${execution.tool_name}`,
    verb: 'Approve',
    text: 'The tool runs with this input.',
    fields: [
      { name: 'input', label: 'Input', kind: 'json', value: JSON.stringify(execution.tool_input, null, 2) ?? '', help: 'Change it to run the tool with something else than the model asked for.' },
      { name: 'reason', label: 'Reason' },
    ],
    command: ({ input, reason }) => line(['run', 'approve', id], { execution: execution.id, input, reason, namespace }),
    run: async ({ input, reason }) => {
      const value = typedJson(input, 'the input');
      const isChanged = JSON.stringify(value) !== JSON.stringify(execution.tool_input);
      await answer(
        api.POST('/api/v1/agent-runs/{id}/approve', { params: { path: { id } }, body: { namespace, execution: execution.id, ...(reason && { reason }), ...(isChanged && { input: value as never }) } }),
      );
      return { text: `${execution.tool_name} is approved` };
    },
    done,
  };
}

export function denyTool(execution: Schemas['ToolExecution'], namespace: string, done: () => void): Action {
  const id = execution.run_id;
  return {
    title: `Deny ${execution.tool_name}`,
    verb: 'Deny',
    isDangerous: true,
    text: 'The tool does not run, and the model is told why.',
    fields: [{ name: 'reason', label: 'Reason' }],
    command: ({ reason }) => line(['run', 'deny', id], { execution: execution.id, reason, namespace }),
    run: async ({ reason }) => {
      await answer(api.POST('/api/v1/agent-runs/{id}/deny', { params: { path: { id } }, body: { namespace, execution: execution.id, ...(reason && { reason }) } }));
      return { text: `${execution.tool_name} is denied` };
    },
    done,
  };
}

export function cancelAgentRun(id: string, namespace: string, done: () => void): Action {
  return {
    title: `Cancel run ${shortId(id)}`,
    verb: 'Cancel run',
    isDangerous: true,
    fields: [{ name: 'reason', label: 'Reason' }],
    command: ({ reason }) => line(['run', 'cancel', id], { reason, namespace }),
    run: async ({ reason }) => {
      await answer(api.POST('/api/v1/agent-runs/{id}/cancel', { params: { path: { id } }, body: { namespace, ...(reason && { reason }) } }));
      return { text: `Run ${shortId(id)} is cancelled` };
    },
    done,
  };
}
