// Who may look and who may act: the sign-in, its end, and a token that only reads.
import { test as base } from '@playwright/test';
import { confirm, expect, open, settled, watch } from './fixtures';
import { Server } from './server';

const OPERATOR = 'operator-operator-operator';
const READER = 'reader-reader-reader-reader';
const TOKENS = `boss = { role = "operator", token = "${OPERATOR}" }\neye = { role = "read-only", token = "${READER}" }\n`;

const test = base.extend<{ own: Server }>({
  own: async ({ page }, use) => {
    const server = await new Server(TOKENS, OPERATOR).start();
    const troubles = watch(page, () => server.url);
    await use(server);
    await server.remove();
    expect(troubles).toEqual([]);
  },
});

async function signIn(page: import('@playwright/test').Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('a token is asked for, a wrong one refused, and the right one opens the page that was wanted', async ({ page, own }) => {
  await own.job({ type: 'mine', queue: 'q' });
  await page.goto(`${own.url}/jobs?queue=q`);
  await signIn(page, 'wrong-wrong-wrong-wrong');
  await expect(page.getByRole('alert')).toContainText('unauthenticated');
  await signIn(page, OPERATOR);
  await settled(page);
  await expect(page.getByRole('row').filter({ hasText: 'mine' })).toBeVisible();
  await expect(page.getByRole('status', { name: 'Connection: live' })).toBeVisible();
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage }))).not.toContain(OPERATOR);
});

test('a session that ends is said, and the page goes on where it was', async ({ page, own }) => {
  await own.job({ type: 'mine', queue: 'q' });
  await page.goto(`${own.url}/jobs?queue=q`);
  await signIn(page, OPERATOR);
  await expect(page.getByRole('row')).toHaveCount(1);
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'Queues' }).click();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await signIn(page, OPERATOR);
  await expect(page.locator('#main h1')).toHaveText('Queues');
  await expect(page.locator('tbody')).toContainText('q');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByLabel('Token')).toBeVisible();
});

test('a one-time link signs in once', async ({ page, own, browser }) => {
  const { path } = await own.call('POST', '/sign-in/links');
  await page.goto(own.url + path);
  await settled(page);
  await expect(page.locator('#main h1')).toHaveText('Overview');
  expect(page.url()).not.toContain('link=');
  const other = await browser.newPage();
  await other.goto(own.url + path);
  await expect(other.getByLabel('Token')).toBeVisible();
  await expect(other.getByRole('alert')).toContainText('used already');
  await expect(other.getByLabel('Command line', { exact: true })).toHaveText('muster dashboard');
  await other.close();
});

test('a link that comes to a page that is open is taken, and whoever is signed in is asked first', async ({ page, own }) => {
  await page.goto(own.url);
  await signIn(page, READER);
  await settled(page);
  const { path } = await own.call('POST', '/sign-in/links');
  await page.goto(own.url + path);
  await expect(page.getByRole('dialog')).toContainText('You are signed in as eye');
  expect(page.url()).not.toContain('link=');
  await confirm(page, 'Sign in');
  await expect(page.getByTitle('boss: operator')).toBeVisible();
});

test('a tab that wants a sign-in goes on when another one has signed in', async ({ page, own }) => {
  await page.goto(`${own.url}/queues`);
  await expect(page.getByLabel('Token')).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(own.url);
  await signIn(other, OPERATOR);
  await expect(page.locator('#main h1')).toHaveText('Queues');
  await expect(page.getByLabel('Token')).toHaveCount(0);
  await other.close();
});

test('a token that reads sees everything and no button that changes anything', async ({ page, own }) => {
  const { id } = await own.job({ type: 'mine', queue: 'q' });
  await own.call('POST', '/workers', { id: 'w1', queues: ['q'] });
  await own.call('POST', '/agents', { name: 'support', model: 'a-model' });
  const session = (await own.call('POST', '/sessions', {})).id as string;
  await page.goto(own.url);
  await signIn(page, READER);
  await settled(page);
  const changing = page.locator('main').getByRole('button', { name: /^(Cancel|Retry|Pause|Resume|Drain|Limits|Start|New schedule|Trigger|Delete|Back up|Run|Signal|Terminate|Install|Uninstall|Ask|Go on|Approve|Deny)/ });
  for (const path of ['/', '/jobs', `/jobs/${id}`, '/jobs?queue=q', '/queues', '/workers', '/workers/w1', '/workflows', '/schedules', '/plans', '/agents', `/sessions/${session}`, '/cluster', '/server']) {
    await open(page, own, path);
    await expect(changing).toHaveCount(0);
    await expect(page.locator('main').getByRole('checkbox')).toHaveCount(0);
  }
  await expect(page.getByRole('link', { name: 'Audit' })).toHaveCount(0);
});
