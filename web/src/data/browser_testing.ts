// As much of a browser as what stands in data/ asks for, for tests that run without one. Import the module under test after it.
import { vi } from 'vitest';

export interface Asked {
  path: string;
  authorization: string | null;
}

class Channel extends EventTarget {
  static readonly all: Channel[] = [];

  constructor(readonly name: string) {
    super();
    Channel.all.push(this);
  }

  postMessage(data: unknown): void {
    for (const other of Channel.all) if (other !== this && other.name === this.name) other.dispatchEvent(new MessageEvent('message', { data }));
  }
}

/** `reply` is what the server answers; throwing in it is a server that is away. */
export function fakeBrowser(reply: (asked: Asked) => Response | Promise<Response> = () => new Response(null, { status: 404 })) {
  vi.resetModules();
  Channel.all.length = 0;
  const page = Object.assign(new EventTarget(), { hidden: false });
  const window = new EventTarget();
  const location = { hash: '', pathname: '/', search: '', origin: 'http://muster.test' };
  const asked: Asked[] = [];
  const history = {
    replaceState: (_state: unknown, _title: string, address: string) => {
      location.hash = new URL(address, location.origin).hash;
    },
  };
  vi.stubGlobal('document', page);
  vi.stubGlobal('location', location);
  vi.stubGlobal('history', history);
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    // As a browser does: what no header can carry is thrown here.
    const one = { path, authorization: new Headers(init?.headers).get('authorization') };
    asked.push(one);
    return reply(one);
  });
  return {
    asked,
    location,
    focus: () => window.dispatchEvent(new Event('focus')),
    hide: (isHidden: boolean) => {
      page.hidden = isHidden;
      page.dispatchEvent(new Event('visibilitychange'));
    },
    goTo: (hash: string) => {
      location.hash = hash;
      window.dispatchEvent(new Event('hashchange'));
    },
    otherTab: () => new Channel('muster.session'),
  };
}

export function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status });
}
