// Which optional routes the server has. Their pages appear in the navigation when a first question is answered, and are hidden on servers
// that lack the route or do not run what it is about.
import { signal } from '@preact/signals';
import { isAccepted, isAnswered } from '../rules/probes';

export type Optional = 'lanes' | 'agents' | 'packages' | 'history' | 'settings' | 'act' | 'search';

/** A question to ask; with a method before it, whether the path accepts that. */
const PROBES: Record<Optional, string> = {
  lanes: '/api/v1/lanes?limit=1',
  agents: '/api/v1/agents?limit=1',
  packages: '/api/v1/packages?limit=1',
  history: '/api/v1/metrics/history?span=hour&since=2100-01-01T00:00:00.000Z',
  settings: '/api/v1/server/config',
  act: 'POST /api/v1/jobs/act',
  search: 'GET /api/v1/search',
};

export const available = signal<ReadonlySet<Optional>>(new Set());

export async function probeRoutes(): Promise<void> {
  const found = await Promise.all(
    (Object.entries(PROBES) as [Optional, string][]).map(async ([name, probe]) => ((await isThere(probe).catch(() => false)) ? name : undefined)),
  );
  available.value = new Set(found.filter((name) => name !== undefined));
}

async function isThere(probe: string): Promise<boolean> {
  const [path, method] = probe.split(' ').reverse() as [string, string?];
  if (!method) return isAnswered((await fetch(path)).status);
  return isAccepted(method, (await fetch(path, { method: 'OPTIONS' })).headers.get('allow'));
}
