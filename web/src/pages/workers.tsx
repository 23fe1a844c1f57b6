// The workers: who is there, how well they are and how busy, grouped by a label if wanted.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { namespace, namespaceQuery } from '../data/namespace';
import { useQuery } from '../data/query';
import { drainWorker, resumeWorker } from '../data/worker_actions';
import { Card, Load, Tags } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Namespace, WorkerLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Segmented } from '../parts/tabs';
import { When } from '../parts/when';
import { groupedBy, labelKeys } from '../rules/grouping';
import { count, plural } from '../rules/numbers';

type Worker = Schemas['Worker'];

export function Workers() {
  const [shown, setShown] = useState('live');
  const [group, setGroup] = useState('');
  const workers = useQuery(
    `workers ${namespace.value}`,
    (signal) => answer(api.GET('/api/v1/workers', { params: { query: { ...namespaceQuery(), limit: 1000 } }, signal })),
    { everyMs: 3000, wanted: { kinds: ['worker'] } },
  );
  const all = workers.data?.workers ?? [];
  const rows = shown === 'live' ? all.filter((worker) => worker.state !== 'offline') : all;
  const keys = labelKeys(all);
  return (
    <Page
      title="Workers"
      sub={workers.data && `${plural(all.filter((worker) => worker.state !== 'offline').length, 'live worker')}`}
      actions={
        <>
          {keys.length > 0 && (
            <select aria-label="Group by label" value={group} onChange={(event) => setGroup(event.currentTarget.value)}>
              <option value="">not grouped</option>
              {keys.map((key) => (
                <option key={key} value={key}>
                  by {key}
                </option>
              ))}
            </select>
          )}
          <Segmented label="Which workers" options={['live', 'all']} value={shown} choose={setShown} />
        </>
      }
    >
      <Card>
        <Shown query={workers} rows={8}>
          {() =>
            rows.length ? (
              <Table groups={groupedBy(rows, group)} reload={workers.refresh} />
            ) : (
              <Empty title={all.length ? 'No live worker' : 'No workers yet'} command="muster worker">
                Start one; it registers by itself.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <CommandLine command="muster workers list" />
    </Page>
  );
}

function Table({ groups, reload }: { groups: { name: string; rows: Worker[] }[]; reload: () => void }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Workers">
      <table>
        <thead>
          <tr>
            <th>Worker</th>
            <th>State</th>
            <th>Load</th>
            <th class="number">Completed</th>
            <th class="number">Failed</th>
            <th>Offers</th>
            <th>Queues</th>
            <th>Last beat</th>
            {isOperator.value && <th><span class="visually-hidden">Actions</span></th>}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Fragment key={group.name}>
              {group.name && (
                <tr class="group-head">
                  <td colSpan={isOperator.value ? 9 : 8}>
                    {group.name} <span class="faint">{plural(group.rows.length, 'worker')}, {plural(group.rows.reduce((sum, worker) => sum + (worker.running ?? 0), 0), 'running job')}</span>
                  </td>
                </tr>
              )}
              {group.rows.map((worker) => (
                <Row key={`${worker.namespace}/${worker.id}`} worker={worker} reload={reload} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ worker, reload }: { worker: Worker; reload: () => void }) {
  const which = { id: worker.id!, namespace: worker.namespace! };
  return (
    <tr>
      <td class="strong nowrap">
        <WorkerLink id={worker.id} namespace={worker.namespace} /> <Namespace name={worker.namespace} />
      </td>
      <td>
        <State state={worker.state === 'online' ? worker.health! : worker.state!} />
      </td>
      <td>
        <Load running={worker.running ?? 0} slots={worker.slots ?? 0} />
      </td>
      <td class="number">{count(worker.completed)}</td>
      <td class={`number ${worker.failed ? 'soft' : 'faint'}`}>{count(worker.failed)}</td>
      <td>
        <Tags names={worker.capabilities?.slice(0, 4)} />
        {(worker.capabilities?.length ?? 0) > 4 && <span class="faint"> +{worker.capabilities!.length - 4}</span>}
      </td>
      <td class="soft">{worker.queues?.length ? worker.queues.join(', ') : 'every'}</td>
      <td>
        <When at={worker.last_seen_at} />
      </td>
      {isOperator.value && (
        <td class="actions">
          {worker.state === 'online' && (
            <button type="button" class="small" aria-label={`Drain ${worker.id}`} onClick={() => ask(drainWorker(which, reload))}>
              Drain
            </button>
          )}
          {worker.state === 'draining' && worker.drain_origin !== 'itself' && (
            <button type="button" class="small" aria-label={`Resume ${worker.id}`} onClick={() => ask(resumeWorker(which, reload))}>
              Resume
            </button>
          )}
        </td>
      )}
    </tr>
  );
}
