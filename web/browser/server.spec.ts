// What the server remembers of itself and says about itself: charts of the overview, lanes, health checks, configuration.
import { expect, open, settled, test } from './fixtures';

test('the overview draws what the server has recorded', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/');
  await expect(page.getByRole('img', { name: /^Jobs per second: in now \d/ })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('img', { name: /^Waiting and running: waiting now \d/ })).toBeVisible();
  await page.getByRole('button', { name: 'day', exact: true }).click();
  await expect(page.getByRole('img', { name: /^Workers: / })).toBeVisible();
});

test('lanes that nobody serves stand first and say what is missing', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/lanes');
  await expect(page.getByRole('row').nth(1)).toHaveClass('lane-bad');
  const stuck = page.getByRole('row').filter({ hasText: 'label:gpu=1' });
  await expect(stuck).toContainText('nobody offers');
  await expect(stuck).toHaveClass('lane-bad');
  await page.goto(`${server.url}/lanes?queue=orders`);
  await settled(page);
  await expect(page.getByRole('row').nth(1)).toContainText('clerk-1');
});

test('the server page shows health checks and settings', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/server');
  const checks = page.getByRole('region', { name: 'Health checks' });
  await expect(checks).toContainText('disk space');
  await expect(checks).toContainText('background work');
  await page.getByRole('tab', { name: 'Configuration' }).click();
  await page.getByLabel('Find a setting').fill('listen.http');
  const settings = page.getByRole('region', { name: 'Configuration' });
  await expect(settings.getByRole('row').nth(1)).toContainText('flag --http');
});
