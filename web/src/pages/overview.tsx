// The first page: is work flowing, is anything stuck, and since when.
import { useState } from 'preact/hooks';
import { answer, api, type Schemas } from '../api/client';
import { namespace, namespaceQuery } from '../data/namespace';
import { now } from '../data/now';
import { useQuery } from '../data/query';
import { available } from '../data/routes';
import { Card, Figure } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { Segmented } from '../parts/tabs';
import { Since } from '../parts/when';
import { count, rate } from '../rules/numbers';
import { jobsAddress } from '../rules/filters';
import { duration, instant } from '../rules/time';
import { plural } from '../rules/numbers';
import { Attention } from './overview_attention';
import { History, type Span } from './overview_history';

type Queue = Schemas['Queue'];
type Worker = Schemas['Worker'];

export function Overview() {
  const scope = namespace.value;
  const queues = useQuery(`queues ${scope}`, (signal) => answer(api.GET('/api/v1/queues', { params: { query: namespaceQuery() }, signal })), {
    everyMs: 2000,
    wanted: { kinds: ['queue'] },
  });
  const workers = useQuery(
    `workers ${scope}`,
    (signal) => answer(api.GET('/api/v1/workers', { params: { query: { ...namespaceQuery(), limit: 1000 } }, signal })),
    { everyMs: 5000, wanted: { kinds: ['worker'] } },
  );
  const cluster = useQuery('cluster', (signal) => answer(api.GET('/api/v1/cluster', { signal })), { everyMs: 5000 });
  const server = useQuery('server', (signal) => answer(api.GET('/api/v1/server', { signal })), { everyMs: 5000 });
  const [span, setSpan] = useState<Span>('hour');

  const isNew = queues.data?.queues?.length === 0 && workers.data?.workers?.length === 0;
  return (
    <Page title="Overview" sub={<ServerLine server={server.data} cluster={cluster.data} />}>
      {server.data?.writable === false && (
        <div class="trouble alone" role="alert">
          The store cannot be written: {server.data.reason}
        </div>
      )}
      <Figures queues={queues.data?.queues ?? []} workers={workers.data?.workers ?? []} isKnown={queues.data !== undefined} />
      <Attention queues={queues.data?.queues ?? []} workers={workers.data?.workers ?? []} />
      {available.value.has('history') && (
        <>
          <div class="row">
            <h2>Over time</h2>
            <Segmented label="Span" options={['hour', 'day']} value={span} choose={(chosen) => setSpan(chosen as Span)} />
          </div>
          <History span={span} />
        </>
      )}
      <Card title="Waiting by queue" end={<a href="/queues">All queues</a>}>
        <Shown query={queues}>{(data) => (isNew ? <FirstSteps /> : <QueueTable queues={data.queues ?? []} />)}</Shown>
      </Card>
    </Page>
  );
}

function ServerLine({ server, cluster }: { server: Schemas['Server'] | undefined; cluster: Schemas['Cluster'] | undefined }) {
  if (!server) return null;
  const nodes = cluster?.nodes?.length ?? 1;
  return (
    <>
      {server.version} on {server.store?.kind}, up <Since at={server.started_at} />
      {nodes > 1 && (
        <>
          , {nodes} nodes, leader <a href="/cluster">{cluster?.leader ?? 'none'}</a>
        </>
      )}
    </>
  );
}

function sum(queues: Queue[], field: 'ready' | 'running' | 'scheduled' | 'dead' | 'completed_per_second'): number {
  return queues.reduce((total, queue) => total + (queue[field] ?? 0), 0);
}

export function oldestReady(queues: Queue[]): number | undefined {
  const times = queues.map((queue) => instant(queue.oldest_ready_at)).filter((at) => at !== undefined);
  return times.length ? Math.min(...times) : undefined;
}

const OLD_MS = 60_000;

function Figures({ queues, workers, isKnown }: { queues: Queue[]; workers: Worker[]; isKnown: boolean }) {
  const oldest = oldestReady(queues);
  const live = workers.filter((worker) => worker.state !== 'offline');
  const ill = live.filter((worker) => worker.health !== 'healthy').length;
  const draining = live.filter((worker) => worker.state === 'draining').length;
  const age = oldest === undefined ? undefined : Math.max(0, now.value - oldest);
  const show = (value: number) => (isKnown ? count(value) : '–');
  return (
    <div class="figures">
      <Figure label="Waiting" value={show(sum(queues, 'ready'))} note={`${show(sum(queues, 'scheduled'))} scheduled`} href={jobsAddress({ states: ['ready'], oldestFirst: true })} />
      <Figure
        label="Oldest waiting"
        value={age === undefined ? '–' : duration(Math.floor(age / 1000) * 1000)}
        tone={age !== undefined && age > OLD_MS ? 'warn' : undefined}
        note={age === undefined ? 'nothing waits' : 'in line since then'}
        href={jobsAddress({ states: ['ready'], oldestFirst: true })}
      />
      <Figure label="Running" value={show(sum(queues, 'running'))} note={`${plural(live.reduce((slots, worker) => slots + (worker.slots ?? 0), 0), 'slot')}`} href={jobsAddress({ states: ['running'] })} />
      <Figure label="Completed" value={isKnown ? rate(sum(queues, 'completed_per_second')) : '–'} unit="/s" note="mean of a minute" href={jobsAddress({ states: ['completed'] })} />
      <Figure label="Dead" value={show(sum(queues, 'dead'))} tone={sum(queues, 'dead') > 0 ? 'bad' : undefined} note="out of attempts" href={jobsAddress({ states: ['dead'] })} />
      <Figure
        label="Workers"
        value={show(live.length)}
        tone={ill > 0 ? 'warn' : undefined}
        note={ill + draining === 0 ? 'all healthy' : [ill && `${ill} not healthy`, draining && `${draining} draining`].filter(Boolean).join(', ')}
        href="/workers"
      />
    </div>
  );
}

function QueueTable({ queues }: { queues: Queue[] }) {
  const busiest = [...queues].sort((a, b) => (b.ready ?? 0) - (a.ready ?? 0)).slice(0, 12);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Waiting by queue">
      <table>
        <thead>
          <tr>
            <th>Queue</th>
            <th class="number">Waiting</th>
            <th class="number">Oldest</th>
            <th class="number">Running</th>
            <th class="number wide-only">Scheduled</th>
            <th class="number">Dead</th>
            <th class="number wide-only">Completed /s</th>
          </tr>
        </thead>
        <tbody>
          {busiest.map((queue) => (
            <tr key={`${queue.namespace}/${queue.name}`}>
              <td>
                <a href={jobsAddress({ queue: queue.name! })}>{queue.name}</a> {queue.paused && <span class="tag warn">paused</span>}
              </td>
              <td class="number">{count(queue.ready)}</td>
              <td class="number">
                <Since at={queue.oldest_ready_at} />
              </td>
              <td class="number">{count(queue.running)}</td>
              <td class="number wide-only">{count(queue.scheduled)}</td>
              <td class={`number ${queue.dead ? 'bad' : ''}`}>{count(queue.dead)}</td>
              <td class="number wide-only">{rate(queue.completed_per_second)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function FirstSteps() {
  return (
    <Empty title="No jobs and no workers yet">
      Submit a first job, then start a worker that offers what it needs.
      <span class="stack">
        <CommandLine command={`muster job submit --type hello --payload '{"to":"world"}'`} />
        <CommandLine command="muster worker" />
      </span>
    </Empty>
  );
}
