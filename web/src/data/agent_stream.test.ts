import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from './browser_testing';

class Stream extends EventTarget {
  static readonly opened: Stream[] = [];
  isClosed = false;
  onerror: () => void = () => undefined;

  constructor(readonly address: string) {
    super();
    Stream.opened.push(this);
  }
  close() {
    this.isClosed = true;
  }
  say(type: string, lastEventId = '', data = '{}') {
    this.dispatchEvent(Object.assign(new Event(type), { data, lastEventId }));
  }
}

const newest = () => Stream.opened.at(-1)!;
const isOpen = () => Stream.opened.some((one) => !one.isClosed);

describe('the stream of a run', () => {
  let browser: ReturnType<typeof fakeBrowser>;
  let listener: { take: ReturnType<typeof vi.fn>; moved: ReturnType<typeof vi.fn> };
  const follow = async () => {
    const [connection, { followRun }] = await Promise.all([import('./connection'), import('./agent_stream')]);
    return { ...connection, leave: followRun('r1', 'default', listener) };
  };
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
    Stream.opened.length = 0;
    browser = fakeBrowser(() => new Response('ok'));
    vi.stubGlobal('EventSource', Stream);
    listener = { take: vi.fn(), moved: vi.fn() };
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it('is heard, and goes on behind the last event after a break', async () => {
    await follow();
    newest().say('text_delta', '7', '{"text":"Hi"}');
    newest().say('state', '8');
    expect(listener.take).toHaveBeenCalledWith({ type: 'text_delta', text: 'Hi' });
    expect(listener.moved).toHaveBeenCalledOnce();
    newest().onerror();
    vi.advanceTimersByTime(500);
    expect(newest().address).toBe('/api/v1/agent-runs/r1/stream?namespace=default&last_event_id=8');
  });
  it('rests while the page is hidden for more than a moment', async () => {
    await follow();
    browser.hide(true);
    vi.advanceTimersByTime(9000);
    expect(isOpen()).toBe(true);
    vi.advanceTimersByTime(2000);
    expect(isOpen()).toBe(false);
    newest().onerror();
    vi.advanceTimersByTime(60_000);
    expect(Stream.opened.length).toBe(1);
    browser.hide(false);
    expect([isOpen(), Stream.opened.length]).toEqual([true, 2]);
  });
  it('rests while a sign-in is needed, also with a break behind it', async () => {
    const { readAnew, signInNeeded } = await follow();
    newest().onerror();
    signInNeeded.value = true;
    vi.advanceTimersByTime(60_000);
    readAnew();
    expect([isOpen(), Stream.opened.length]).toEqual([false, 1]);
    signInNeeded.value = false;
    expect([isOpen(), Stream.opened.length]).toEqual([true, 2]);
  });
  it('is opened less and less often when it breaks off, and at the first pace again when something is heard', async () => {
    await follow();
    const opensWithin = (ms: number) => {
      newest().onerror();
      vi.advanceTimersByTime(ms - 1);
      const early = isOpen();
      vi.advanceTimersByTime(1);
      return !early && isOpen();
    };
    expect([500, 1000, 2000, 4000, 8000, 10_000, 10_000].map(opensWithin)).not.toContain(false);
    newest().say('state', '1');
    expect(opensWithin(500)).toBe(true);
  });
  it('is opened at once when the server is back', async () => {
    const { readAnew } = await follow();
    newest().onerror();
    readAnew();
    expect(isOpen()).toBe(true);
    vi.advanceTimersByTime(60_000);
    expect(Stream.opened.length).toBe(2);
  });
  it('is over when the run is', async () => {
    const { readAnew } = await follow();
    newest().say('run.finished');
    expect(listener.moved).toHaveBeenCalledOnce();
    readAnew();
    expect([isOpen(), Stream.opened.length]).toEqual([false, 1]);
  });
  it('is left', async () => {
    const { leave, readAnew } = await follow();
    newest().onerror();
    leave();
    readAnew();
    vi.advanceTimersByTime(60_000);
    expect(Stream.opened.length).toBe(1);
  });
});
