// One conversation: what was said, by whom, what it has cost, and the words of a run that is under way.
import { useLocation, useRoute } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { startAgentRun } from '../data/agent_actions';
import { useAgentStream } from '../data/agent_stream';
import { isOperator } from '../data/identity';
import { kept } from '../data/kept';
import { useQuery } from '../data/query';
import { Card, Facts } from '../parts/card';
import { Conversation } from '../parts/conversation';
import { CommandLine } from '../parts/copy';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { When } from '../parts/when';
import { line } from '../rules/cli';
import { dollars } from '../rules/conversation';
import { goneOnFrom, readOn, type Told } from '../rules/messages';
import { count } from '../rules/numbers';
import { shortId } from '../rules/text';
import { AgentRunTable } from './agents';

const MESSAGES_MAX = 2000;

const told = kept<string, Told<Schemas['Message']>>();

/** What was said since it was last looked at; everything at first, and when something older may have changed. */
async function readMessages(id: string, namespace: string, compactions: number | undefined, signal: AbortSignal): Promise<Schemas['Message'][]> {
  const key = `${namespace} ${id}`;
  const before = told.get(key);
  let all = goneOnFrom(before, compactions, Date.now());
  const wholeAt = before && all.length ? before.wholeAt : Date.now();
  for (;;) {
    const page = await answer(
      api.GET('/api/v1/sessions/{id}/messages', { params: { path: { id }, query: { namespace, limit: 200, ...(all.length && { after: all.at(-1)!.number }) } }, signal }),
    );
    all = readOn(all, page.messages, MESSAGES_MAX);
    if (page.more && page.messages.length) continue;
    // One conversation is kept, the one that is looked at.
    told.clear();
    if (!signal.aborted) told.set(key, { messages: all, compactions: compactions ?? before?.compactions, wholeAt });
    return all;
  }
}

export function SessionPage() {
  const id = useRoute().params.id!;
  const namespace = useLocation().query.namespace ?? 'default';
  const session = useQuery(`session ${id}`, (signal) => answer(api.GET('/api/v1/sessions/{id}', { params: { path: { id }, query: { namespace } }, signal })));
  const messages = useQuery(`messages ${id}`, (signal) => readMessages(id, namespace, session.data?.compaction_count, signal), { everyMs: 3000 });
  const runs = useQuery(`runs of session ${id}`, (signal) => answer(api.GET('/api/v1/agent-runs', { params: { query: { namespace, session_id: id, limit: 50 } }, signal })), { everyMs: 3000 });
  const running = runs.data?.runs.find((run) => run.state === 'streaming' || run.state === 'pending');
  const tail = useAgentStream(running?.id ?? '', namespace, () => {
    messages.refresh();
    runs.refresh();
  });
  const agent = runs.data?.runs[0]?.agent_id ?? '';
  return (
    <Page
      title={`Session ${shortId(id)}`}
      above={{ title: 'Sessions', href: '/sessions' }}
      actions={
        isOperator.value && (
          <button type="button" class="primary" onClick={() => ask(startAgentRun(agent, namespace, runs.refresh, id))}>
            Go on
          </button>
        )
      }
    >
      <div class="grid-main">
        <div class="stack">
          <Card title="Conversation" end={messages.data && messages.data.length >= MESSAGES_MAX && `the last ${count(MESSAGES_MAX)} messages`}>
            <Shown query={messages}>{(all) => (all.length || running ? <Conversation messages={all} {...(running && tail && { tail })} /> : <Empty title="Nothing was said yet" />)}</Shown>
          </Card>
          <CommandLine command={line(['session', 'messages', id], { namespace })} />
        </div>
        <div class="stack">
          <Card title="Spent">
            <Shown query={session}>
              {(data) => (
                <div class="body">
                  <Facts
                    facts={[
                      ['Cost', dollars(data.microdollars)],
                      ['Tokens in', count(data.input_tokens)],
                      ['Tokens out', count(data.output_tokens)],
                      ['From cache', count(data.cache_read_input_tokens)],
                      ['Begun', <When at={data.created_at} />],
                    ]}
                  />
                </div>
              )}
            </Shown>
          </Card>
          <Card title="Runs">
            <Shown query={runs}>{(data) => <AgentRunTable runs={data.runs} agents={[]} isNarrow />}</Shown>
          </Card>
        </div>
      </div>
    </Page>
  );
}
