// One worker: how it is, what it offers, what it runs now, and what its drain waits for.
import { useLocation, useRoute } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { drainWorker, resumeWorker } from '../data/worker_actions';
import { Card, Facts, Load, Tags, labelsOf } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { JsonView } from '../parts/json_view';
import { JobLink, Namespace, QueueLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Since, When } from '../parts/when';
import { line } from '../rules/cli';
import { jobsAddress } from '../rules/filters';
import { count, percent, plural } from '../rules/numbers';
import { clip, visible } from '../rules/text';
import { duration } from '../rules/time';

type Worker = Schemas['Worker'];

export function WorkerPage() {
  const id = useRoute().params.id!;
  const namespace = useLocation().query.namespace ?? 'default';
  const worker = useQuery(`worker ${namespace} ${id}`, (signal) => answer(api.GET('/api/v1/workers/{id}', { params: { path: { id }, query: { namespace } }, signal })), {
    everyMs: 3000,
    wanted: { kinds: ['worker'] },
    concerns: (event) => event.kind === 'worker' && event.id === id,
  });
  const jobs = useQuery(
    `jobs of ${namespace} ${id}`,
    (signal) => answer(api.GET('/api/v1/jobs', { params: { query: { namespace, worker: id, state: 'running', limit: 200 } as never }, signal })),
    { everyMs: 3000 },
  );
  const which = { id, namespace };
  const state = worker.data?.state;
  return (
    <Page
      title={visible(id)}
      above={{ title: 'Workers', href: '/workers' }}
      sub={worker.data && <State state={state === 'online' ? worker.data.health! : state!} />}
      actions={
        isOperator.value && (
          <>
            {state === 'online' && (
              <button type="button" onClick={() => ask(drainWorker(which, worker.refresh))}>
                Drain
              </button>
            )}
            {state === 'draining' && (
              <button type="button" class="primary" onClick={() => ask(resumeWorker(which, worker.refresh))}>
                Resume
              </button>
            )}
          </>
        )
      }
    >
      {worker.data?.state === 'draining' && <Drain worker={worker.data} running={jobs.data?.jobs?.length ?? worker.data.running ?? 0} />}
      <div class="grid-main">
        <div class="stack">
          <Card title="Runs now" end={<a href={jobsAddress({ worker: id })}>All its jobs</a>}>
            <Shown query={jobs} rows={4}>
              {(data) =>
                data.jobs?.length ? (
                  <div class="scroll" tabIndex={0} role="region" aria-label="Running jobs">
                    <table>
                      <thead>
                        <tr>
                          <th>Job</th>
                          <th>Type</th>
                          <th>Queue</th>
                          <th class="number">Running</th>
                          <th>Progress</th>
                          <th>Lease ends</th>
                        </tr>
                      </thead>
                      <tbody>
                        {data.jobs.map((job) => (
                          <tr key={job.id}>
                            <td>
                              <JobLink id={job.id!} />
                            </td>
                            <td>{clip(job.type!, 60)}</td>
                            <td>
                              <QueueLink name={job.queue!} />
                            </td>
                            <td class="number">
                              <Since at={job.started_at} />
                            </td>
                            <td>{job.progress?.fraction === undefined ? <span class="faint">–</span> : percent(job.progress.fraction)}</td>
                            <td>
                              <When at={job.lease_expires_at} />
                            </td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                ) : (
                  <Empty title="It runs nothing now" />
                )
              }
            </Shown>
          </Card>
          {worker.data && Object.keys(worker.data.stats ?? {}).length > 0 && (
            <Card title="Told with its last beat">
              <JsonView value={worker.data.stats} label="Stats" />
            </Card>
          )}
          <CommandLine command={line(['workers', 'get', id], { namespace })} />
        </div>
        <Card title="Facts">
          <Shown query={worker}>{(data) => <div class="body"><WorkerFacts worker={data} /></div>}</Shown>
        </Card>
      </div>
    </Page>
  );
}

function Drain({ worker, running }: { worker: Worker; running: number }) {
  return (
    <p class="why wait">
      <b>Draining</b>
      <span>
        {running === 0 ? 'It runs nothing any more' : `It waits for ${plural(running, 'running job')}`}
        {worker.drain_deadline && (
          <>
            ; what is left is handed back <When at={worker.drain_deadline} />
          </>
        )}
        {worker.drain_reason && <span class="faint"> ({visible(worker.drain_reason)})</span>}
        {worker.drain_origin && <span class="faint"> – {worker.drain_origin}</span>}
      </span>
    </p>
  );
}

function WorkerFacts({ worker }: { worker: Worker }) {
  return (
    <Facts
      facts={[
        ['Namespace', <>{worker.namespace} <Namespace name={undefined} /></>],
        ['Load', <Load running={worker.running ?? 0} slots={worker.slots ?? 0} />],
        ['Health', worker.health],
        ['Last beat', <When at={worker.last_seen_at} />],
        ['Beats every', worker.heartbeat_ms !== undefined && `${duration(worker.heartbeat_ms)}, dead after ${duration(worker.dead_after_ms ?? 0)}`],
        ['Offers', <Tags names={worker.capabilities} />],
        ['Labels', Object.keys(worker.labels ?? {}).length ? <Tags names={labelsOf(worker.labels)} /> : undefined],
        ['Queues', worker.queues?.length ? worker.queues.join(', ') : 'every one of the namespace'],
        ['Speaks', worker.dialect],
        ['Host', worker.hostname && visible(worker.hostname)],
        ['Version', worker.version && visible(worker.version)],
        ['Completed', count(worker.completed)],
        ['Failed', count(worker.failed)],
        ['Session', worker.session !== undefined && String(worker.session)],
        ['Registered', <When at={worker.registered_at} />],
        ['Offline', worker.offline_at && <><When at={worker.offline_at} /> {worker.offline_cause}</>],
      ]}
    />
  );
}
