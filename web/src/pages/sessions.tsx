// The conversations with agents, newest first.
import { answer, api } from '../api/client';
import { ofEach } from '../data/every_namespace';
import { namespace } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { LeftOut, Namespace } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { When } from '../parts/when';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { newestFirst } from '../rules/namespaces';
import { count, sum } from '../rules/numbers';
import { clip, shortId } from '../rules/text';

export function Sessions() {
  const sessions = useQuery(`sessions ${namespace.value}`, async (signal) => {
    const lists = await ofEach(signal, (name) => answer(api.GET('/api/v1/sessions', { params: { query: { namespace: name, limit: 200 } }, signal })));
    return { sessions: newestFirst(lists.map((list) => list.sessions), (one) => one.created_at), total: sum(lists.map((list) => list.total)) };
  });
  return (
    <Page title="Sessions" sub={sessions.data && count(sessions.data.total)}>
      <Card>
        <Shown query={sessions}>
          {(data) =>
            data.sessions.length ? (
              <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
                <table>
                  <thead>
                    <tr>
                      <th>Session</th>
                      <th>About</th>
                      <th class="number">Depth</th>
                      <th class="number">Compactions</th>
                      <th>Changed</th>
                      <th>Begun</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.sessions.map((session) => (
                      <tr key={session.id}>
                        <td>
                          <a class="mono" href={withNamespace(`/sessions/${session.id}`, session.namespace)}>
                            {shortId(session.id)}
                          </a>{' '}
                          <Namespace name={session.namespace} />
                        </td>
                        <td class="soft mono">{Object.keys(session.metadata ?? {}).length ? clip(JSON.stringify(session.metadata), 90) : '–'}</td>
                        <td class="number">{count(session.depth)}</td>
                        <td class="number">{count(session.compaction_count)}</td>
                        <td>
                          <When at={session.updated_at} />
                        </td>
                        <td>
                          <When at={session.created_at} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            ) : (
              <Empty title="No conversations yet" command="muster run start AGENT 'How is the weather in Berlin?' --watch">
                A run without a session begins one.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <LeftOut />
      <CommandLine command={line(['session', 'list'], { namespace: namespace.value })} />
    </Page>
  );
}
