// One action: every input a cell that shows how its job stands, and the output of the one that is chosen.
import { useLocation, useRoute } from 'preact-iso';
import { useState } from 'preact/hooks';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { onAllThatMatch } from '../data/job_actions';
import { useQuery, type Query } from '../data/query';
import { available } from '../data/routes';
import { Card, Figure } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { JobLink, WorkerLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Logs } from '../parts/output';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Tabs } from '../parts/tabs';
import { withNamespace } from '../rules/addresses';
import { line } from '../rules/cli';
import { EVERY_JOB, jobsAddress } from '../rules/filters';
import { count, percent } from '../rules/numbers';
import { shortId, visible } from '../rules/text';
import { doneOf } from './action_table';
import { Value } from './job';

type Job = Schemas['Job'];

const CELLS_MAX = 1000;

export function ActionPage() {
  const id = useRoute().params.id!;
  const namespace = useLocation().query.namespace ?? 'default';
  const [chosen, choose] = useState<string>();
  const action = useQuery(`action ${namespace} ${id}`, (signal) => answer(api.GET('/api/v1/actions/{id}', { params: { path: { id }, query: { namespace, job_limit: 0 } }, signal })), {
    everyMs: 2000,
  });
  const jobs = useQuery(
    `jobs of action ${namespace} ${id}`,
    (signal) => answer(api.GET('/api/v1/jobs', { params: { query: { namespace, label: [`action=${id}`], order: 'oldest', limit: CELLS_MAX } as never }, signal })),
    { everyMs: 3000, wanted: { kinds: ['job'] }, concerns: (event) => event.kind === 'job' && event.namespace === namespace && event.type === 'plan' },
  );
  const data = action.data;
  const cell = jobs.data?.jobs?.find((one) => one.id === chosen);
  // The cells need states alone; what was given and what came of it is read of the chosen one.
  const job = useQuery(chosen ? `job ${chosen}` : '', (signal) => answer(api.GET('/api/v1/jobs/{id}', { params: { path: { id: chosen! } }, signal })), {
    wanted: { kinds: ['job'] },
    concerns: (event) => event.kind === 'job' && event.id === chosen,
  });
  const dead = (data?.counts?.dead ?? 0) + (data?.counts?.failed ?? 0);
  const isOver = data?.state === 'completed' || data?.state === 'failed';
  const filter = { ...EVERY_JOB, namespace, labels: { action: id } };
  const reload = () => {
    action.refresh();
    jobs.refresh();
  };
  return (
    <Page
      title={`Action ${shortId(id)}`}
      above={{ title: 'Plans and actions', href: '/plans' }}
      sub={data && <State state={data.state!} />}
      actions={
        isOperator.value &&
        available.value.has('act') &&
        data && (
          <>
            {dead > 0 && (
              <button type="button" class="primary" onClick={() => ask(onAllThatMatch('retry', { ...filter, states: ['dead'] }, dead, false, reload))}>
                Retry failed
              </button>
            )}
            {!isOver && (
              <button type="button" class="danger" onClick={() => ask(onAllThatMatch('cancel', filter, (data.jobs ?? 0) - doneOf(data), false, reload))}>
                Cancel the rest
              </button>
            )}
          </>
        )
      }
    >
      {data && (
        <div class="figures">
          <Figure label="Done" value={percent(data.jobs ? doneOf(data) / data.jobs : 0)} note={`${count(doneOf(data))} of ${count(data.jobs)}`} />
          <Figure label="Waiting" value={count(data.counts?.waiting)} />
          <Figure label="Running" value={count(data.counts?.running)} />
          <Figure label="Completed" value={count(data.counts?.completed)} />
          <Figure label="Failed" value={count(dead)} tone={dead ? 'bad' : undefined} href={jobsAddress({ labels: { action: id }, states: ['dead'] })} />
          <Figure label="Plan" value={<span class="clip">{data.plan}</span>} href={withNamespace(`/plans/${encodeURIComponent(data.plan!)}`, namespace)} />
        </div>
      )}
      <Card title="Inputs" end={<a href={jobsAddress({ labels: { action: id } })}>As a list</a>}>
        <Shown query={jobs} rows={4}>
          {(shown) =>
            shown.jobs?.length ? (
              <div class="body stack">
                <Cells jobs={shown.jobs} chosen={chosen} choose={choose} />
                {shown.next && <span class="faint">the first {CELLS_MAX}</span>}
              </div>
            ) : (
              <Empty title="Its jobs are gone">Finished jobs are kept for a while only.</Empty>
            )
          }
        </Shown>
      </Card>
      {cell && <Chosen cell={cell} job={job} />}
      <CommandLine command={line(['action', 'watch', id], { namespace })} />
    </Page>
  );
}

function Chosen({ cell, job }: { cell: Job; job: Query<Job> }) {
  const { state, labels, worker, error } = job.data ?? cell;
  return (
    <Card
      title={
        <>
          Input {labels?.input ?? ''} <State state={state!} />
        </>
      }
      end={
        <>
          <WorkerLink id={worker} namespace={cell.namespace} /> <JobLink id={cell.id!} />
        </>
      }
    >
      {error && <p class="trouble">{visible(`${error.kind}: ${error.message}`)}</p>}
      <Tabs
        label="Of the chosen input"
        tabs={[
          { name: 'Logs', content: () => <Logs id={cell.id!} /> },
          { name: 'Output per task', content: () => <Shown query={job} rows={3}>{({ result }) => <Value value={(result as { task_results?: unknown } | undefined)?.task_results ?? result} label="Output per task" />}</Shown> },
          { name: 'Input', content: () => <Shown query={job} rows={3}>{({ payload }) => <Value value={payload} label="Input" />}</Shown> },
        ]}
      />
    </Card>
  );
}

function Cells({ jobs, chosen, choose }: { jobs: Job[]; chosen: string | undefined; choose: (id: string) => void }) {
  return (
    <div class="cells" role="group" aria-label="Inputs">
      {jobs.map((job) => (
        <button
          key={job.id}
          type="button"
          class={`cell ${job.state}`}
          aria-pressed={job.id === chosen}
          aria-label={`Input ${job.labels?.input ?? ''}${job.labels?.task ? `, task ${job.labels.task}` : ''}: ${job.state}`}
          title={`input ${job.labels?.input ?? ''}: ${job.state}`}
          onClick={() => choose(job.id!)}
        />
      ))}
    </div>
  );
}
