// `npm run bench -- http://127.0.0.1:8080`: what the dashboard of a running server costs a browser. Prints one JSON object:
//   first_view: bytes over the wire, answers, and when the first figures stood there (milliseconds after the navigation began)
//   scroll: a list of a million jobs scrolled to its end and back; processor time of the page's main thread per frame, so that a busy
//           machine changes the figure little; a step is a call into the page and two frames. The list's pages are answered by this program, not by the server.
import { chromium } from 'playwright-core';

const [server = 'http://127.0.0.1:8080', wanted = '1000000'] = process.argv.slice(2);
const JOBS = Number(wanted);
const PAGE = 200;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--disable-gpu', '--disable-dev-shm-usage'] });

async function firstView() {
  const views = [];
  for (let i = 0; i < 5; i += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const sizes = [];
    page.on('requestfinished', (request) => sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize, () => 0)));
    await page.goto(server);
    const usable = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const look = () => (/\d/.test(document.querySelector('.figure .value')?.textContent ?? '') ? resolve(performance.now()) : requestAnimationFrame(look));
          look();
        }),
    );
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    views.push({ bytes, answers: sizes.length, usable_ms: Math.round(usable) });
    await context.close();
  }
  return views.sort((a, b) => a.usable_ms - b.usable_ms)[Math.floor(views.length / 2)];
}

function jobsFrom(start) {
  const states = ['completed', 'completed', 'running', 'ready', 'dead'];
  return Array.from({ length: Math.min(PAGE, JOBS - start) }, (_, at) => ({
    id: `00000000-0000-7000-8000-${String(start + at).padStart(12, '0')}`,
    state: states[(start + at) % states.length],
    namespace: 'default',
    queue: 'mail',
    type: 'mail.send',
    attempt: 1,
    retry: { attempts_max: 5 },
    worker: `worker-${at % 40}`,
    labels: { customer: String(at % 97) },
    created_at: '2026-11-18T12:00:00.000Z',
  }));
}

async function scroll() {
  const page = await browser.newPage({ viewport: { width: 1360, height: 860 } });
  await page.route('**/api/v1/jobs?*', (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get('cursor') ?? '0');
    const next = start + PAGE < JOBS ? { next: String(start + PAGE) } : {};
    return route.fulfill({ json: { jobs: jobsFrom(start), ...next } });
  });
  await page.goto(`${server}/jobs?order=oldest`);
  await page.waitForSelector('[role=row]');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === 'TaskDuration').value * 1000;
  };
  const frames = [];
  const step = async (move) => {
    const before = await busy();
    await page.evaluate(
      (way) =>
        new Promise((resolve) => {
          const view = document.querySelector('.jobs-view');
          view.scrollTop = way === 'end' ? view.scrollHeight : view.scrollTop + way;
          requestAnimationFrame(() => requestAnimationFrame(resolve));
        }),
      move,
    );
    frames.push((await busy()) - before);
  };
  const rows = () => page.evaluate(() => Math.round(document.querySelector('.jobs-space').offsetHeight / 32));
  for (let i = 0; i < 100; i += 1) await step(300);
  let stalled = 0;
  for (let known = await rows(); known < JOBS && stalled < 500; ) {
    await step('end');
    const now = await rows();
    stalled = now === known ? stalled + 1 : 0;
    known = now;
  }
  for (let i = 0; i < 200; i += 1) await step(-900);
  for (let i = 0; i < 50; i += 1) await step(-32 * 15_000);
  frames.sort((a, b) => a - b);
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  return {
    rows: await rows(),
    steps: frames.length,
    cpu_ms_median: round(frames[Math.floor(frames.length / 2)]),
    cpu_ms_p99: round(frames[Math.floor(frames.length * 0.99)]),
    cpu_ms_max: round(frames.at(-1)),
    over_50_ms: frames.filter((frame) => frame > 50).length,
    heap_mb: Math.round(heap / 1e6),
    nodes: await page.evaluate(() => document.querySelectorAll('*').length),
  };
}

const round = (value) => Math.round(value * 10) / 10;

console.log(JSON.stringify({ first_view: await firstView(), scroll: await scroll() }, null, 2));
await browser.close();
