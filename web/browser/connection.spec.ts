// A restart under an open page: it says so, keeps what it shows, and goes on by itself. Rows are live, also after it.
import { test as base } from '@playwright/test';
import { expect, open, watch } from './fixtures';
import { Server } from './server';

const test = base.extend<{ own: Server }>({
  own: async ({ page }, use) => {
    const server = await new Server().start();
    const troubles = watch(page, () => server.url);
    await use(server);
    await server.remove();
    expect(troubles).toEqual([]);
  },
});

test('the page lives through a restart of the server', async ({ page, own }) => {
  await own.job({ type: 'before', queue: 'q' });
  await open(page, own, '/jobs');
  await expect(page.getByRole('status', { name: 'Connection: live' })).toBeVisible();
  await own.stop('SIGKILL');
  await expect(page.getByRole('alert')).toContainText('The server has not answered');
  await expect(page.getByRole('row').filter({ hasText: 'before' })).toBeVisible();
  await own.start();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByRole('status', { name: 'Connection: live' })).toBeVisible();
  await own.job({ type: 'after', queue: 'q' });
  await expect(page.getByRole('row').filter({ hasText: 'after' })).toBeVisible();
});

test('a page opened on an empty server says what to do, and fills by itself', async ({ page, own }) => {
  await open(page, own, '/');
  await expect(page.locator('main')).toContainText('No jobs and no workers yet');
  await open(page, own, '/jobs');
  await expect(page.locator('main')).toContainText('No jobs yet');
  await own.job({ type: 'first', queue: 'q' });
  await expect(page.getByRole('row').filter({ hasText: 'first' })).toBeVisible();
});

test('without events pages poll', async ({ page, own }) => {
  await page.route('**/events?*', (route) => route.abort());
  await open(page, own, '/jobs');
  await own.job({ type: 'polled', queue: 'q' });
  await expect(page.getByRole('row').filter({ hasText: 'polled' })).toBeVisible();
  await expect(page.getByRole('status', { name: 'Connection: polling' })).toBeVisible();
});

test('what the server has recorded is there after a restart', async ({ page, own }) => {
  const points = async () => (await own.call('GET', '/metrics/history')).points as number;
  await expect.poll(points).toBeGreaterThan(0);
  const before = await points();
  await own.stop();
  await own.start();
  expect(await points()).toBeGreaterThanOrEqual(before);
  await open(page, own, '/');
  await expect(page.getByRole('img', { name: /^Jobs per second: in now \d/ })).toBeVisible();
});
