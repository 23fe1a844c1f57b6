// The schedules, with their next day on a strip.
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { answer, api } from '../api/client';
import { ask } from '../data/actions';
import { isOperator } from '../data/identity';
import { namespace, namespaceQuery } from '../data/namespace';
import { useQuery } from '../data/query';
import { createSchedule, pauseSchedule, resumeSchedule, scheduleName, triggerSchedule, type Schedule } from '../data/schedule_actions';
import { Card } from '../parts/card';
import { CommandLine } from '../parts/copy';
import { FireStrip } from '../parts/fire_strip';
import { Namespace } from '../parts/links';
import { Empty, Shown } from '../parts/loading';
import { Page } from '../parts/page';
import { State } from '../parts/state';
import { TimingPreview } from '../parts/timing_preview';
import { When } from '../parts/when';
import { count } from '../rules/numbers';
import { clip, visible } from '../rules/text';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function scheduleAddress(schedule: Schedule): string {
  return `/schedules/${schedule.id}${schedule.namespace === 'default' ? '' : `?namespace=${encodeURIComponent(schedule.namespace!)}`}`;
}

export function Schedules() {
  const { query } = useLocation();
  const schedules = useQuery(
    `schedules ${namespace.value}`,
    (signal) => answer(api.GET('/api/v1/schedules', { params: { query: { ...namespaceQuery(), limit: 200 } }, signal })),
    { everyMs: 5000 },
  );
  // Whole hours, so that the strip is asked for once an hour and not with every look.
  const from = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const fires = useQuery(
    `fires ${namespace.value} ${from}`,
    (signal) =>
      answer(api.GET('/api/v1/schedules/fires', { params: { query: { ...namespaceQuery(), from: new Date(from).toISOString(), to: new Date(from + DAY_MS).toISOString() } }, signal })),
    { everyMs: 60_000 },
  );
  const create = () => ask(createSchedule(namespace.value || 'default', (values) => <TimingPreview text={values.text ?? ''} zone={values.zone ?? ''} />, schedules.refresh));
  useEffect(() => {
    if (query.new && isOperator.value) create();
  }, [query.new]);
  const firesOf = (schedule: Schedule) => fires.data?.schedules?.find((one) => one.id === schedule.id)?.fires ?? [];
  return (
    <Page
      title="Schedules"
      sub={schedules.data && count(schedules.data.total)}
      actions={
        isOperator.value && (
          <button type="button" class="primary" onClick={create}>
            New schedule
          </button>
        )
      }
    >
      <Card>
        <Shown query={schedules} rows={6}>
          {(data) =>
            data.schedules?.length ? (
              <div class="scroll" tabIndex={0} role="region" aria-label="Schedules">
                <table>
                  <thead>
                    <tr>
                      <th>Schedule</th>
                      <th>Timing</th>
                      <th>Next fire</th>
                      <th>Last fire</th>
                      <th class="number">Fired</th>
                      <th class="number">Missed</th>
                      {fires.data && <th>Next day</th>}
                      {isOperator.value && <th><span class="visually-hidden">Actions</span></th>}
                    </tr>
                  </thead>
                  <tbody>
                    {data.schedules.map((schedule) => (
                      <tr key={schedule.id}>
                        <td>
                          <a class="strong" href={scheduleAddress(schedule)}>
                            {clip(scheduleName(schedule), 60)}
                          </a>{' '}
                          <Namespace name={schedule.namespace} /> {!schedule.enabled && <State state="paused" />}
                        </td>
                        <td class="nowrap">
                          <code>{visible(schedule.timing?.text ?? '')}</code> <span class="faint">{schedule.timing?.zone}</span>
                        </td>
                        <td>
                          <When at={schedule.next_fire_at} />
                        </td>
                        <td>
                          <When at={schedule.last_fired_at} />
                        </td>
                        <td class="number">{count(schedule.fired)}</td>
                        <td class={`number ${schedule.skipped ? 'warn' : ''}`}>{count(schedule.skipped)}</td>
                        {fires.data && (
                          <td>
                            <FireStrip label="Next day" fires={firesOf(schedule)} from={from} to={from + DAY_MS} />
                          </td>
                        )}
                        {isOperator.value && (
                          <td class="actions">
                            <button type="button" class="small" aria-label={`Trigger ${scheduleName(schedule)}`} onClick={() => ask(triggerSchedule(schedule, schedules.refresh))}>
                              Trigger
                            </button>{' '}
                            <button
                              type="button"
                              class="small"
                              aria-label={`${schedule.enabled ? 'Pause' : 'Resume'} ${scheduleName(schedule)}`}
                              onClick={() => ask(schedule.enabled ? pauseSchedule(schedule, schedules.refresh) : resumeSchedule(schedule, schedules.refresh))}
                            >
                              {schedule.enabled ? 'Pause' : 'Resume'}
                            </button>
                          </td>
                        )}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            ) : (
              <Empty title="No schedules yet" command="muster schedule create --cron '0 9 * * 1-5' --type report --job">
                A schedule makes a job, or starts a workflow, at every fire of its timing.
              </Empty>
            )
          }
        </Shown>
      </Card>
      <CommandLine command="muster schedule list" />
    </Page>
  );
}
