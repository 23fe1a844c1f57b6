// One run of an agent: its words as they come, its tool calls with a yes or no where one is asked for, and what it cost.
import { useLocation, useRoute } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { approveTool, cancelAgentRun, denyTool } from '../data/agent_actions';
import { useAgentStream } from '../data/agent_stream';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { Card, Facts } from '../parts/card';
import { CommandLine, Copy } from '../parts/copy';
import { JobLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Since, When } from '../parts/when';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { dollars } from '../rules/conversation';
import { count } from '../rules/numbers';
import { clip, shortId, visible } from '../rules/text';

const OVER = ['completed', 'cancelled', 'failed'];

export function AgentRunPage() {
  const id = useRoute().params.id!;
  const namespace = useLocation().query.namespace ?? 'default';
  const run = useQuery(`agent run ${id}`, (signal) => answer(api.GET('/api/v1/agent-runs/{id}', { params: { path: { id }, query: { namespace } }, signal })), { everyMs: 2000 });
  const isOver = run.data ? OVER.includes(run.data.state) : true;
  const words = useAgentStream(isOver ? '' : id, namespace, run.refresh);
  return (
    <Page
      title={`Run ${shortId(id)}`}
      above={{ title: 'Agents', href: '/agents' }}
      sub={run.data && <State state={run.data.state} />}
      actions={
        isOperator.value &&
        !isOver && (
          <button type="button" class="danger" onClick={() => ask(cancelAgentRun(id, namespace, run.refresh))}>
            Cancel
          </button>
        )
      }
    >
      <Shown query={run}>
        {(data) => (
          <div class="grid-main">
            <div class="stack">
              <Card title="Conversation" end={<a href={withNamespace(`/sessions/${data.session_id}`, namespace)}>The whole session</a>}>
                <div class="talk" role="log" aria-label="Conversation" tabIndex={0}>
                  <div class="message user">
                    <span class="from">asked</span>
                    <pre>{visible(data.prompt ?? '')}</pre>
                  </div>
                  {data.tool_executions?.map((execution) => (
                    <ToolCall key={execution.id} execution={execution} namespace={namespace} reload={run.refresh} />
                  ))}
                  {(data.response_text || words) && (
                    <div class="message assistant">
                      <span class="from">assistant</span>
                      <pre class={isOver ? '' : 'cursor-blink'}>{visible(data.response_text || words)}</pre>
                    </div>
                  )}
                  {data.error_message && <div class="trouble alone">{visible(`${data.error_type}: ${data.error_message}`)}</div>}
                </div>
              </Card>
              <Card title="Calls of the model">
                {data.iterations?.length ? <Iterations iterations={data.iterations} /> : <Empty title="None yet" />}
              </Card>
              <CommandLine command={line(['run', 'watch', id], { namespace })} />
            </div>
            <Card title="Facts">
              <div class="body">
                <Facts
                  facts={[
                    ['Id', <span class="id"><span class="mono wrap-anywhere">{id}</span><Copy text={id} label="Copy id" /></span>],
                    ['Job', <JobLink id={id} />],
                    ['Mode', data.run_mode],
                    ['Cost', dollars(data.microdollars)],
                    ['Calls', count(data.iteration_count)],
                    ['Stopped', data.stop_reason],
                    ['Asked', <When at={data.created_at} />],
                    ['Running', data.started_at && !data.finalized_at && <Since at={data.started_at} />],
                    ['Ended', data.finalized_at && <When at={data.finalized_at} />],
                  ]}
                />
              </div>
            </Card>
          </div>
        )}
      </Shown>
    </Page>
  );
}

function ToolCall({ execution, namespace, reload }: { execution: Schemas['ToolExecution']; namespace: string; reload: () => void }) {
  const asks = execution.approval === 'asked' && execution.state === 'pending';
  return (
    <div class={`tool-call ${asks ? 'asks' : ''}`}>
      <span class="row">
        <strong>{visible(execution.tool_name)}</strong>
        <State state={execution.state} />
        {execution.job_id && <JobLink id={execution.job_id} />}
        {execution.approval !== 'not_needed' && (
          <span class="faint">
            {execution.approval}
            {execution.decided_by && ` by ${execution.decided_by}`}
          </span>
        )}
      </span>
      <pre tabIndex={0}>{clip(JSON.stringify(execution.tool_input, null, 2) ?? '', 4000)}</pre>
      {execution.tool_output && <pre class={execution.is_error ? 'bad' : ''} tabIndex={0}>{visible(execution.tool_output)}</pre>}
      {asks && isOperator.value && (
        <span class="row">
          <button type="button" class="primary small" onClick={() => ask(approveTool(execution, namespace, reload))}>
            Approve
          </button>
          <button type="button" class="danger small" onClick={() => ask(denyTool(execution, namespace, reload))}>
            Deny
          </button>
        </span>
      )}
    </div>
  );
}

function Iterations({ iterations }: { iterations: Schemas['Iteration'][] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Calls of the model">
      <table>
        <thead>
          <tr>
            <th class="number">Call</th>
            <th>Because of</th>
            <th>Stopped</th>
            <th class="number">Tools</th>
            <th class="number">Attempts</th>
            <th class="number">Cost</th>
            <th>Begun</th>
          </tr>
        </thead>
        <tbody>
          {iterations.map((iteration) => (
            <tr key={iteration.id}>
              <td class="number">{iteration.iteration_number}</td>
              <td>{iteration.trigger_type?.replace('_', ' ')}</td>
              <td>{iteration.stop_reason ?? iteration.error_type ?? '–'}</td>
              <td class="number">{count(iteration.tool_execution_count)}</td>
              <td class="number">{count(iteration.attempts)}</td>
              <td class="number">{dollars(iteration.microdollars)}</td>
              <td>
                <When at={iteration.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
