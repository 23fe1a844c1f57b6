// One schedule: its next fires, what it makes, and what it made last.
import { useLocation, useRoute } from 'preact-iso';
import { answer, api } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { useQuery } from '../data/query';
import { backfillSchedule, deleteSchedule, pauseSchedule, resumeSchedule, scheduleName, triggerSchedule, type Schedule } from '../data/schedule_actions';
import { Card, Facts } from '../parts/card';
import { CommandLine, Copy } from '../parts/copy';
import { FireStrip } from '../parts/fire_strip';
import { JsonView } from '../parts/json_view';
import { JobLink } from '../parts/links';
import { Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { When } from '../parts/when';
import { line } from '../rules/cli';
import { jobsAddress } from '../rules/filters';
import { count } from '../rules/numbers';
import { clip, visible } from '../rules/text';
import { exact } from '../rules/time';

const WEEK_MS = 7 * 86_400_000;

export function SchedulePage() {
  const id = useRoute().params.id!;
  const namespace = useLocation().query.namespace ?? 'default';
  const which = { params: { path: { id }, query: { namespace } } };
  const schedule = useQuery(`schedule ${namespace} ${id}`, (signal) => answer(api.GET('/api/v1/schedules/{id}', { ...which, signal })));
  const fires = useQuery(
    `fires of ${namespace} ${id} ${schedule.data?.revision ?? ''}`,
    (signal) => answer(api.GET('/api/v1/schedules/{id}/preview', { params: { path: { id }, query: { namespace, count: 200 } }, signal })),
    { everyMs: 60_000 },
  );
  const jobs = useQuery(`made by ${id}`, (signal) => answer(api.GET('/api/v1/jobs', { params: { query: { namespace, label: [`schedule=${id}`], limit: 20 } as never }, signal })));
  const data = schedule.data;
  const from = Date.now();
  return (
    <Page
      title={data ? clip(scheduleName(data), 120) : 'Schedule'}
      above={{ title: 'Schedules', href: '/schedules' }}
      sub={data && <State state={data.enabled ? 'active' : 'paused'} />}
      actions={data && isOperator.value && <Actions schedule={data} reload={() => { schedule.refresh(); jobs.refresh(); }} />}
    >
      <div class="grid-main">
        <div class="stack">
          <Card title="Next fires" end="your zone">
            <Shown query={fires} rows={4}>
              {(shown) => (
                <div class="body stack">
                  <FireStrip label="Next week" fires={shown.fires ?? []} from={from} to={from + WEEK_MS} cells={84} hasMarks />
                  <ol class="soft">
                    {shown.fires?.slice(0, 8).map((fire) => (
                      <li key={fire}>
                        {exact(Date.parse(fire)).slice(0, 19)} <span class="faint"><When at={fire} /></span>
                      </li>
                    ))}
                  </ol>
                </div>
              )}
            </Shown>
          </Card>
          <Card title="Made last" end={<a href={jobsAddress({ labels: { schedule: id } })}>All of them</a>}>
            <Shown query={jobs} rows={4}>
              {(made) =>
                made.jobs?.length ? (
                  <table>
                    <tbody>
                      {made.jobs.map((job) => (
                        <tr key={job.id}>
                          <td>
                            <JobLink id={job.id!} isRun={data?.run !== undefined} />
                          </td>
                          <td>
                            <State state={job.state!} />
                          </td>
                          <td class="faint">
                            <When at={job.created_at} />
                          </td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                ) : (
                  <p class="empty">It has made nothing yet.</p>
                )
              }
            </Shown>
          </Card>
          {data && (
            <Card title={data.run ? 'Starts' : 'Makes'}>
              <JsonView value={data.run ?? data.job} label="Template" />
            </Card>
          )}
          <CommandLine command={line(['schedule', 'get', id], { namespace })} />
        </div>
        <Card title="Facts">
          <Shown query={schedule}>
            {(one) => (
              <div class="body">
                <Facts
                  facts={[
                    ['Id', <span class="id"><span class="mono wrap-anywhere">{one.id}</span><Copy text={one.id!} label="Copy id" /></span>],
                    ['Timing', <code>{visible(one.timing?.text ?? '')}</code>],
                    ['Zone', one.timing?.zone],
                    ['Gap', one.timing?.gap],
                    ['Fold', one.timing?.fold],
                    ['Overlap', one.overlap],
                    ['Catches up', one.catchup_max !== undefined && `at most ${one.catchup_max} fires`],
                    ['Next fire', <When at={one.next_fire_at} />],
                    ['Last fire', <When at={one.last_fired_at} />],
                    ['Last job', one.last_job && <JobLink id={one.last_job} isRun={one.run !== undefined} />],
                    ['Fired', count(one.fired)],
                    ['Missed', count(one.skipped)],
                    ['Note', one.note && visible(one.note)],
                    ['Created', <When at={one.created_at} />],
                    ['Changed', <When at={one.updated_at} />],
                  ]}
                />
              </div>
            )}
          </Shown>
        </Card>
      </div>
    </Page>
  );
}

function Actions({ schedule, reload }: { schedule: Schedule; reload: () => void }) {
  return (
    <>
      <button type="button" class="primary" onClick={() => ask(triggerSchedule(schedule, reload))}>
        Trigger
      </button>
      <button type="button" onClick={() => ask(schedule.enabled ? pauseSchedule(schedule, reload) : resumeSchedule(schedule, reload))}>
        {schedule.enabled ? 'Pause' : 'Resume'}
      </button>
      <button type="button" onClick={() => ask(backfillSchedule(schedule, reload))}>
        Backfill
      </button>
      <button type="button" class="danger" onClick={() => ask(deleteSchedule(schedule, reload))}>
        Delete
      </button>
    </>
  );
}
