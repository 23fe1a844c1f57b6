// Where the configurations of the nodes differ: what should be the same first, and what each node rightly has for itself below.
import { answer, api, type Schemas } from '../api/client';
import { useQuery } from '../data/query';
import { differenceRows, type Row } from '../rules/differences';
import { Card } from './card';
import { CommandLine } from './copy';
import { Empty, Shown } from './loading';
import { State } from './state';

const EVERY_MS = 10_000;

export function SettingDifferences() {
  const found = useQuery('cluster-settings', (signal) => answer(api.GET('/api/v1/cluster/settings', { signal })), { everyMs: EVERY_MS });
  return (
    <Card title="Settings that differ" end={found.data && found.data.differing > 0 && <span class="tag warn">{found.data.differing}</span>}>
      <Shown query={found} rows={3}>
        {(data) => <Found found={data} />}
      </Shown>
    </Card>
  );
}

function Found({ found }: { found: Schemas['ClusterSettings'] }) {
  const { nodes, silent } = found;
  const rows = differenceRows(nodes, found.settings);
  const wrong = rows.filter((row) => row.state !== 'own');
  const own = rows.filter((row) => row.state === 'own');
  return (
    <>
      {silent.length > 0 && (
        <p class="body soft">
          {silent.join(', ')} told nothing: a program of an older version, or one that has just started.
        </p>
      )}
      {nodes.length < 2 ? (
        <Empty title="Nothing to compare">
          {nodes.length + silent.length === 0 ? 'This server is alone on its store.' : 'A second node has to tell its settings first.'}
        </Empty>
      ) : wrong.length === 0 ? (
        <Empty title="None">All {nodes.length} nodes run with the same settings.</Empty>
      ) : (
        <Rows label="Settings that differ" nodes={nodes} rows={wrong} />
      )}
      {wrong.some((row) => row.state === 'unknown') && (
        <p class="body soft">
          Secrets are compared by a hash keyed with <span class="mono">auth.session_key</span>. Make that the same on all nodes first.
        </p>
      )}
      {own.length > 0 && (
        <details class="body">
          <summary>{own.length} that each node has for itself</summary>
          <Rows label="Settings that each node has for itself" nodes={nodes} rows={own} />
        </details>
      )}
      <div class="body">
        <CommandLine command="muster cluster settings" />
      </div>
    </>
  );
}

function Rows({ label, nodes, rows }: { label: string; nodes: string[]; rows: Row[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th>Setting</th>
            {nodes.map((node) => (
              <th key={node}>{node}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td class="nowrap">
                <span class="mono">{row.name}</span> {row.state === 'unknown' && <State state="unknown" />}
              </td>
              {row.cells.map((cell) => (
                <td key={cell.node} class={`mono wrap-anywhere ${cell.isOdd ? 'bad strong' : ''}`}>
                  {cell.value === undefined ? <span class="faint">not known</span> : cell.value === '' ? <span class="faint">empty</span> : cell.value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
