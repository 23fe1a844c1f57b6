// What every test has: a page that fails the test when a policy is violated, a script throws, or anything is asked of another host.
import { test as base, expect, type Page } from '@playwright/test';
import { Peer } from './peers';
import { Server } from './server';
import { makeWorld, type World } from './world';

interface OwnServer {
  model: Peer;
  server: Server;
  world: World;
}

export interface Watched {
  /** What happened that must not. */
  troubles: string[];
}

export function watch(page: Page, server: () => string): string[] {
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(`threw: ${error.message}`));
  page.on('dialog', (dialog) => {
    troubles.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) troubles.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server()) && !url.startsWith('data:')) troubles.push(`asked another host: ${url}`);
  });
  return troubles;
}

export const test = base.extend<{ guarded: void }, OwnServer>({
  model: [
    async ({}, use) => {
      const model = await Peer.model();
      await use(model);
      await model.end();
    },
    { scope: 'worker' },
  ],
  server: [
    async ({ model }, use) => {
      const server = await new Server('', '', model.agents).start();
      await use(server);
      await server.remove();
    },
    { scope: 'worker' },
  ],
  world: [
    async ({ server }, use) => {
      const world = await makeWorld(server);
      const worker = await Peer.astraflow(server);
      await expect.poll(async () => (await server.call('GET', '/packages')).packages.length).toBeGreaterThan(0);
      await use(world);
      await worker.end();
    },
    { scope: 'worker' },
  ],
  guarded: [
    async ({ page, server }, use) => {
      const troubles = watch(page, () => server.url);
      await use();
      expect(troubles).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The page's own answer is there: no place is kept for it any more. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('#main h1')).toBeVisible();
  await expect(page.locator('.skeleton')).toHaveCount(0);
}

export async function open(page: Page, server: Server, path: string): Promise<void> {
  await page.goto(server.url + path);
  await settled(page);
}

/** Says yes in the open dialog, and waits until it is gone. */
export async function confirm(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Command line', { exact: true })).toContainText('muster ');
  await dialog.getByRole('button', { name: verb }).click();
  await expect(dialog).toBeHidden();
}
