// `muster serve` as a child process in a folder of its own, and calls of its API as any program makes them.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MUSTER = process.env.MUSTER ?? fileURLToPath(new URL('../../build/muster', import.meta.url));
const READY = /^muster ready resp=\S+ grpc=\S+ http=(\S+) store=/;

export class Server {
  private process: ChildProcess | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'muster-dashboard-'));
  private address = '127.0.0.1:0';

  /** `tokens` is the text of `[auth.tokens]`; without any, loopback is open. `env` comes on top of this program's environment. */
  constructor(
    private readonly tokens = '',
    private readonly token = '',
    private readonly env: Record<string, string> = {},
  ) {}

  get url(): string {
    return `http://${this.address}`;
  }

  /** On the address it had before, so that a page that is open finds it again. */
  async start(): Promise<this> {
    const config = join(this.folder, 'muster.toml');
    writeFileSync(config, this.tokens ? `[auth.tokens]\n${this.tokens}` : '', { mode: 0o600 });
    const child = spawn(MUSTER, ['serve', '--config', config, '--data-dir', join(this.folder, 'data'), '--http', this.address, '--resp', 'off', '--grpc', 'off'], {
      stdio: ['ignore', 'pipe', openSync(join(this.folder, 'stderr'), 'a')],
      env: { ...process.env, ...this.env },
    });
    this.process = child;
    for await (const line of createInterface({ input: child.stdout! })) {
      const ready = READY.exec(line);
      if (!ready) continue;
      this.address = ready[1]!;
      child.stdout!.resume();
      return this;
    }
    throw new Error(`the server ended before it was ready: ${readFileSync(join(this.folder, 'stderr'), 'utf8')}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.process;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
    this.process = undefined;
  }

  /** A file below its data folder, such as an archive of a package. */
  put(path: string, content: string): void {
    const file = join(this.folder, 'data', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(this.token && { authorization: `Bearer ${this.token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  job(spec: Record<string, unknown>): Promise<{ id: string }> {
    return this.call('POST', '/jobs', spec);
  }
}
