// Where nodes differ. One server has no second node, so what the cluster says is answered here; tests/blackbox/cluster_settings has real ones.
import AxeBuilder from '@axe-core/playwright';
import { expect, open, test } from './fixtures';

const VALUES = (...values: [string, string, number][]) => values.map(([node, value, group]) => ({ node, value, group }));

test('a server that is alone says that there is nothing to compare', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/cluster');
  await expect(page.locator('.card').filter({ hasText: 'Settings that differ' })).toContainText('alone on its store');
});

test('settings that differ stand in a table, the odd ones marked, and a secret says no more than that it differs', async ({ page, server, world }) => {
  void world;
  await page.route('**/api/v1/cluster/settings', (route) =>
    route.fulfill({
      json: {
        nodes: ['a', 'b', 'c'],
        silent: ['old'],
        differing: 2,
        settings: [
          { name: 'retention.completed_kept', own: false, known: true, values: VALUES(['a', '7d', 1], ['b', '30d', 2], ['c', '7d', 1]) },
          { name: 'agents.api_key', own: false, known: true, values: VALUES(['a', '(redacted)', 1], ['b', '(redacted)', 2], ['c', '(redacted)', 1]) },
          { name: 'listen.http', own: true, known: true, values: VALUES(['a', '10.0.0.1:8080', 1], ['b', '10.0.0.2:8080', 2], ['c', '10.0.0.3:8080', 3]) },
        ],
      },
    }),
  );
  await open(page, server, '/cluster');
  const table = page.getByRole('region', { name: 'Settings that differ', exact: true });
  const kept = table.getByRole('row').filter({ hasText: 'retention.completed_kept' });
  await expect(kept.getByRole('cell')).toHaveText(['retention.completed_kept', '7d', '30d', '7d']);
  await expect(kept.getByRole('cell', { name: '30d' })).toHaveClass(/bad/);
  await expect(table.getByRole('row').filter({ hasText: 'agents.api_key' }).getByRole('cell')).toHaveText(['agents.api_key', '(redacted)', '(redacted)', '(redacted)']);
  await expect(table).not.toContainText('listen.http');
  await page.getByText('1 that each node has for itself').click();
  await expect(page.getByRole('region', { name: 'Settings that each node has for itself' })).toContainText('10.0.0.3:8080');
  await expect(page.getByText('old told nothing')).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.filter((one) => one.impact === 'serious' || one.impact === 'critical').map((one) => one.id)).toEqual([]);
});
