// The queues: depth, rates and the oldest job of each; pause, resume and limits in place.
import { useLocation } from 'preact-iso';
import { answer, api, type Schemas } from '../api/client';
import { ask, type Action } from '../data/actions';
import { isOperator } from '../data/identity';
import { namespace, namespaceQuery } from '../data/namespace';
import { useQuery } from '../data/query';
import { Card } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { Namespace } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { Since } from '../parts/when';
import { lengthFlag, line } from '../rules/cli';
import { jobsAddress } from '../rules/filters';
import { count, rate } from '../rules/numbers';
import { limitChange, limitCommand, limitFields } from '../rules/queue_limits';

type Queue = Schemas['Queue'];

export function Queues() {
  const { query } = useLocation();
  const queues = useQuery(`queues ${namespace.value}`, (signal) => answer(api.GET('/api/v1/queues', { params: { query: namespaceQuery() }, signal })), {
    everyMs: 2000,
    wanted: { kinds: ['queue'] },
  });
  return (
    <Page title="Queues" sub={queues.data && `${queues.data.queues?.length ?? 0}`}>
      <Card>
        <Shown query={queues} rows={8}>
          {(data) =>
            data.queues?.length ? (
              <Table queues={data.queues} chosen={query.queue} reload={queues.refresh} />
            ) : (
              <Empty title="No queues yet" command={`muster job submit --type hello --queue mail`}>
                A queue appears with its first job.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <CommandLine command={line(['queue', 'list'], namespace.value ? { namespace: namespace.value } : { 'all-namespaces': true })} />
    </Page>
  );
}

function Table({ queues, chosen, reload }: { queues: Queue[]; chosen: string | undefined; reload: () => void }) {
  const sorted = [...queues].sort((a, b) => (b.name === chosen ? 1 : 0) - (a.name === chosen ? 1 : 0) || (b.ready ?? 0) - (a.ready ?? 0) || a.name!.localeCompare(b.name!));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Queues">
      <table>
        <thead>
          <tr>
            <th>Queue</th>
            <th class="number">Waiting</th>
            <th class="number">Oldest</th>
            <th class="number">Running</th>
            <th class="number">Scheduled</th>
            <th class="number">Dead</th>
            <th class="number">Completed /s</th>
            <th class="number">Accepted</th>
            <th>Limits</th>
            {isOperator.value && <th><span class="visually-hidden">Actions</span></th>}
          </tr>
        </thead>
        <tbody>
          {sorted.map((queue) => (
            <tr key={`${queue.namespace}/${queue.name}`}>
              <td>
                <a class="strong" href={jobsAddress({ queue: queue.name! })}>
                  {queue.name}
                </a>{' '}
                <Namespace name={queue.namespace} />{' '}
                {queue.paused && (
                  <span class="tag warn" title={queue.pause_reason}>
                    paused{queue.pause_reason ? `: ${queue.pause_reason}` : ''}
                  </span>
                )}
              </td>
              <td class="number">
                <a href={jobsAddress({ queue: queue.name!, states: ['ready'] })}>{count(queue.ready)}</a>
              </td>
              <td class="number">
                <Since at={queue.oldest_ready_at} />
              </td>
              <td class="number">{count(queue.running)}</td>
              <td class="number">{count(queue.scheduled)}</td>
              <td class="number">{queue.dead ? <a class="bad" href={jobsAddress({ queue: queue.name!, states: ['dead'] })}>{count(queue.dead)}</a> : '0'}</td>
              <td class="number">{rate(queue.completed_per_second)}</td>
              <td class="number faint">{count(queue.enqueued_total)}</td>
              <td>
                <Limits queue={queue} />
              </td>
              {isOperator.value && (
                <td class="actions">
                  <button type="button" class="small" onClick={() => ask(queue.paused ? resume(queue, reload) : pause(queue, reload))} aria-label={`${queue.paused ? 'Resume' : 'Pause'} queue ${queue.name}`}>
                    {queue.paused ? 'Resume' : 'Pause'}
                  </button>{' '}
                  <button type="button" class="small" onClick={() => ask(limit(queue, reload))} aria-label={`Limits of queue ${queue.name}`}>
                    Limits
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Limits({ queue }: { queue: Queue }) {
  const texts = [
    queue.running_max && `${queue.running_max} at once`,
    queue.rate?.count && `${queue.rate.count} per ${lengthFlag(queue.rate.per_ms ?? 1000)}`,
    ...Object.entries(queue.running_max_by_type ?? {}).map(([type, max]) => `${type} ≤ ${max}`),
  ].filter((text) => text);
  return texts.length ? <span class="soft">{texts.join(', ')}</span> : <span class="faint">none</span>;
}

function pause(queue: Queue, done: () => void): Action {
  return {
    title: `Pause queue ${queue.name}`,
    verb: 'Pause queue',
    text: 'Nobody claims from it until it is resumed; what runs goes on.',
    fields: [{ name: 'reason', label: 'Reason', placeholder: 'provider is down' }],
    command: ({ reason }) => line(['queue', 'pause', queue.name!], { reason, namespace: queue.namespace }),
    run: async ({ reason }) => {
      await answer(api.POST('/api/v1/queues/{name}/pause', { params: { path: { name: queue.name! } }, body: { namespace: queue.namespace!, ...(reason && { reason }) } }));
      return { text: `Queue ${queue.name} is paused` };
    },
    done,
  };
}

function resume(queue: Queue, done: () => void): Action {
  return {
    title: `Resume queue ${queue.name}`,
    verb: 'Resume queue',
    command: () => line(['queue', 'resume', queue.name!], { namespace: queue.namespace }),
    run: async () => {
      await answer(api.POST('/api/v1/queues/{name}/resume', { params: { path: { name: queue.name! } }, body: { namespace: queue.namespace! } }));
      return { text: `Queue ${queue.name} is resumed` };
    },
    done,
  };
}

function limit(queue: Queue, done: () => void): Action {
  const first = limitFields(queue);
  return {
    title: `Limits of queue ${queue.name}`,
    verb: 'Set limits',
    fields: [
      { name: 'running', label: 'Jobs at one time', kind: 'number', value: first.running, placeholder: 'no limit', help: '0 removes the limit.' },
      { name: 'claims', label: 'Claims per second', kind: 'number', step: 'any', value: first.claims, placeholder: 'no limit', help: '0 removes the limit.' },
    ],
    command: (typed) => limitCommand(queue, typed),
    run: async (typed) => {
      const change = limitChange(queue, typed);
      if (Object.keys(change).length === 0) return { text: `Limits of queue ${queue.name} stay as they are` };
      await answer(api.PUT('/api/v1/queues/{name}/limits', { params: { path: { name: queue.name! } }, body: { namespace: queue.namespace!, ...change } }));
      return { text: `Limits of queue ${queue.name} are set` };
    },
    done,
  };
}
