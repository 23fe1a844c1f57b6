// Whatever a payload, a name or a message holds, it is read and never run: the guard of every test fails on a dialog, a thrown error, a
// violated policy or a request to another host.
import { expect, open, test } from './fixtures';
import { Worker } from './world';

const BAD = `</script><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>"'\`{{7*7}}\${7*7}`;
const TURNED = 'invoice\u202egnp.exe\u0007\u001b[31m\u200b';

test('markup, control characters and marks of direction are shown as what they are', async ({ page, server, world }) => {
  void world;
  const worker = await Worker.register(server, 'hostile', { queues: ['hostile'], slots: 4 });
  const { id } = await server.job({ type: 'hostile', queue: 'hostile', retry: { attempts_max: 1 }, payload: { [BAD]: BAD, turned: TURNED, __proto__x: { polluted: true } }, labels: { note: 'a<b>' } });
  const job = await worker.claim('hostile');
  await server.call('POST', `/jobs/${job.id}/feedback`, { fence: job.fence, chunks: [{ channel: 'stdout', text: `${BAD}\n${TURNED}\n` }] });
  await worker.settle('fail', job, { error: { kind: 'bad', message: BAD + TURNED } });
  await open(page, server, `/jobs/${id}`);
  const payload = page.getByRole('region', { name: 'Payload' });
  await expect(payload).toContainText('</script><script>alert(1)</script>');
  await expect(payload).toContainText('‹U+202E›');
  await expect(page.getByLabel('Why')).toContainText('onerror=alert(2)');
  await page.getByRole('tab', { name: 'Output' }).click();
  await expect(page.getByRole('log', { name: 'Output' })).toContainText('␛[31m');
  for (const tab of ['Result', 'Logs', 'Everything']) await page.getByRole('tab', { name: tab }).click();
  await open(page, server, '/jobs?type=hostile');
  await expect(page.getByRole('row')).toContainText('<script>');
  expect(await page.locator('main script, main img').count()).toBe(0);
});

test('five megabytes of JSON are looked at without waiting', async ({ page, server, world }) => {
  void world;
  const rows = Array.from({ length: 30_000 }, (_, at) => ({ at, name: `row ${at}`, tags: ['a', 'b', 'c'], text: 'x'.repeat(30) }));
  expect(2 * JSON.stringify(rows).length).toBeGreaterThan(5_000_000);
  const worker = await Worker.register(server, 'large', { queues: ['large'], slots: 1 });
  const { id } = await server.job({ type: 'large', queue: 'large', payload: rows });
  await worker.settle('complete', await worker.claim('large'), { result: rows });
  await open(page, server, `/jobs/${id}`);
  const payload = page.getByRole('region', { name: 'Payload' });
  await payload.getByRole('button', { name: '… 29900 more' }).click();
  await expect(payload.getByRole('button', { name: '… 29800 more' })).toBeVisible();
  for (const tab of ['Result', 'Everything']) await page.getByRole('tab', { name: tab }).click();
  expect(await page.locator('.json .line').count()).toBeLessThan(1000);
});

test('what does not exist, and what is of another namespace, is said', async ({ page, server, world }) => {
  void world;
  await open(page, server, '/jobs/00000000-0000-7000-8000-000000000000');
  await expect(page.locator('main').getByRole('alert').first()).toContainText('not_found');
  await open(page, server, '/jobs/..%2f..%2fetc');
  await expect(page.locator('main').getByRole('alert').first()).toBeVisible();
  await open(page, server, '/workers/encoder-1?namespace=elsewhere');
  await expect(page.locator('main').getByRole('alert').first()).toContainText('not_found');
});
