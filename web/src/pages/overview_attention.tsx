// What an operator should look at first: lanes nobody serves, paused queues with work, dead jobs, workers that are not well. Nothing
// is shown when all is well.
import { answer, api, type Schemas } from '../api/client';
import { namespace, namespaceQuery } from '../data/namespace';
import { useQuery } from '../data/query';
import { available } from '../data/routes';
import { Card } from '../parts/card';
import { WorkerLink } from '../parts/links';
import { Since } from '../parts/when';
import { jobsAddress } from '../rules/filters';
import { plural } from '../rules/numbers';

export function Attention({ queues, workers }: { queues: Schemas['Queue'][]; workers: Schemas['Worker'][] }) {
  const lanes = useQuery(
    available.value.has('lanes') ? `lanes ${namespace.value}` : '',
    (signal) => answer(api.GET('/api/v1/lanes', { params: { query: namespaceQuery() }, signal })),
    { everyMs: 5000 },
  );
  const unserved = (lanes.data?.lanes ?? []).filter((lane) => !lane.served && (lane.ready ?? 0) > 0 && !lane.paused);
  const paused = queues.filter((queue) => queue.paused && (queue.ready ?? 0) > 0);
  const dead = queues.filter((queue) => (queue.dead ?? 0) > 0);
  const ill = workers.filter((worker) => worker.state !== 'offline' && worker.health !== 'healthy');
  if (unserved.length + paused.length + dead.length + ill.length === 0) return null;
  return (
    <Card title="Needs a look">
      <ul class="attention">
        {unserved.slice(0, 5).map((lane) => (
          <li key={`${lane.namespace}/${lane.queue}/${lane.needs?.join()}`}>
            <span class="pill dead">
              <i />
              no worker
            </span>
            <span>
              <a href={`/lanes?queue=${encodeURIComponent(lane.queue!)}`}>
                {plural(lane.ready ?? 0, 'job')} of {lane.queue}
              </a>{' '}
              {lane.missing?.length ? <>need {lane.missing.join(', ')}, which no live worker offers</> : <>wait, and no live worker serves them</>}
              {lane.oldest_ready_at && (
                <span class="faint">
                  {' '}
                  for <Since at={lane.oldest_ready_at} />
                </span>
              )}
            </span>
          </li>
        ))}
        {dead.slice(0, 5).map((queue) => (
          <li key={`dead ${queue.namespace}/${queue.name}`}>
            <span class="pill dead">
              <i />
              dead
            </span>
            <a href={jobsAddress({ states: ['dead'], queue: queue.name! })}>
              {plural(queue.dead ?? 0, 'dead job')} in {queue.name}
            </a>
          </li>
        ))}
        {paused.map((queue) => (
          <li key={`paused ${queue.namespace}/${queue.name}`}>
            <span class="pill paused">
              <i />
              paused
            </span>
            <span>
              <a href={`/queues?queue=${encodeURIComponent(queue.name!)}`}>{queue.name}</a> holds back {plural(queue.ready ?? 0, 'job')}
              {queue.pause_reason && <span class="faint">: {queue.pause_reason}</span>}
            </span>
          </li>
        ))}
        {ill.slice(0, 5).map((worker) => (
          <li key={`ill ${worker.namespace}/${worker.id}`}>
            <span class={`pill ${worker.health}`}>
              <i />
              {worker.health}
            </span>
            <span>
              <WorkerLink id={worker.id} namespace={worker.namespace} /> was last heard <Since at={worker.last_seen_at} /> ago
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
