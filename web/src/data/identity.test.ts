import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBrowser, json } from './browser_testing';

const BOSS = { name: 'boss', role: 'operator', signed_in: true };
const EYE = { name: 'eye', role: 'read-only', signed_in: true };

describe('who is looking', () => {
  let whoami: () => Response | Promise<Response>;
  let browser: ReturnType<typeof fakeBrowser>;
  const asks = () => browser.asked.filter((one) => one.path === '/api/v1/whoami').length;
  const load = async () => {
    const [connection, identity, tabs] = await Promise.all([import('./connection'), import('./identity'), import('./other_tabs')]);
    tabs.watchSession(() => void identity.readIdentity());
    await identity.readIdentity();
    return { ...connection, ...identity };
  };
  beforeEach(() => {
    whoami = () => json(401, {});
    browser = fakeBrowser(({ path }) => (path === '/api/v1/whoami' ? whoami() : json(200, BOSS)));
  });
  afterEach(() => vi.unstubAllGlobals());

  it('is known to a tab that wanted a sign-in when another tab has signed in, and the page goes on', async () => {
    const { epoch, identity, signInNeeded } = await load();
    expect(signInNeeded.value).toBe(true);
    whoami = () => json(200, BOSS);
    browser.otherTab().postMessage('changed');
    await vi.waitFor(() => expect(signInNeeded.value).toBe(false));
    expect([identity.value, epoch.value]).toEqual([BOSS, 1]);
  });
  it.each(['focus', 'sight'])('is asked again when a tab that wants a sign-in comes back into %s', async (how) => {
    const { epoch, signInNeeded } = await load();
    whoami = () => json(200, BOSS);
    if (how === 'focus') browser.focus();
    else browser.hide(false);
    await vi.waitFor(() => expect(signInNeeded.value).toBe(false));
    expect(epoch.value).toBe(1);
  });
  it('is not asked for by a tab that wants no sign-in, nor by one that is hidden', async () => {
    const { signInNeeded } = await load();
    browser.hide(true);
    signInNeeded.value = false;
    browser.hide(false);
    browser.focus();
    expect(asks()).toBe(1);
  });
  it('is somebody else when another tab signed in as such, and what is kept of the first is forgotten', async () => {
    whoami = () => json(200, BOSS);
    const { identity } = await load();
    const { readers } = await import('./kept');
    whoami = () => json(200, EYE);
    browser.otherTab().postMessage('changed');
    await vi.waitFor(() => expect(identity.value).toEqual(EYE));
    expect(readers.value).toBe(1);
  });
  it('is told to other tabs when it changes here', async () => {
    const { signIn, signOut } = await load();
    const heard = vi.fn();
    browser.otherTab().addEventListener('message', heard);
    await signIn('Bearer', 'token');
    await signOut();
    expect(heard).toHaveBeenCalledTimes(2);
  });
  it('is not what a question says that a sign-in has overtaken', async () => {
    const { identity, readIdentity, signIn, signInNeeded } = await load();
    let answer: (response: Response) => void = () => undefined;
    whoami = () => new Promise<Response>((resolve) => (answer = resolve));
    const late = readIdentity();
    await signIn('Bearer', 'token');
    answer(json(401, {}));
    await late;
    expect([identity.value, signInNeeded.value]).toEqual([BOSS, false]);
  });
  it.each(['“token”', 'ток', 'a\u200bb'])('is not asked with the token %j, which no header carries', async (token) => {
    const { lostSince, signIn } = await load();
    await expect(signIn('Bearer', token)).rejects.toMatchObject({ code: 'invalid_argument', detail: expect.stringContaining('the token holds a character') as string });
    expect([browser.asked.length, lostSince.value]).toEqual([1, 0]);
  });
});
