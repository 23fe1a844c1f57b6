// One job: what it is, why it does not run, how it came here, what it was given and what came of it.
import { useRoute } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { answer, api, type Schemas } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { cancelJob, retryJob } from '../data/job_actions';
import { useQuery } from '../data/query';
import { Card, Facts, Tags, labelsOf } from '../parts/card';
import { CommandLine, Copy } from '../parts/copy';
import { JobPath } from '../parts/job_path';
import { CopyJson, JsonView } from '../parts/json_view';
import { JobLink, Namespace, QueueLink, WorkerLink } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { LiveOutput, Logs } from '../parts/output';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { Tabs } from '../parts/tabs';
import { When } from '../parts/when';
import { WhyLine } from '../parts/why_line';
import { percent } from '../rules/numbers';
import { clip, visible } from '../rules/text';
import { duration } from '../rules/time';
import type { JobTimes } from '../rules/job_path';
import type { Why } from '../rules/why';

type Job = Schemas['Job'];

export function JobPage() {
  const id = useRoute().params.id!;
  const wanted = { kinds: ['job' as const], job: id };
  const job = useQuery(`job ${id}`, (signal) => answer(api.GET('/api/v1/jobs/{id}', { params: { path: { id } }, signal })), { wanted });
  const why = useQuery(`why ${id}`, (signal) => answer(api.GET('/api/v1/jobs/{id}/why', { params: { path: { id } }, signal })), { wanted });
  const reload = () => {
    job.refresh();
    why.refresh();
  };
  const actions = job.data && isOperator.value ? <Actions job={job.data} reload={reload} /> : undefined;
  return (
    <Page title={job.data ? clip(job.data.type!, 120) : 'Job'} above={{ title: 'Jobs', href: '/jobs' }} sub={job.data && <State state={job.data.sleeping ? 'sleeping' : job.data.state!} />} actions={actions}>
      {why.data && job.data && <WhyLine why={why.data as Why} job={{ queue: job.data.queue!, namespace: job.data.namespace! }} />}
      <Shown query={job} rows={10}>
        {(data) => (
          <div class="grid-main">
            <div class="stack">
              {data.progress && data.state === 'running' && <Progress job={data} />}
              <Card>
                <Tabs
                  label="What is known of the job"
                  tabs={[
                    { name: 'Payload', content: () => <Value value={data.payload} base64={data.payload_base64} label="Payload" /> },
                    { name: 'Result', content: () => <Result job={data} /> },
                    { name: 'Output', content: () => <LiveOutput id={id} /> },
                    { name: 'Logs', content: () => <Logs id={id} /> },
                    { name: 'Everything', content: () => <Value value={data} label="Job" /> },
                  ]}
                />
              </Card>
              <CommandLine command={`muster job get ${id}`} />
            </div>
            <div class="stack">
              <Card title="Way">
                <div class="body">
                  <JobPath job={data as JobTimes} namespace={data.namespace} />
                </div>
              </Card>
              <Card title="Facts">
                <div class="body">
                  <JobFacts job={data} />
                </div>
              </Card>
            </div>
          </div>
        )}
      </Shown>
    </Page>
  );
}

function isFinished(job: Job): boolean {
  return job.state === 'completed' || job.state === 'dead' || job.state === 'cancelled';
}

function Actions({ job, reload }: { job: Job; reload: () => void }) {
  const canRetry = job.state === 'dead' || job.state === 'cancelled';
  const canCancel = !isFinished(job);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isElsewhere = event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') || /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName);
      if (isElsewhere) return;
      if (event.key === 'r' && canRetry) ask(retryJob(job.id!, reload));
      if (event.key === 'c' && canCancel) ask(cancelJob(job.id!, reload));
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [job.id, canRetry, canCancel]);
  return (
    <>
      {canRetry && (
        <button type="button" class="primary" onClick={() => ask(retryJob(job.id!, reload))}>
          Retry
        </button>
      )}
      {canCancel && (
        <button type="button" class="danger" onClick={() => ask(cancelJob(job.id!, reload))}>
          Cancel
        </button>
      )}
    </>
  );
}

function Progress({ job }: { job: Job }) {
  const fraction = job.progress?.fraction ?? 0;
  return (
    <Card title={job.progress?.message ? visible(job.progress.message) : 'Progress'} end={<><When at={job.progress?.at} /> {percent(fraction)}</>}>
      <div class="body">
        <div class="bar" role="progressbar" aria-label="Progress" aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(fraction * 100)}>
          <i style={{ width: `${fraction * 100}%` }} />
        </div>
      </div>
    </Card>
  );
}

export function Value({ value, base64, label }: { value: unknown; base64?: string | undefined; label: string }) {
  if (base64 !== undefined) {
    return (
      <div class="output" tabIndex={0} role="region" aria-label={label}>
        <span class="faint">bytes, as base64: </span>
        {clip(base64, 20_000)} <Copy text={base64} label={`Copy ${label}`} />
      </div>
    );
  }
  if (value === undefined) return <Empty title={`No ${label.toLowerCase()}`} />;
  return (
    <>
      <div class="json-tools">
        <CopyJson value={value} label={`Copy ${label.toLowerCase()} as JSON`} />
      </div>
      <JsonView value={value} label={label} />
    </>
  );
}

function Result({ job }: { job: Job }) {
  if (job.error && job.state !== 'completed') {
    return (
      <div class="body stack">
        <div class="path">
          <div class="error">
            {visible(job.error.kind ?? '')}: {visible(job.error.message ?? '')}
          </div>
        </div>
        {job.progress?.partial !== undefined && <Value value={job.progress.partial} label="Partial result" />}
      </div>
    );
  }
  if (!isFinished(job)) {
    return job.progress?.partial !== undefined ? (
      <Value value={job.progress.partial} label="Partial result" />
    ) : (
      <Empty title="No result yet">It appears here when the job has completed.</Empty>
    );
  }
  return <Value value={job.result} base64={job.result_base64} label="Result" />;
}

function JobFacts({ job }: { job: Job }) {
  return (
    <Facts
      facts={[
        ['Id', <span class="id"><span class="mono wrap-anywhere">{job.id}</span><Copy text={job.id!} label="Copy id" /></span>],
        ['Queue', <><QueueLink name={job.queue!} /> <Namespace name={job.namespace} /></>],
        ['Worker', job.worker && <WorkerLink id={job.worker} namespace={job.namespace} />],
        ['Attempt', `${job.attempt ?? 0} of ${job.retry?.attempts_max ?? '∞'}`],
        ['Rescues', `${job.rescues ?? 0} of ${job.rescues_max ?? 0}`],
        ['Fence', job.fence !== undefined && String(job.fence)],
        ['Priority', job.priority ? String(job.priority) : undefined],
        ['Needs', job.needs?.length ? <Tags names={job.needs} /> : undefined],
        ['Labels', Object.keys(job.labels ?? {}).length ? <Tags names={labelsOf(job.labels)} /> : undefined],
        ['Accepted', <When at={job.created_at} />],
        ['Due', job.state === 'scheduled' && <When at={job.due_at} />],
        ['Expires', job.expires_at && <When at={job.expires_at} />],
        ['Deadline', job.deadline && <When at={job.deadline} />],
        ['Lease ends', job.lease_expires_at && <When at={job.lease_expires_at} />],
        ['Time limit', job.timeout_ms && duration(job.timeout_ms)],
        ['Cancel', job.cancel_requested && <span class="warn">asked for</span>],
        ['After', job.after?.length ? <span class="tags">{job.after.map((id) => <JobLink key={id} id={id} />)}</span> : undefined],
        ['Unique', job.unique?.key && <span class="mono">{visible(job.unique.key)}</span>],
        ['Concurrency', job.concurrency?.key && <span class="mono">{visible(job.concurrency.key)} ≤ {job.concurrency.limit}</span>],
        ['Idempotency', job.idempotency_key && <span class="mono">{visible(job.idempotency_key)}</span>],
        ['Correlation', job.correlation && <span class="mono">{visible(job.correlation)}</span>],
      ]}
    />
  );
}
