// Every action, by the buttons people press; each dialog shows the command line that does the same.
import { confirm, expect, open, settled, test } from './fixtures';
import { deadJob, reaches, Worker } from './world';

test.describe.configure({ mode: 'serial' });

test('a dead job is retried, a waiting one cancelled', async ({ page, server, world }) => {
  void world;
  const worker = await Worker.register(server, 'retrier', { queues: ['retried'], slots: 4 });
  const dead = await deadJob(server, worker, 'retried');
  await open(page, server, `/jobs/${dead}`);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await confirm(page, 'Retry job');
  await expect(page.locator('.page-head')).toContainText('ready');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByLabel('Reason').fill('wrong customer');
  await expect(page.getByRole('dialog').getByLabel('Command line', { exact: true })).toHaveText(`muster job cancel ${dead} --reason 'wrong customer'`);
  await confirm(page, 'Cancel job');
  await expect(page.locator('.page-head')).toContainText('cancelled');
});

test('two operators act on one job: the second is told, and sees what is', async ({ page, server, world }) => {
  void world;
  const worker = await Worker.register(server, 'rival', { queues: ['rivals'], slots: 4 });
  const dead = await deadJob(server, worker, 'rivals');
  await open(page, server, `/jobs/${dead}`);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await server.call('POST', `/jobs/${dead}/retry`);
  await page.getByRole('dialog').getByRole('button', { name: 'Retry job' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('conflict');
  await page.getByRole('button', { name: 'Not now' }).click();
  await expect(page.locator('.page-head')).toContainText('ready');
});

test('jobs are selected and cancelled together', async ({ page, server, world }) => {
  void world;
  for (let i = 0; i < 3; i += 1) await server.job({ type: 'bulk.one', queue: 'bulk' });
  await open(page, server, '/jobs?type=bulk.one');
  await expect(page.getByRole('row')).toHaveCount(3);
  await page.getByRole('checkbox').first().check();
  await page.getByRole('checkbox').nth(1).check();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await confirm(page, 'Cancel 2 jobs');
  await expect(page.getByRole('row').filter({ hasText: 'cancelled' })).toHaveCount(2);
});

test('all that match are retried after a count and a confirmation', async ({ page, server, world }) => {
  void world;
  const ids = [];
  for (let i = 0; i < 5; i += 1) ids.push((await server.job({ type: 'bulk.many', queue: 'bulk' })).id);
  await server.call('POST', '/jobs/cancel', { ids });
  await open(page, server, '/jobs?type=bulk.many&state=cancelled');
  await page.getByRole('button', { name: 'Retry …' }).click();
  await confirm(page, 'Retry 5 jobs');
  await expect(page.getByText('No job matches')).toBeVisible();
  await page.getByRole('button', { name: 'ready', exact: true }).click();
  await page.getByRole('button', { name: 'cancelled', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(5);
  await page.getByRole('button', { name: 'Cancel …' }).click();
  await confirm(page, 'Cancel 5 jobs');
  await expect(page.getByText('No job matches')).toBeVisible();
});

test('a queue is paused with a reason, limited and resumed', async ({ page, server, world }) => {
  void world;
  await server.job({ type: 'x', queue: 'shop' });
  await open(page, server, '/queues');
  await page.getByRole('button', { name: 'Pause queue shop' }).click();
  await page.getByLabel('Reason').fill('provider is down');
  await confirm(page, 'Pause queue');
  await expect(page.getByText('paused: provider is down')).toBeVisible();
  await page.getByRole('button', { name: 'Limits of queue shop' }).click();
  await page.getByLabel('Jobs at one time').fill('7');
  await confirm(page, 'Set limits');
  await expect(page.getByText('7 at once')).toBeVisible();
  await page.getByRole('button', { name: 'Resume queue shop' }).click();
  await confirm(page, 'Resume queue');
  await expect(page.getByText('paused: provider is down')).toHaveCount(0);
});

test('a worker is drained with a deadline and put back to work', async ({ page, server, world }) => {
  void world;
  const worker = await Worker.register(server, 'drained', { capabilities: ['tool:drill'], queues: ['drill'], slots: 1 });
  await server.job({ type: 'drill', queue: 'drill', needs: ['tool:drill'] });
  await worker.claim('drill');
  await open(page, server, '/workers/drained');
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  await page.getByLabel('Deadline').fill('a while');
  await page.getByRole('dialog').getByRole('button', { name: 'Drain worker' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('no length of time');
  await page.getByLabel('Deadline').fill('5m');
  await confirm(page, 'Drain worker');
  await expect(page.locator('.why')).toContainText('It waits for 1 running job');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await confirm(page, 'Resume worker');
  await expect(page.getByRole('button', { name: 'Drain', exact: true })).toBeVisible();
});

test('a workflow is started, signalled, cancelled, terminated and retried', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/workflows');
  await page.getByRole('button', { name: 'Start a workflow' }).click();
  await page.getByLabel('Type', { exact: true }).last().fill('visit');
  await page.getByLabel('Input').fill('not json');
  await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('is not JSON');
  await page.getByLabel('Input').fill('{"who": "ada"}');
  await confirm(page, 'Start');
  await page.getByRole('link', { name: 'Show' }).click();
  await settled(page);
  await expect(page.locator('.page-head h1')).toHaveText('visit');
  await page.getByRole('button', { name: 'Signal' }).click();
  await page.getByLabel('Name').fill('go');
  await confirm(page, 'Send signal');
  await expect(page.locator('.notices')).toContainText('is kept until the run asks for it');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await confirm(page, 'Cancel run');
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await confirm(page, 'Start again');
  await page.getByRole('link', { name: 'Show' }).last().click();
  await page.getByRole('button', { name: 'Terminate' }).click();
  await confirm(page, 'Terminate run');
  await expect(page.locator('.page-head')).toContainText('dead');
});

test('the steps of a run are shown over time and as a graph', async ({ page, server, world }) => {
  await open(page, server, `/workflows/${world.parent}`);
  await page.getByRole('button', { name: /^charge, attempt 1, completed/ }).click();
  await expect(page.getByRole('region', { name: 'Output of the step' })).toContainText('paid');
  await page.getByRole('tab', { name: 'Graph' }).click();
  await expect(page.locator('.graph text').filter({ hasText: 'approval' })).toBeVisible();
});

test('a schedule is made while its timing is explained, triggered, backfilled, paused, resumed and deleted', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/schedules');
  await page.getByRole('button', { name: 'New schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Timing').fill('0 25 * * *');
  await expect(dialog.getByRole('alert')).toContainText('hours');
  await dialog.getByLabel('Timing').fill('0 9 * * 1-5');
  await expect(dialog.getByRole('status').filter({ hasText: '09:00' }).first()).toBeVisible();
  await dialog.getByLabel('Type').fill('made.here');
  await dialog.getByLabel('Note').fill('by hand');
  await confirm(page, 'Create schedule');
  await page.getByRole('link', { name: 'by hand' }).click();
  await settled(page);
  await page.getByRole('button', { name: 'Trigger' }).click();
  await confirm(page, 'Trigger now');
  await expect(page.locator('main table')).toContainText('ready');
  await page.getByRole('button', { name: 'Backfill' }).click();
  await confirm(page, 'Backfill');
  await page.getByRole('button', { name: 'Pause' }).click();
  await confirm(page, 'Pause schedule');
  await page.getByRole('button', { name: 'Resume' }).click();
  await confirm(page, 'Resume schedule');
  await page.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete schedule');
  await expect(page.locator('#main h1')).toHaveText('Schedules');
});

test('a plan runs over inputs, and each is a cell', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/plans/count-lines');
  await page.getByRole('button', { name: 'Run over inputs' }).click();
  await page.getByLabel('Inputs').fill('[{"path":"/a"},{"path":"/b"},{"path":"/c"}]');
  await confirm(page, 'Run');
  await page.getByRole('link', { name: 'Show' }).click();
  await expect(page.locator('.cell')).toHaveCount(3);
  await page.locator('.cell').nth(1).click();
  await page.getByRole('tab', { name: 'Input' }).click();
  await expect(page.getByRole('region', { name: 'Input' })).toContainText('/b');
  await page.getByRole('button', { name: 'Cancel the rest' }).click();
  await confirm(page, 'Cancel 3 jobs');
  await expect(page.locator('.cell.cancelled')).toHaveCount(3);
});

test('a plan that nothing needs is deleted', async ({ page, server, world }) => {
  void world;
  await server.call('POST', '/plans', { plan_id: 'unneeded', tasks: [{ task_number: 1, command: 'true' }] });
  await open(page, server, '/plans/unneeded');
  await page.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete plan');
  await expect(page.locator('#main h1')).toHaveText('Plans and actions');
  await expect(page.locator('main')).not.toContainText('unneeded');
});

test('an agent is asked, its tool is allowed with another input, and the session goes on', async ({ page, server, world }) => {
  void world;
  const tools = await Worker.register(server, 'tools', { capabilities: ['tool:get_weather'], queues: ['tools'], slots: 4 });
  await open(page, server, '/agents');
  await page.getByRole('button', { name: 'Ask support' }).click();
  await page.getByLabel('Prompt').fill('And the weather in Bergen?');
  await confirm(page, 'Ask');
  await page.getByRole('link', { name: 'Show' }).click();
  await settled(page);
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByLabel('Input').fill('{"city": "Bergen"}');
  await page.getByLabel('Reason').fill('the right town');
  await confirm(page, 'Approve');
  const call = await tools.claim('tools');
  await tools.settle('complete', call, { result: 'rain in Bergen' });
  await expect(page.getByRole('log')).toContainText('It is rain in Bergen.');
  await expect(page.getByRole('log')).toContainText('"city": "Bergen"');

  await page.getByRole('link', { name: 'The whole session' }).click();
  await settled(page);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByLabel('Agent').fill('support');
  await page.getByLabel('Prompt').fill('Thank you');
  await confirm(page, 'Ask');
  await expect(page.getByRole('log')).toContainText('You said: Thank you');
});

test('a tool is denied, and a run that speaks is cancelled', async ({ page, server, world }) => {
  void world;
  const { id: denied } = await server.call('POST', '/agent-runs', { agent: 'support', prompt: 'What weather is it?' });
  await reaches(server, denied, 'awaiting_input');
  await open(page, server, `/agent-runs/${denied}`);
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByLabel('Reason').fill('look out of the window');
  await confirm(page, 'Deny');
  await expect(page.getByRole('log')).toContainText('look out of the window');
  await expect(page.locator('.page-head')).toContainText('completed');

  const { id: slow } = await server.call('POST', '/agent-runs', { agent: 'support', prompt: 'Count slowly' });
  await open(page, server, `/agent-runs/${slow}`);
  await expect(page.getByRole('log')).toContainText('word word word');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await confirm(page, 'Cancel run');
  await expect(page.locator('.page-head')).toContainText('cancelled');
});

test('a package is wanted on every worker, and wanted gone', async ({ page, server, world }) => {
  void world;
  server.put('packages/demo.pkg/1.1.0/demo.zip', 'PK not really an archive');
  await open(page, server, '/packages/demo.pkg');
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await page.getByLabel('Version', { exact: true }).fill('7.7.7');
  await page.getByRole('dialog').getByRole('button', { name: 'Want it installed' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('E.PKG.INVALID');
  await page.getByLabel('Version', { exact: true }).fill('1.1.0');
  await confirm(page, 'Want it installed');
  await expect(page.locator('main')).toContainText('drift on 1 worker');
  await page.getByRole('button', { name: 'Uninstall', exact: true }).click();
  await confirm(page, 'Want it gone');
  await expect(page.locator('main')).toContainText('shall uninstall');
});

test('a backup is made', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/server');
  await page.getByRole('button', { name: 'Back up' }).click();
  await confirm(page, 'Back up');
  await expect(page.locator('.notices')).toContainText('.db:');
});

test('what was done is in the audit', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/audit?action=worker.drain');
  await expect(page.locator('tbody')).toContainText('drained');
});
