// V1: schedules, namespaces, counts, and what tools ask first.
'use strict';
const { UUID, equal, holds, json, millis, pause, until } = require('../check.cjs');
const { randomUUID } = require('../actors.cjs');

const FAR = '0 0 0 1 1 *';
const schedule_of = (t, more) => ({ namespace: t.ns, task_queue: 'q', workflow_type: 'W', cron_expr: FAR, input: { data: json({ from: 'cron' }) }, ...more });
const created = async (t, more) => (await t.s.CreateWorkflowSchedule(schedule_of(t, more))).schedule;
const named = (t, schedule_id) => ({ namespace: t.ns, schedule_id });
const runs_of = async (t, schedule_id) => (await t.s.ListScheduleRuns(named(t, schedule_id))).runs;

const SERVICES = ['kagzi.WorkflowService', 'kagzi.v1.WorkflowService', 'kagzi.v1.WorkerService', 'kagzi.v1.WorkflowScheduleService', 'kagzi.v1.AdminService',
  'kagzi.v1.NamespaceService'];

module.exports = {
  'V-26 a cron text that is none, or has five fields, is refused': async (t) => {
    for (const cron_expr of ['not a cron', '*/5 * * * *', '@daily', '', '0 0 25 * * *']) await t.s.refused.CreateWorkflowSchedule('INVALID_ARGUMENT', schedule_of(t, { cron_expr }));
    for (const field of ['task_queue', 'workflow_type']) await t.s.refused.CreateWorkflowSchedule('INVALID_ARGUMENT', schedule_of(t, { [field]: '' }));
    equal((await t.s.ListWorkflowSchedules({ namespace: t.ns })).schedules, [], 'schedules');
  },
  'V-27 an every-second schedule fires soon': async (t) => {
    const schedule = await created(t, { cron_expr: '*/1 * * * * *' });
    const ahead = millis(schedule.next_fire_at) - Date.now();
    holds(ahead > -1000 && ahead <= 5000, 'next_fire_at within 5 s', `${ahead} ms`);
    holds(UUID.test(schedule.schedule_id), 'a UUID', schedule.schedule_id);
    equal([schedule.namespace, schedule.enabled, schedule.max_catchup], [t.ns, true, 50], 'schedule');
    const worker = await t.worker();
    const got = await worker.take(20);
    equal(got.input.data.toString(), '{"from":"cron"}', 'input of the run');
    equal((await t.run(got.run_id)).schedule_id, schedule.schedule_id, 'schedule_id of the run');
    await t.s.DeleteWorkflowSchedule(named(t, schedule.schedule_id));
  },
  'V-28 a schedule is read, listed, changed, paused, resumed and deleted': async (t) => {
    const made = await created(t, { max_catchup: 7, version: '2' });
    const id = made.schedule_id;
    equal((await t.s.GetWorkflowSchedule(named(t, id))).schedule, made, 'read and made');
    equal((await t.s.ListWorkflowSchedules({ namespace: t.ns })).schedules.map((each) => each.schedule_id), [id], 'listed');
    equal((await t.s.ListWorkflowSchedules({ namespace: t.ns, task_queue: 'other' })).schedules, [], 'of another queue');
    const paused = (await t.s.PauseWorkflowSchedule(named(t, id))).schedule;
    equal([paused.enabled, (await t.s.GetWorkflowSchedule(named(t, id))).schedule.enabled], [false, false], 'paused');
    equal((await t.s.ListWorkflowSchedules({ namespace: t.ns })).schedules.map((each) => each.enabled), [false], 'a paused one is listed');
    equal((await t.s.ResumeWorkflowSchedule(named(t, id))).schedule.enabled, true, 'resumed');
    const changed = (await t.s.UpdateWorkflowSchedule({ ...named(t, id), cron_expr: '0 0 0 * * *', max_catchup: 3, task_queue: 'r', input: { data: json(2) } })).schedule;
    equal([changed.cron_expr, changed.max_catchup, changed.task_queue, changed.input.data.toString(), changed.version], ['0 0 0 * * *', 3, 'r', '2', '2'], 'changed');
    await t.s.refused.UpdateWorkflowSchedule('INVALID_ARGUMENT', { ...named(t, id), cron_expr: 'nonsense', task_queue: 'lost' });
    equal((await t.s.GetWorkflowSchedule(named(t, id))).schedule.task_queue, 'r', 'a refused update changes nothing');
    equal((await t.s.UpdateWorkflowSchedule({ ...named(t, id), enabled: false })).schedule.enabled, false, 'enabled=false');
    equal((await t.s.DeleteWorkflowSchedule(named(t, id))).deleted, true, 'deleted');
    for (const method of ['GetWorkflowSchedule', 'UpdateWorkflowSchedule', 'DeleteWorkflowSchedule', 'PauseWorkflowSchedule', 'ResumeWorkflowSchedule', 'TriggerWorkflowSchedule']) {
      await t.s.refused[method]('NOT_FOUND', named(t, id));
      await t.s.refused[method]('INVALID_ARGUMENT', named(t, 'x'));
    }
  },
  'V-29 a trigger starts a run of the schedule, at once': async (t) => {
    const { schedule_id } = await created(t, {});
    await t.s.PauseWorkflowSchedule(named(t, schedule_id));
    const worker = await t.worker();
    const call = worker.open();
    const { run_id } = await t.s.TriggerWorkflowSchedule(named(t, schedule_id));
    equal((await call.done).value.run_id, run_id, 'delivered to the open poll');
    equal((await t.run(run_id)).schedule_id, schedule_id, 'schedule_id');
    equal((await runs_of(t, schedule_id)).map((run) => run.run_id), [run_id], 'its runs');
    await worker.complete(run_id);
    const counted = await until(async () => { const now = (await t.s.GetWorkflowSchedule(named(t, schedule_id))).schedule; return now.successful_runs > 0 && now; }, 'a count', 10);
    equal([counted.total_runs, counted.successful_runs, counted.failed_runs], [1, 1, 0], 'counters');
    await t.s.DeleteWorkflowSchedule(named(t, schedule_id));
    await t.status(run_id, 'COMPLETED');
  },
  'V-30 a namespace is made once': async (t) => {
    const made = (await t.n.CreateNamespace({ namespace: t.ns, display_name: 'Shop', description: 'd' })).namespace;
    equal([made.namespace, made.display_name, made.description, made.enabled], [t.ns, 'Shop', 'd', true], 'namespace');
    equal((await t.n.refused.CreateNamespace('ABORTED', { namespace: t.ns, display_name: 'Again' })).code, 'ERROR_CODE_CONFLICT', 'code 4');
    await t.n.refused.CreateNamespace('INVALID_ARGUMENT', { namespace: '', display_name: 'x' });
    await t.n.refused.CreateNamespace('INVALID_ARGUMENT', { namespace: `${t.ns}-b`, display_name: '' });
    equal((await t.n.GetNamespace({ namespace: t.ns })).namespace, made, 'the first stays');
  },
  'V-31 a namespace is read, changed, disabled and enabled': async (t) => {
    await t.n.CreateNamespace({ namespace: t.ns, display_name: 'Shop' });
    const changed = (await t.n.UpdateNamespace({ namespace: t.ns, display_name: 'Store' })).namespace;
    equal(changed.display_name, 'Store', 'display_name');
    equal((await t.n.DisableNamespace({ namespace: t.ns })).namespace.enabled, false, 'disabled');
    equal((await t.n.GetNamespace({ namespace: t.ns })).namespace.enabled, false, 'read');
    equal((await t.n.EnableNamespace({ namespace: t.ns })).namespace.enabled, true, 'enabled');
    for (const method of ['GetNamespace', 'UpdateNamespace', 'EnableNamespace', 'DisableNamespace']) await t.n.refused[method]('NOT_FOUND', { namespace: `${t.ns}-none` });
  },
  'V-32 namespaces are listed without a page': async (t) => {
    await t.n.CreateNamespace({ namespace: t.ns, display_name: 'Shop' });
    const answer = await t.n.ListNamespaces({});
    holds(answer.namespaces.length > 0 && answer.page, 'namespaces and a page', answer);
    const names = [];
    let page_token = '';
    do {
      const page = await t.n.ListNamespaces({ page: { page_size: 100, page_token } });
      names.push(...page.namespaces.map((each) => each.namespace));
      page_token = page.page.has_more ? page.page.next_page_token : '';
    } while (page_token !== '' && names.length < 5000);
    holds(names.includes(t.ns) && names.includes('default'), 'this one and default', names.length);
    equal(new Set(names).size, names.length, 'each once');
  },
  'V-33 the server says what it is': async (t) => {
    const info = await t.a.GetServerInfo({});
    equal(info.api_version, 'v1', 'api_version');
    holds(info.version !== '' && info.min_sdk_version !== '', 'versions', info);
    for (const feature of ['workflow', 'worker', 'workflow_schedule', 'admin']) holds(info.supported_features.includes(feature), `feature ${feature}`, info.supported_features);
    equal((await t.a.HealthCheck({})).status, 'SERVING_STATUS_SERVING', 'health');
  },
  'V-34 counts are what they say': async (t) => {
    const { worker, run_id } = await t.held({ workflow_type: 'A' }, { workflow_types: ['A'] });
    const done = await t.start({ workflow_type: 'A' });
    equal((await worker.take()).run_id, done, 'delivered');
    await worker.complete(done);
    const failed = await t.start({ workflow_type: 'A' });
    equal((await worker.take()).run_id, failed, 'delivered');
    await t.w.FailWorkflow({ namespace: t.ns, run_id: failed, error: { message: 'x' } });
    const asleep = await t.start({ workflow_type: 'A' });
    equal((await worker.take()).run_id, asleep, 'delivered');
    await t.w.BeginStep({ namespace: t.ns, run_id: asleep, step_name: 'nap', kind: 'STEP_KIND_SLEEP' });
    await t.w.Sleep({ namespace: t.ns, run_id: asleep, step_id: 'nap', duration: { seconds: 3600, nanos: 0 } });
    await t.start({ workflow_type: 'B', task_queue: 'r' });
    await t.start({ workflow_type: 'B', task_queue: 's' });
    await created(t, {});
    const stats = await t.a.GetStats({ namespace: t.ns });
    equal([stats.total_workflows, stats.pending_workflows, stats.running_workflows, stats.completed_workflows, stats.failed_workflows], [6, 2, 1, 1, 1], 'workflows');
    equal([stats.total_workers, stats.online_workers, stats.total_schedules, stats.enabled_schedules], [1, 1, 1, 1], 'workers and schedules');
    equal(stats.workflows_by_type, { A: 4, B: 2 }, 'by type');
    const depth = await t.a.GetQueueDepth({ namespace: t.ns });
    equal([depth.pending_count, depth.running_count, depth.sleeping_count], [2, 1, 1], 'depth');
    equal([depth.depth_by_queue.r, depth.depth_by_queue.s], [1, 1], 'by queue');
    equal((await t.a.GetQueueDepth({ namespace: t.ns, task_queue: 'r' })).pending_count, 1, 'of queue r');
    const types = (await t.a.ListWorkflowTypes({ namespace: t.ns })).workflow_types;
    equal(types.map((each) => [each.workflow_type, each.total_runs, each.active_runs, each.task_queues.slice().sort()]).sort(), [['A', 4, 2, ['q']], ['B', 2, 2, ['r', 's']]], 'types');
    await t.status(run_id, 'RUNNING');
  },
  'V-36 reflection lists all services': async (t) => {
    const stream = t.wire.stream('reflection.v1', 'ServerReflection', 'ServerReflectionInfo');
    const names = await new Promise((resolve, reject) => {
      stream.on('data', (answer) => resolve(answer.list_services_response.service.map((each) => each.name)));
      stream.on('error', reject);
      stream.write({ host: '', list_services: '*' });
    });
    stream.end();
    for (const name of SERVICES) holds(names.includes(name), name, names);
  },
  'V-49 a schedule can be made disabled, and catch nothing up': async (t) => {
    const off = await created(t, { cron_expr: '* * * * * *', enabled: false, max_catchup: 0 });
    equal([off.enabled, off.max_catchup], [false, 0], 'schedule');
    await pause(2500);
    equal(await runs_of(t, off.schedule_id), [], 'runs while it is off');
    const resumed = Date.now();
    await t.s.ResumeWorkflowSchedule(named(t, off.schedule_id));
    const runs = await until(async () => { const now = await runs_of(t, off.schedule_id); return now.length >= 2 && now; }, 'two fires', 20);
    await t.s.DeleteWorkflowSchedule(named(t, off.schedule_id));
    const due = (Date.now() - resumed) / 1000 + 2;
    holds(runs.length <= due, `no fire of the pause: at most ${Math.ceil(due)}`, runs.length);
  },
  'V-50 the runs of a schedule are paged': async (t) => {
    const { schedule_id } = await created(t, {});
    const ids = [];
    for (let i = 0; i < 5; i += 1) ids.push((await t.s.TriggerWorkflowSchedule(named(t, schedule_id))).run_id);
    equal(new Set(ids).size, 5, 'each trigger is a run of its own');
    const first = await t.s.ListScheduleRuns({ ...named(t, schedule_id), page: { page_size: 3 } });
    const rest = await t.s.ListScheduleRuns({ ...named(t, schedule_id), page: { page_size: 3, page_token: first.page.next_page_token } });
    equal([first.runs.length, first.page.has_more, rest.runs.length, rest.page.has_more], [3, true, 2, false], 'pages');
    equal(first.runs.concat(rest.runs).map((run) => run.run_id).sort(), ids.sort(), 'every run once');
    const run_id = await t.start();
    holds(!(await t.run(run_id)).schedule_id, 'an ordinary run has no schedule', run_id);
    await t.s.refused.GetWorkflowSchedule('NOT_FOUND', named(t, randomUUID()));
  },
};
