// With the keyboard alone: find the dead job, see why, retry it; jump to pages, search by id, read the keys.
import { expect, open, test } from './fixtures';
import { deadJob, Worker } from './world';

test('the keyboard alone finds the dead job, sees why, and retries it', async ({ page, server, world }) => {
  void world;
  const worker = await Worker.register(server, 'keys', { queues: ['keys'], slots: 4 });
  const dead = await deadJob(server, worker, 'keys', { type: 'mail.keys' });
  await open(page, server, '/');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('dead');
  await expect(page.getByRole('option', { selected: true })).toContainText('Dead jobs');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/jobs\?state=dead/);
  const row = page.getByRole('row').filter({ hasText: 'mail.keys' });
  await expect(row).toBeVisible();
  const grid = page.getByRole('grid');
  for (let presses = 0; presses < 60 && !(await grid.evaluate((element) => element === document.activeElement)); presses += 1) await page.keyboard.press('Tab');
  await expect(grid).toBeFocused();
  await expect(page.locator('.job-row.is-active')).toHaveAttribute('aria-rowindex', '1');
  for (let at = 1; at < Number(await row.getAttribute('aria-rowindex')); at += 1) await page.keyboard.press('ArrowDown');
  await expect(row).toHaveClass(/is-active/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/jobs/${dead}`));
  await expect(page.getByLabel('Why')).toContainText('550 mailbox unavailable');
  await page.keyboard.press('r');
  await expect(page.getByRole('dialog')).toContainText('Retry job');
  const yes = page.getByRole('dialog').getByRole('button', { name: 'Retry job' });
  for (let presses = 0; presses < 20 && !(await yes.evaluate((element) => element === document.activeElement)); presses += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.locator('.page-head')).toContainText('ready');
});

test('g and a letter jump, ? shows the keys, Escape closes', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/');
  for (const [keys, title] of [['gj', 'Jobs'], ['gq', 'Queues'], ['gw', 'Workers'], ['gf', 'Workflows'], ['gs', 'Schedules'], ['gc', 'Cluster'], ['go', 'Overview']] as const) {
    await page.keyboard.type(keys);
    await expect(page.locator('#main h1')).toHaveText(title);
  }
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('any id is found by searching for it', async ({ page, server, world }) => {
  await open(page, server, '/queues');
  for (const [id, address] of [[world.running, `/jobs/${world.running}`], [world.parent, `/workflows/${world.parent}`], ['encoder-1', '/workers/encoder-1'], [world.schedule, `/schedules/${world.schedule}`]] as const) {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await expect(page.getByRole('option').first()).not.toContainText('page');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(server.url + address);
  }
});

test('a filter is in the address, and a link shows the same list', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/jobs');
  await page.getByRole('button', { name: 'running', exact: true }).click();
  await page.getByLabel('Queue').fill('video');
  await page.getByLabel('Queue').press('Enter');
  await expect(page).toHaveURL(/\/jobs\?state=running&queue=video/);
  await expect(page.getByRole('row')).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('row')).toHaveCount(1);
  await expect(page.getByLabel('Command line', { exact: true })).toHaveText('muster job list --queue video --state running');
});
