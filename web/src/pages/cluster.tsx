// The nodes that share the store: who leads, who lags, and where they differ.
import { answer, api, type Schemas } from '../api/client';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { available } from '../data/routes';
import { Card, Figure } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { SettingDifferences } from '../parts/setting_differences';
import { State } from '../parts/state';
import { Since, When } from '../parts/when';
import { count, plural } from '../rules/numbers';
import { duration } from '../rules/time';

const SILENT_MS = 15_000;

export function Cluster() {
  const cluster = useQuery('cluster', (signal) => answer(api.GET('/api/v1/cluster', { signal })), { everyMs: 2000 });
  return (
    <Page title="Cluster" sub={cluster.data && plural(cluster.data.nodes?.length ?? 0, 'node')}>
      <Shown query={cluster} rows={6}>
        {(data) => (
          <>
            <div class="figures">
              <Figure label="Leader" value={data.leader ?? 'none'} tone={data.leader ? undefined : 'bad'} note={data.leader ? 'runs the sweeps' : 'sweeps stand still until somebody leads'} />
              <Figure label="Term" value={count(data.term)} note="grows with every change of leader" />
              <Figure label="Answered by" value={data.self ?? '–'} />
              <Figure label="Leads until" value={data.leader_until ? <When at={data.leader_until} /> : '–'} note={data.leader_until ? 'renewed before then' : 'alone on its store'} />
            </div>
            <Differences nodes={data.nodes ?? []} />
            <Card title="Nodes">
              <div class="scroll" tabIndex={0} role="region" aria-label="Nodes">
                <table>
                  <thead>
                    <tr>
                      <th>Node</th>
                      <th>State</th>
                      <th>Address</th>
                      <th>Version</th>
                      <th class="number">Up</th>
                      <th>Seen</th>
                      <th class="number">Workers</th>
                      <th class="number">Waits for the store</th>
                      <th class="number">Lag</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.nodes?.map((node) => (
                      <tr key={node.name}>
                        <td class="strong">
                          {node.name} {node.leader && <span class="tag">leader</span>} {node.name === data.self && <span class="tag">this one</span>}
                        </td>
                        <td>
                          <State state={isSilent(node, data.now) ? 'lost' : node.listening ? 'online' : 'degraded'} />
                        </td>
                        <td class="mono">{node.address}</td>
                        <td>{node.version}</td>
                        <td class="number">
                          <Since at={node.started_at} />
                        </td>
                        <td>
                          <When at={node.seen_at} />
                        </td>
                        <td class="number">{count(node.workers)}</td>
                        <td class="number">{count(node.pending)}</td>
                        <td class="number">{duration(node.notify_lag_ms ?? 0)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </Card>
          </>
        )}
      </Shown>
      {isOperator.value && available.value.has('settings') && <SettingDifferences />}
      <CommandLine command="muster cluster status" />
    </Page>
  );
}

type Node = NonNullable<Schemas['Cluster']['nodes']>[number];

/** By the store's clock, which all nodes share. */
function isSilent(node: Node, now: string | undefined): boolean {
  return now !== undefined && node.seen_at !== undefined && Date.parse(now) - Date.parse(node.seen_at) > SILENT_MS;
}

function Differences({ nodes }: { nodes: Node[] }) {
  const versions = [...new Set(nodes.map((node) => node.version))];
  if (versions.length < 2) return null;
  return (
    <p class="trouble alone" role="status">
      The nodes run different versions: {versions.join(', ')}.
    </p>
  );
}
