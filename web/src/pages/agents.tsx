// The agents, the tools they have, and their runs, those that wait for a person first.
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { startAgentRun } from '../data/agent_actions';
import { ofEach } from '../data/every_namespace';
import { isOperator } from '../data/identity';
import { namespace } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card, Tags } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { LeftOut, Namespace } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { When } from '../parts/when';
import { withNamespace } from '../rules/addresses';
import { waitingFirst } from '../rules/agent_runs';
import { line } from '../rules/cli';
import { dollars } from '../rules/conversation';
import { byName, newestFirst } from '../rules/namespaces';
import { count } from '../rules/numbers';
import { clip, shortId, visible } from '../rules/text';

/** The newest, and whatever waits for a person, however old it is. */
async function readRuns(signal: AbortSignal) {
  const read = (name: string, query: { limit: number; state?: 'awaiting_input' }) => answer(api.GET('/api/v1/agent-runs', { params: { query: { namespace: name, ...query } }, signal }));
  const lists = await ofEach(signal, (name) => Promise.all([read(name, { limit: 50 }), read(name, { limit: 200, state: 'awaiting_input' })]));
  const joined = (which: 0 | 1) => newestFirst(lists.map((list) => list[which].runs), (run) => run.created_at);
  return { runs: waitingFirst(joined(0), joined(1)) };
}

export function Agents() {
  const scope = namespace.value;
  const agents = useQuery(`agents ${scope}`, async (signal) => {
    const lists = await ofEach(signal, (name) => answer(api.GET('/api/v1/agents', { params: { query: { namespace: name, limit: 200 } }, signal })));
    return { agents: byName(lists.map((list) => list.agents), (one) => one.name) };
  });
  const runs = useQuery(`agent runs ${scope}`, readRuns, { everyMs: 3000 });
  const tools = useQuery(`tools ${scope}`, async (signal) => {
    const lists = await ofEach(signal, (name) => answer(api.GET('/api/v1/tools', { params: { query: { namespace: name, limit: 200 } }, signal })));
    return { tools: byName(lists.map((list) => list.tools), (one) => one.name) };
  });
  return (
    <Page title="Agents">
      <Card title="Runs">
        <Shown query={runs}>
          {(data) =>
            data.runs.length ? (
              <AgentRunTable runs={data.runs} agents={agents.data?.agents ?? []} />
            ) : (
              <Empty title="No agent has been asked anything" command="muster run start AGENT 'How is the weather in Berlin?' --watch" />
            )
          }
        </Shown>
      </Card>
      <Card title="Agents">
        <Shown query={agents}>
          {(data) =>
            data.agents.length ? (
              <div class="scroll" tabIndex={0} role="region" aria-label="Agents">
                <table>
                  <thead>
                    <tr>
                      <th>Agent</th>
                      <th>Model</th>
                      <th>What it is for</th>
                      <th>Tools</th>
                      <th>Changed</th>
                      {isOperator.value && <th><span class="visually-hidden">Actions</span></th>}
                    </tr>
                  </thead>
                  <tbody>
                    {data.agents.map((agent) => (
                      <tr key={agent.id}>
                        <td class="strong">
                          {visible(agent.name)} <Namespace name={agent.namespace} />
                        </td>
                        <td class="mono">{agent.model}</td>
                        <td class="soft">{clip(agent.description ?? '', 100)}</td>
                        <td>
                          <Tags names={agent.tool_names} />
                        </td>
                        <td>
                          <When at={agent.updated_at} />
                        </td>
                        {isOperator.value && (
                          <td class="actions">
                            <button type="button" class="small" aria-label={`Ask ${agent.name}`} onClick={() => ask(startAgentRun(agent.name, agent.namespace ?? 'default', runs.refresh))}>
                              Ask
                            </button>
                          </td>
                        )}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            ) : (
              <Empty title="No agents yet" command="muster agent create support --model MODEL --system-prompt 'You help people.'">
                An agent is a model with a prompt and tools; a run of it is a job.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <Card title="Tools">
        <Shown query={tools} rows={3}>
          {(data) =>
            data.tools.length ? (
              <div class="scroll" tabIndex={0} role="region" aria-label="Tools">
                <table>
                  <tbody>
                    {data.tools.map((tool) => (
                      <tr key={`${tool.namespace} ${tool.name}`}>
                        <td class="strong">
                          {visible(tool.name)} <Namespace name={tool.namespace} />
                        </td>
                        <td class="soft">{clip(tool.description, 120)}</td>
                        <td>{tool.approval === 'ask' ? <span class="tag warn">asks first</span> : <span class="faint">runs at once</span>}</td>
                        <td class="mono faint">{tool.queue}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            ) : (
              <Empty title="No tools yet" command="muster tool define get_weather --description 'The weather of a city'" />
            )
          }
        </Shown>
      </Card>
      <LeftOut />
      <CommandLine command={line(['agent', 'list'], { namespace: namespace.value })} />
    </Page>
  );
}

interface AgentRunTableProps {
  runs: Schemas['AgentRun'][];
  agents: Schemas['Agent'][];
  /** Beside the conversation, which says whose it is and what was asked. */
  isNarrow?: boolean;
}

export function AgentRunTable({ runs, agents, isNarrow }: AgentRunTableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table>
        <thead>
          <tr>
            <th>Run</th>
            {!isNarrow && <th>Agent</th>}
            <th>State</th>
            {!isNarrow && <th>Prompt</th>}
            {!isNarrow && <th class="number">Calls</th>}
            <th class="number">Cost</th>
            <th>Asked</th>
          </tr>
        </thead>
        <tbody>
          {waitingFirst(runs).map((run) => (
            <tr key={run.id}>
              <td>
                <a class="mono" href={withNamespace(`/agent-runs/${run.id}`, run.namespace)}>
                  {shortId(run.id)}
                </a>{' '}
                <Namespace name={run.namespace} />
              </td>
              {!isNarrow && <td>{visible(agents.find((agent) => agent.id === run.agent_id)?.name ?? shortId(run.agent_id))}</td>}
              <td>
                <State state={run.state} />
              </td>
              {!isNarrow && <td class="soft">{clip(run.prompt ?? '', 90)}</td>}
              {!isNarrow && <td class="number">{count(run.iteration_count)}</td>}
              <td class="number">{dollars(run.microdollars)}</td>
              <td>
                <When at={run.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
