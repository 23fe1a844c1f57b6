import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBrowser, json, type Asked } from './browser_testing';

const BOSS = { name: 'boss', role: 'operator', signed_in: true };
const EYE = { name: 'eye', role: 'read-only', signed_in: true };
const OLD = { code: 'unauthenticated', detail: 'the link was used already, or is too old; `muster dashboard` makes another one' };

describe('a sign-in link', () => {
  let whoami: () => Response;
  let signIn: () => Response;
  let browser: ReturnType<typeof fakeBrowser>;
  const reply = ({ path }: Asked) => (path === '/api/v1/sign-in' ? signIn() : path === '/api/v1/whoami' ? whoami() : new Response('ok'));
  const exchanged = () => browser.asked.filter((one) => one.path === '/api/v1/sign-in').map((one) => one.authorization);
  const load = async () => {
    const [actions, connection, identity, link, notices] = await Promise.all([import('./actions'), import('./connection'), import('./identity'), import('./sign_in_link'), import('./notices')]);
    link.watchLinks();
    await identity.readIdentity();
    return { ...actions, ...connection, ...identity, ...link, ...notices };
  };
  beforeEach(() => {
    vi.useFakeTimers();
    browser = fakeBrowser(reply);
    whoami = () => json(401, {});
    signIn = () => json(200, EYE);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('signs in when the page is loaded, and leaves the address', async () => {
    browser.location.hash = '#link=c0de';
    const { identity, signInNeeded } = await load();
    await vi.waitFor(() => expect(identity.value).toEqual(EYE));
    expect([exchanged(), signInNeeded.value, browser.location.hash]).toEqual([['Link c0de'], false, '']);
  });
  it('signs in when it comes to a page that is open', async () => {
    const { identity } = await load();
    browser.goTo('#link=c0de');
    await vi.waitFor(() => expect(identity.value).toEqual(EYE));
    expect([exchanged(), browser.location.hash]).toEqual([['Link c0de'], '']);
  });
  it('is no link without a code', async () => {
    await load();
    browser.goTo('#main');
    await vi.advanceTimersByTimeAsync(10);
    expect([exchanged(), browser.location.hash]).toEqual([[], '#main']);
  });
  it('says why it does not sign in, until somebody does', async () => {
    signIn = () => json(401, OLD);
    browser.location.hash = '#link=used';
    const { linkFailure, signIn: withToken } = await load();
    await vi.waitFor(() => expect(linkFailure.value?.detail).toBe(OLD.detail));
    signIn = () => json(200, BOSS);
    await withToken('Bearer', 'token');
    expect(linkFailure.value).toBeUndefined();
  });
  it('is said to be none where nobody needs one', async () => {
    whoami = () => json(200, { role: 'operator' });
    signIn = () => json(401, OLD);
    browser.location.hash = '#link=used';
    const { notices } = await load();
    await vi.waitFor(() => expect(notices.value[0]?.text).toBe(OLD.detail));
  });
  it('with a character that no code has fails without being sent', async () => {
    browser.location.hash = '#link=%E2%80%9Ccode%E2%80%9D';
    const { linkFailure, lostSince } = await load();
    await vi.waitFor(() => expect(linkFailure.value?.code).toBe('invalid_argument'));
    expect([exchanged(), lostSince.value]).toEqual([[], 0]);
  });
  it.each(['when the page is loaded', 'when it comes to a page that is open'])('asks whoever is signed in already, %s', async (when) => {
    whoami = () => json(200, BOSS);
    if (when.startsWith('when the page')) browser.location.hash = '#link=c0de';
    const { asked, identity } = await load();
    if (when.startsWith('when it comes')) browser.goTo('#link=c0de');
    await vi.waitFor(() => expect(asked.value?.text).toContain('signed in as boss'));
    expect([exchanged(), identity.value]).toEqual([[], BOSS]);
    expect(await asked.value!.run({}, () => undefined)).toEqual({ text: 'You are signed in as eye' });
    expect([exchanged(), identity.value]).toEqual([['Link c0de'], EYE]);
  });
  it('asks after the dialog that is open', async () => {
    whoami = () => json(200, BOSS);
    const { ask, asked, leave } = await load();
    const other = { title: 'other', verb: 'Do it', command: () => '', run: () => Promise.resolve({ text: 'done' }) };
    ask(other);
    browser.goTo('#link=c0de');
    await vi.advanceTimersByTimeAsync(10);
    expect(asked.value).toBe(other);
    leave(other);
    expect(asked.value?.title).toContain('link');
  });
  it('is sent when the server is back', async () => {
    const away = () => {
      throw new TypeError('no network');
    };
    const { identity, lostSince } = await load();
    signIn = away;
    browser.goTo('#link=c0de');
    await vi.waitFor(() => expect(lostSince.value).not.toBe(0));
    signIn = () => json(200, EYE);
    await vi.advanceTimersByTimeAsync(1000);
    expect([identity.value, exchanged()]).toEqual([EYE, ['Link c0de', 'Link c0de']]);
  });
});
