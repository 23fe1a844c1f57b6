// K0: schedules.
'use strict';
const { UUID, equal, holds, json, millis, parsed, pause, timestamp, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const FAR = '0 0 0 1 1 ? 2099';

const request = (t, more) => ({ namespace_id: t.ns, task_queue: 'q', workflow_type: 'W', cron_expr: '0 0 0 1 1 *', input: json({ from: 'cron' }), ...more });
const created = async (t, more) => (await t.k.CreateSchedule(request(t, more))).schedule;
const read = async (t, schedule_id) => (await t.k.GetSchedule({ schedule_id, namespace_id: t.ns })).schedule;
const changed = async (t, schedule_id, more) => (await t.k.UpdateSchedule({ schedule_id, namespace_id: t.ns, ...more })).schedule;
const remove = (t, schedule_id) => t.k.DeleteSchedule({ schedule_id, namespace_id: t.ns });
const runs = async (t) => (await t.k.ListWorkflowRuns({ namespace_id: t.ns, page_size: 100 })).workflow_runs;

module.exports = {
  'K-56 a schedule is made with an aligned next fire, enabled, max_catchup 100': async (t) => {
    const schedule = await created(t, { cron_expr: '0 */5 * * * *' });
    const next = millis(schedule.next_fire_at);
    holds(UUID.test(schedule.schedule_id), 'a UUID', schedule.schedule_id);
    holds(next > Date.now() - 1000 && next <= Date.now() + 301000 && next % 300000 === 0, 'a multiple of five minutes, in the future', schedule.next_fire_at);
    equal([schedule.enabled, schedule.max_catchup, schedule.last_fired_at], [true, 100, null], 'schedule');
    equal([schedule.namespace_id, schedule.task_queue, schedule.workflow_type, schedule.cron_expr], [t.ns, 'q', 'W', '0 */5 * * * *'], 'names');
    equal(parsed(schedule.input), { from: 'cron' }, 'input');
    equal(await read(t, schedule.schedule_id), schedule, 'read and made');
    await remove(t, schedule.schedule_id);
  },
  'K-57 a schedule that cannot be is refused': async (t) => {
    const bad = [{ task_queue: '' }, { workflow_type: '' }, { cron_expr: '' }, { cron_expr: 'nonsense' }, { cron_expr: '*/5 * * * *' }, { cron_expr: '61 * * * * *' },
      { cron_expr: '0 0 25 * * *' }, { cron_expr: '0 0 0 ? * 0' }, { cron_expr: '0 0 0 ? * 8' }, { cron_expr: '*/0 * * * * *' }, { cron_expr: '30-10 * * * * *' },
      { cron_expr: '? * * * * *' }, { cron_expr: '0 0 0 1 1 ? 2020' }, { cron_expr: '0 0 0 30 2 ?' }, { input: Buffer.from('{bad') }, { context: Buffer.from('{bad') }];
    for (const more of bad) await t.k.refused.CreateSchedule('INVALID_ARGUMENT', request(t, more));
    equal((await t.k.ListSchedules({ namespace_id: t.ns })).schedules, [], 'schedules');
    for (const cron_expr of ['@daily', '@hourly', FAR, '0 0 0 1 JAN ?', '0 0 12 ? * MON-FRI', '0/15 0 0 1,15 * *']) await remove(t, (await created(t, { cron_expr })).schedule_id);
  },
  'K-58 day of week 2 is Monday': async (t) => {
    const schedule = await created(t, { cron_expr: '0 0 12 ? * 2' });
    const next = new Date(millis(schedule.next_fire_at));
    equal([next.getUTCDay(), next.getUTCHours(), next.getUTCMinutes(), next.getUTCSeconds()], [1, 12, 0, 0], 'Monday noon');
    holds(next - Date.now() <= 7 * 86400000, 'the next one', schedule.next_fire_at);
    const sunday = await created(t, { cron_expr: '0 0 12 ? * 1' });
    equal(new Date(millis(sunday.next_fire_at)).getUTCDay(), 0, 'day of week 1');
  },
  'K-59 both day fields must match: only Friday the 13th': async (t) => {
    const schedule = await created(t, { cron_expr: '0 0 0 13 * 6' });
    const next = new Date(millis(schedule.next_fire_at));
    equal([next.getUTCDate(), next.getUTCDay()], [13, 5], 'the 13th and a Friday');
    let day = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 13));
    while (day.getUTCDay() !== 5 || day <= Date.now()) day = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 13));
    equal(next.getTime(), day.getTime(), 'the next one');
  },
  'K-60 a schedule fires every second, each run as its template says': async (t) => {
    const schedule = await created(t, { cron_expr: '* * * * * *', context: json({ c: 1 }), version: '7' });
    const worker = await t.old_worker();
    const got = [await worker.take(20), await worker.take(20), await worker.take(20)];
    await remove(t, schedule.schedule_id);
    equal(new Set(got.map((each) => each.run_id)).size, 3, 'different runs');
    for (const each of got) equal([each.workflow_type, parsed(each.workflow_input)], ['W', { from: 'cron' }], 'delivered');
    const run = await t.old_run(got[0].run_id);
    equal([run.version, parsed(run.context), run.attempts], ['7', { c: 1 }, 1], 'run');
    const made = await runs(t);
    await pause(2200);
    holds((await runs(t)).length <= made.length + 1, 'no fires of a deleted schedule', (await runs(t)).length);
  },
  'K-61 a disabled schedule does not fire, an enabled one catches up within max_catchup': async (t) => {
    const { schedule_id } = await created(t, { cron_expr: '* * * * * *', max_catchup: 3 });
    await until(async () => (await runs(t)).length >= 2, 'two fires', 20);
    holds((await read(t, schedule_id)).last_fired_at, 'last_fired_at', 'none');
    equal((await changed(t, schedule_id, { enabled: { value: false } })).enabled, false, 'enabled');
    await pause(300);
    const before = (await runs(t)).length;
    const end = Date.now() + 6000;
    while (Date.now() < end) {
      equal((await runs(t)).length, before, 'runs while it is disabled');
      await pause(300);
    }
    const enabled = Date.now();
    equal((await changed(t, schedule_id, { enabled: { value: true } })).enabled, true, 'enabled');
    await until(async () => (await runs(t)).length >= before + 3, 'three fires of those that were missed', 10);
    const ended = Date.now();
    await remove(t, schedule_id);
    const after = (await runs(t)).length;
    const due = Math.ceil((ended - enabled) / 1000) + 2;
    holds(after <= before + 3 + due, `at most three of the missed and ${due} that were due since`, `${after - before}`);
  },
  'K-62 an unknown schedule is not found': async (t) => {
    const schedule_id = randomUUID();
    const detail = await t.k.refused.GetSchedule('NOT_FOUND', { schedule_id, namespace_id: t.ns });
    equal([detail.subject, detail.subject_id], ['schedule', schedule_id], 'subject');
    await t.k.refused.UpdateSchedule('NOT_FOUND', { schedule_id, namespace_id: t.ns, enabled: { value: false } });
    await t.k.refused.DeleteSchedule('NOT_FOUND', { schedule_id, namespace_id: t.ns });
    for (const method of ['GetSchedule', 'UpdateSchedule', 'DeleteSchedule']) await t.k.refused[method]('INVALID_ARGUMENT', { schedule_id: 'x', namespace_id: t.ns });
    const known = await created(t, { cron_expr: FAR });
    await t.k.refused.GetSchedule('NOT_FOUND', { schedule_id: known.schedule_id, namespace_id: `${t.ns}-other` });
    await remove(t, known.schedule_id);
    await t.k.refused.GetSchedule('NOT_FOUND', { schedule_id: known.schedule_id, namespace_id: t.ns });
  },
  'K-63 an update changes what it names and nothing else': async (t) => {
    const before = await created(t, { cron_expr: FAR, max_catchup: 7, version: '2' });
    const id = before.schedule_id;
    equal(await changed(t, id, { task_queue: { value: 'other' } }), { ...before, task_queue: 'other' }, 'task_queue');
    equal(await changed(t, id, { max_catchup: { value: 9 } }), { ...before, task_queue: 'other', max_catchup: 9 }, 'max_catchup');
    equal(parsed((await changed(t, id, { input: { value: json([1]) } })).input), [1], 'input');
    const daily = await changed(t, id, { cron_expr: { value: '0 0 0 * * *' } });
    holds(millis(daily.next_fire_at) % 86400000 === 0 && millis(daily.next_fire_at) > Date.now(), 'the next midnight', daily.next_fire_at);
    await t.k.refused.UpdateSchedule('INVALID_ARGUMENT', { schedule_id: id, namespace_id: t.ns, cron_expr: { value: 'nonsense' }, task_queue: { value: 'lost' } });
    await t.k.refused.UpdateSchedule('INVALID_ARGUMENT', { schedule_id: id, namespace_id: t.ns, input: { value: Buffer.from('{bad') } });
    equal(await read(t, id), daily, 'a refused update changes nothing');
    const soon = Math.floor(Date.now() / 1000) * 1000 + 7200000;
    equal(millis((await changed(t, id, { next_fire_at: timestamp(soon) })).next_fire_at), soon, 'an explicit next_fire_at');
    await remove(t, id);
  },
  'K-89 schedules are listed by queue, newest first, and limited': async (t) => {
    const ids = [];
    for (const task_queue of ['q', 'r', 'q']) ids.push((await created(t, { task_queue, cron_expr: FAR })).schedule_id);
    const listed = async (more) => (await t.k.ListSchedules({ namespace_id: t.ns, ...more })).schedules.map((schedule) => schedule.schedule_id);
    equal((await listed({})).sort(), ids.slice().sort(), 'all');
    equal((await listed({ task_queue: 'q' })).sort(), [ids[0], ids[2]].sort(), 'of q');
    equal(await listed({ limit: 1 }), [ids[2]], 'the newest');
    equal(await t.k.ListSchedules({ namespace_id: `${t.ns}-never` }), { schedules: [] }, 'of an unknown namespace');
    for (const id of ids) await remove(t, id);
  },
  'K-90 max_catchup is kept within 1 and 10000, and enabled can be false from the start': async (t) => {
    equal((await created(t, { cron_expr: FAR, max_catchup: 50000 })).max_catchup, 10000, 'above');
    equal((await created(t, { cron_expr: FAR, max_catchup: -4 })).max_catchup, 1, 'below');
    equal((await created(t, { cron_expr: '* * * * * *', enabled: { value: false } })).enabled, false, 'enabled');
    await pause(1500);
    equal((await runs(t)).length, 0, 'fires of a schedule made disabled');
  },
};
