// The dashboard in a real browser against the shipped program. `npm run browser` runs it on build/muster, or on the program that MUSTER names.
import { defineConfig } from '@playwright/test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const patience = Number(process.env.MUSTER_TEST_PATIENCE_SECONDS ?? '60') * 1000;

export default defineConfig({
  testDir: 'browser',
  outputDir: process.env.DASHBOARD_OUTPUT ?? `${root}build/dashboard/traces`,
  timeout: 2 * patience,
  expect: { timeout: patience / 2 },
  workers: 2,
  reporter: [['list']],
  // Pages have a world of their own, which no action changes: their pictures are always the same.
  projects: [
    { name: 'pages', testMatch: /pages\.spec/ },
    { name: 'behaviour', testIgnore: /pages\.spec/ },
  ],
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--disable-gpu', '--disable-dev-shm-usage'] },
    viewport: { width: 1360, height: 860 },
    colorScheme: 'light',
    timezoneId: 'Europe/Berlin',
  },
});
