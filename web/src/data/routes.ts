// Which optional routes the server has for this reader. Their pages appear in the navigation when a first question is answered, and are hidden
// on servers that lack the route or do not run what it is about, and from readers who may see nothing of it.
import { computed, signal } from '@preact/signals';
import { isAccepted, isAnswered, isAnsweredSomewhere } from '../rules/probes';
import { readerKey } from '../rules/standing';
import { epoch, signInNeeded } from './connection';
import { identity } from './identity';
import { namespace } from './namespace';

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

/** They know no namespace: a 403 says that this reader has nothing of them. */
const WHOLE_SERVER: ReadonlySet<Optional> = new Set(['history', 'settings']);

export const available = signal<ReadonlySet<Optional>>(new Set());

/** What the answers depend on; empty while nobody would get any. A server that was away may be another version when it is back. */
const asker = computed(() => (identity.value && !signInNeeded.value ? JSON.stringify([readerKey(identity.value), namespace.value, epoch.value]) : ''));
let turns = 0;

export function watchRoutes(): void {
  asker.subscribe((who) => {
    if (who) void probeRoutes();
  });
}

async function probeRoutes(): Promise<void> {
  const turn = (turns += 1);
  const found = await Promise.all((Object.keys(PROBES) as Optional[]).map(async (name) => ((await isThere(name).catch(() => false)) ? name : undefined)));
  // Slow answers for the reader before must not stand for this one.
  if (turn !== turns) return;
  available.value = new Set(found.filter((name) => name !== undefined));
}

async function isThere(name: Optional): Promise<boolean> {
  const [path, method] = PROBES[name].split(' ').reverse() as [string, string?];
  if (!method) return (WHOLE_SERVER.has(name) ? isAnswered : isAnsweredSomewhere)((await fetch(path)).status);
  return isAccepted(method, (await fetch(path, { method: 'OPTIONS' })).headers.get('allow'));
}
