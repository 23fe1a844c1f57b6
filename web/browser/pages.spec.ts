// Every page in light, in dark and at 360 px: it shows what it is about, axe finds nothing serious, and nothing is wider than the window.
// The pictures are kept beside the build.
import AxeBuilder from '@axe-core/playwright';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, open, settled, test } from './fixtures';
import type { World } from './world';

const PICTURES = process.env.DASHBOARD_PICTURES ?? fileURLToPath(new URL('../../build/dashboard', import.meta.url));

interface Shown {
  name: string;
  path: (world: World) => string;
  shows: string | RegExp;
}

const PAGES: Shown[] = [
  { name: 'overview', path: () => '/', shows: 'Needs a look' },
  { name: 'jobs', path: () => '/jobs?state=scheduled,running,completed,dead', shows: 'mail.send' },
  { name: 'job', path: (world) => `/jobs/${world.dead}`, shows: '550 mailbox unavailable' },
  { name: 'running-job', path: (world) => `/jobs/${world.running}`, shows: 'pass 1 of 2' },
  { name: 'queues', path: () => '/queues', shows: 'month end' },
  { name: 'lanes', path: () => '/lanes', shows: 'label:gpu=1' },
  { name: 'workers', path: () => '/workers', shows: 'encoder-1' },
  { name: 'worker', path: () => '/workers/encoder-1', shows: 'tool:ffmpeg' },
  { name: 'workflows', path: () => '/workflows', shows: 'order' },
  { name: 'run', path: (world) => `/workflows/${world.parent}`, shows: 'it waits for signal' },
  { name: 'schedules', path: () => '/schedules', shows: 'daily report' },
  { name: 'schedule', path: (world) => `/schedules/${world.schedule}`, shows: 'Next fires' },
  { name: 'plans', path: () => '/plans', shows: 'count-lines' },
  { name: 'plan', path: () => '/plans/count-lines', shows: 'input_from_task' },
  { name: 'action', path: (world) => `/actions/${world.action}`, shows: '0 of 24' },
  { name: 'agents', path: () => '/agents', shows: 'support' },
  { name: 'agent-run', path: (world) => `/agent-runs/${world.asking}`, shows: 'Approve' },
  { name: 'sessions', path: () => '/sessions', shows: 'customer' },
  { name: 'session', path: (world) => `/sessions/${world.session}`, shows: 'You said: My parcel is late.' },
  { name: 'packages', path: () => '/packages', shows: 'demo.pkg' },
  { name: 'package', path: () => '/packages/demo.pkg', shows: 'demo.echo' },
  { name: 'cluster', path: () => '/cluster', shows: 'Leader' },
  { name: 'audit', path: () => '/audit', shows: 'queue.pause' },
  { name: 'server', path: () => '/server', shows: 'sqlite' },
  { name: 'nowhere', path: () => '/nowhere', shows: 'shows no page' },
];

async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  return violations
    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary?.split('\n')[1]?.trim() ?? ''})`).join('; ')}`);
}

for (const shown of PAGES) {
  test(`the page ${shown.name} is readable in light and dark, and on a phone`, async ({ page, server, world }) => {
    await open(page, server, shown.path(world));
    await expect(page.locator('main')).toContainText(shown.shows);
    await page.screenshot({ path: `${PICTURES}/${shown.name}-light.png` });
    expect(await seriousFindings(page)).toEqual([]);

    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: `${PICTURES}/${shown.name}-dark.png` });
    expect(await seriousFindings(page, ['color-contrast'])).toEqual([]);

    await page.setViewportSize({ width: 360, height: 740 });
    await settled(page);
    await page.screenshot({ path: `${PICTURES}/${shown.name}-narrow.png` });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
}

test('the first view costs less than 120 kB over the wire', async ({ page, server, world }) => {
  void world;
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize, () => 0)));
  await page.goto(server.url);
  await expect(page.locator('.figure .value').first()).not.toHaveText('–');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  console.log(`first view: ${bytes} bytes in ${sizes.length} answers`);
  expect(bytes).toBeLessThan(120_000);
});
