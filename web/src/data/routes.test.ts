import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from './browser_testing';

describe('optional routes', () => {
  let refused: string[];
  let browser: ReturnType<typeof fakeBrowser>;
  const load = async () => {
    const [connection, identity, namespace, routes] = await Promise.all([import('./connection'), import('./identity'), import('./namespace'), import('./routes')]);
    routes.watchRoutes();
    identity.identity.value = { name: 'boss', role: 'operator' };
    await vi.waitFor(() => expect(routes.available.value.size).toBeGreaterThan(0));
    return { ...connection, ...identity, ...namespace, ...routes };
  };
  beforeEach(() => {
    refused = [];
    browser = fakeBrowser(({ path }) => new Response('{}', { status: refused.some((part) => path.includes(part)) ? 403 : 200 }));
  });
  afterEach(() => vi.unstubAllGlobals());

  it('about the whole server are absent for whoever is refused, those of namespaces are not', async () => {
    refused = ['history', 'config', 'agents'];
    const { available } = await load();
    expect([...available.value].sort()).toEqual(['agents', 'lanes', 'packages']);
  });
  it.each(['namespace', 'reader', 'session'])('are asked about again with another %s', async (what) => {
    refused = ['history'];
    const { available, chooseNamespace, identity, readAnew } = await load();
    expect(available.value.has('history')).toBe(false);
    refused = [];
    if (what === 'namespace') chooseNamespace('team-a');
    else if (what === 'reader') identity.value = { name: 'boss', role: 'operator', namespaces: ['a'] };
    else readAnew();
    await vi.waitFor(() => expect(available.value.has('history')).toBe(true));
  });
  it('are not asked about again for the same reader, nor while a sign-in is needed', async () => {
    const { identity, readAnew, signInNeeded } = await load();
    const before = browser.asked.length;
    identity.value = { name: 'boss', role: 'operator' };
    signInNeeded.value = true;
    readAnew();
    expect(browser.asked.length).toBe(before);
  });
});
