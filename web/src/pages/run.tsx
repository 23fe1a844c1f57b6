// One run of a workflow: its steps over time, as a graph, what it was given and what came of it.
import { useRoute } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { endRun, retryRun, signalRun } from '../data/run_actions';
import { Card, Facts, Tags, labelsOf } from '../parts/card';
import { CommandLine, Copy } from '../parts/copy';
import { Gantt } from '../parts/gantt';
import { GraphView } from '../parts/graph';
import { JobPath } from '../parts/job_path';
import { JobLink, Namespace, QueueLink, WorkerLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Tabs } from '../parts/tabs';
import { When } from '../parts/when';
import { WhyLine } from '../parts/why_line';
import { withNamespace } from '../rules/addresses';
import type { Step } from '../rules/gantt';
import type { JobTimes } from '../rules/job_path';
import { graphOf } from '../rules/run_graph';
import { clip, visible } from '../rules/text';
import type { Why } from '../rules/why';
import { Value } from './job';

type Run = Schemas['Job'];

const STEPS_MAX = 1000;
const PAGE = 200;

/** Every attempt at every step, page by page, as many as a time line can show. */
async function readSteps(id: string, signal: AbortSignal): Promise<Step[]> {
  const steps: Step[] = [];
  let cursor: string | undefined;
  do {
    const page = await answer(api.GET('/api/v1/runs/{id}/history', { params: { path: { id }, query: { limit: PAGE, ...(cursor && { cursor }) } }, signal }));
    steps.push(...((page.steps ?? []) as unknown as Step[]));
    cursor = page.next;
  } while (cursor && steps.length < STEPS_MAX);
  return steps;
}

export function RunPage() {
  const id = useRoute().params.id!;
  const wanted = { kinds: ['job' as const], job: id };
  const run = useQuery(`run ${id}`, (signal) => answer(api.GET('/api/v1/runs/{id}', { params: { path: { id } }, signal })), { wanted });
  const steps = useQuery(`steps ${id}`, (signal) => readSteps(id, signal), { wanted });
  const why = useQuery(`why ${id}`, (signal) => answer(api.GET('/api/v1/jobs/{id}/why', { params: { path: { id } }, signal })), { wanted });
  const reload = () => {
    run.refresh();
    steps.refresh();
    why.refresh();
  };
  return (
    <Page
      title={run.data ? clip(run.data.external_id ?? run.data.type!, 120) : 'Run'}
      above={{ title: 'Workflows', href: '/workflows' }}
      sub={run.data && <State state={run.data.sleeping ? 'sleeping' : run.data.state!} />}
      actions={run.data && isOperator.value && <Actions run={run.data} steps={steps.data ?? []} reload={reload} />}
    >
      {why.data && run.data && <WhyLine why={why.data as Why} job={{ queue: run.data.queue!, namespace: run.data.namespace! }} />}
      <Shown query={run} rows={10}>
        {(data) => (
          <>
            <Card>
              <Tabs
                label="What is known of the run"
                tabs={[
                  {
                    name: 'Time line',
                    content: () => (
                      <Shown query={steps} rows={5}>
                        {(all) => (all.length ? <Gantt steps={all} /> : <Empty title="No step has begun">Steps appear here as the worker reports them.</Empty>)}
                      </Shown>
                    ),
                  },
                  { name: 'Graph', content: () => <GraphView graph={graphOf({ id, type: data.type!, state: data.state!, ...(data.parent && { parent: data.parent }), ...(data.after && { after: data.after }) }, steps.data ?? [])} label="Steps and children" /> },
                  { name: 'Input', content: () => <Value value={data.payload} base64={data.payload_base64} label="Input" /> },
                  { name: 'Result', content: () => <Outcome run={data} /> },
                  { name: 'Everything', content: () => <Value value={data} label="Run" /> },
                ]}
              />
            </Card>
            <div class="grid-2">
              <Card title="Way">
                <div class="body">
                  <JobPath job={data as JobTimes} namespace={data.namespace} />
                </div>
              </Card>
              <Card title="Facts">
                <div class="body">
                  <RunFacts run={data} />
                </div>
              </Card>
            </div>
            <CommandLine command={`muster workflow history ${id}`} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function Actions({ run, steps, reload }: { run: Run; steps: Step[]; reload: () => void }) {
  const isOver = run.state === 'completed' || run.state === 'dead' || run.state === 'cancelled';
  const awaited = steps.findLast((step) => step.kind === 'signal' && step.state === 'waiting')?.signal;
  if (isOver) {
    return (
      <button type="button" class="primary" onClick={() => ask(retryRun(run.id!, reload))}>
        Retry
      </button>
    );
  }
  return (
    <>
      <button type="button" class={awaited ? 'primary' : ''} onClick={() => ask(signalRun(run.id!, reload, awaited))}>
        Signal
      </button>
      <button type="button" class="danger" onClick={() => ask(endRun(run.id!, 'cancel', reload))}>
        Cancel
      </button>
      <button type="button" class="danger" onClick={() => ask(endRun(run.id!, 'terminate', reload))}>
        Terminate
      </button>
    </>
  );
}

function Outcome({ run }: { run: Run }) {
  if (run.error && run.state !== 'completed') {
    return (
      <div class="body">
        <p class="bad wrap-anywhere">
          {visible(run.error.kind ?? '')}: {visible(run.error.message ?? '')}
        </p>
      </div>
    );
  }
  return run.finished_at ? <Value value={run.result} base64={run.result_base64} label="Result" /> : <Empty title="No result yet">It appears here when the run has completed.</Empty>;
}

function RunFacts({ run }: { run: Run }) {
  return (
    <Facts
      facts={[
        ['Id', <span class="id"><span class="mono wrap-anywhere">{run.id}</span><Copy text={run.id!} label="Copy id" /></span>],
        ['Type', <a href={`/workflows?type=${encodeURIComponent(run.type!)}`}>{visible(run.type!)}</a>],
        ['External id', run.external_id && visible(run.external_id)],
        ['Version', run.version && visible(run.version)],
        ['Queue', <><QueueLink name={run.queue!} /> <Namespace name={run.namespace} /></>],
        ['Worker', run.worker && <WorkerLink id={run.worker} namespace={run.namespace} />],
        ['Parent', run.parent?.run && <><JobLink id={run.parent.run} isRun /> <span class="faint">step {visible(run.parent.step ?? '')}</span></>],
        ['Schedule', run.schedule && <a href={withNamespace(`/schedules/${run.schedule}`, run.namespace)}>{run.schedule}</a>],
        ['Needs', run.needs?.length ? <Tags names={run.needs} /> : undefined],
        ['Labels', Object.keys(run.labels ?? {}).length ? <Tags names={labelsOf(run.labels)} /> : undefined],
        ['Started', <When at={run.created_at} />],
        ['Finished', run.finished_at && <When at={run.finished_at} />],
      ]}
    />
  );
}
