// The lanes: which needs waiting jobs have, and who serves them. Those that nobody serves come first, in red, with what is missing.
import { useLocation } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { namespace } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card, Tags } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Namespace, QueueLink, WorkerLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { Since } from '../parts/when';
import { line } from '../rules/cli';
import { lanesLeftOut, lanesQuery } from '../rules/lanes';
import { count } from '../rules/numbers';

type Lane = Schemas['Lane'];

export function Lanes() {
  const { query } = useLocation();
  const asked = lanesQuery(namespace.value, query.queue ?? '');
  const lanes = useQuery(`lanes ${JSON.stringify(asked)}`, (signal) => answer(api.GET('/api/v1/lanes', { params: { query: asked }, signal })), {
    everyMs: 3000,
    wanted: { kinds: ['worker'] },
  });
  const leftOut = lanes.data && lanesLeftOut(lanes.data);
  const isWanted = (lane: Lane) => !query.need || lane.needs?.includes(query.need);
  return (
    <Page title="Lanes" sub="jobs of one lane can be done by the same workers">
      {(query.queue || query.need) && (
        <p class="row soft">
          Only {query.queue ? `queue ${query.queue}` : `what needs ${query.need}`} <a href="/lanes">Show all lanes</a>
        </p>
      )}
      <Card>
        <Shown query={lanes} rows={6}>
          {(data) => {
            const shown = (data.lanes ?? []).filter(isWanted);
            return shown.length ? (
              <Table lanes={shown} />
            ) : (
              <Empty title="No lane has waiting jobs">Every job that waits appears here with what it needs, and the workers that offer it.</Empty>
            );
          }}
        </Shown>
      </Card>
      {leftOut && <p class="faint">{leftOut}</p>}
      <CommandLine command={line(['queue', 'lanes'], { queue: query.queue, namespace: namespace.value, 'all-namespaces': !namespace.value })} />
    </Page>
  );
}

function Table({ lanes }: { lanes: Lane[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Lanes">
      <table>
        <thead>
          <tr>
            <th>Queue</th>
            <th>Needs</th>
            <th class="number">Waiting</th>
            <th class="number">Oldest</th>
            <th>Served by</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => (
            <tr key={`${lane.namespace} ${lane.queue} ${lane.needs?.join()}`} class={lane.served || lane.paused ? '' : 'lane-bad'}>
              <td>
                <QueueLink name={lane.queue!} /> <Namespace name={lane.namespace} /> {lane.paused && <span class="tag warn">paused</span>}
              </td>
              <td>
                <Tags names={lane.needs} />
              </td>
              <td class="number">{count(lane.ready)}</td>
              <td class="number">
                <Since at={lane.oldest_ready_at} />
              </td>
              <td>
                <Served lane={lane} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Served({ lane }: { lane: Lane }) {
  if (!lane.served && lane.missing?.length) {
    return (
      <span class="row bad">
        nobody offers <Tags names={lane.missing} tone="bad" />
      </span>
    );
  }
  if (!lane.served) return <span class="bad">nobody: no live worker serves this queue with all of it</span>;
  const more = (lane.able_workers ?? 0) - (lane.workers?.length ?? 0);
  return (
    <span class="row">
      {lane.workers?.slice(0, 6).map((id) => <WorkerLink key={id} id={id} namespace={lane.namespace} />)}
      {more > 0 && <span class="faint">and {more} more</span>}
    </span>
  );
}
