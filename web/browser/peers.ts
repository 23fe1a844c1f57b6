// The programs beside the server: the stand-in for the model's API, and a worker of AstraFlow with a package.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Server } from './server';

const STAND_IN = process.env.CLAUDE_STAND_IN ?? fileURLToPath(new URL('../../build/tests/claude_stand_in', import.meta.url));
const WORKER = fileURLToPath(new URL('../../tests/blackbox/ws_worker.py', import.meta.url));
const KEY = 'sk-test-0123456789-very-secret';

/** What the model says: it wants the weather once, tells what it heard, and can take its time. */
const SCRIPT = {
  rules: [
    { match: { tool_result: '*' }, text: 'It is {{tool_results}}.', usage: { input_tokens: 120, output_tokens: 12 } },
    { match: { last_user: 'weather' }, blocks: [{ type: 'text', text: 'Let me look.' }, { type: 'tool_use', id: 'look', name: 'get_weather', input: { city: 'Oslo' } }] },
    { match: { last_user: 'slowly' }, text: 'word ', repeat: 5000, token_ms: 50 },
    { text: 'You said: {{last_user}}' },
  ],
};

/** A child process in a folder of its own; both are gone when `end` is through. */
export class Peer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    /** What it printed first. */
    readonly said: string,
  ) {}

  private static async start(command: string, argumentsIn: (folder: string) => string[]): Promise<Peer> {
    const folder = mkdtempSync(join(tmpdir(), 'muster-dashboard-peer-'));
    const child = spawn(command, argumentsIn(folder), { stdio: ['ignore', 'pipe', 'ignore'] });
    const failed = new Promise<never>((_, reject) => child.once('error', reject));
    failed.catch(() => undefined);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const first = await Promise.race([lines.next(), failed]);
    if (first.done) throw new Error(`${command} ended before it said anything`);
    child.stdout!.resume();
    return new Peer(child, folder, first.value);
  }

  static model(): Promise<Peer> {
    return Peer.start(STAND_IN, (folder) => {
      const script = join(folder, 'script.json');
      writeFileSync(script, JSON.stringify(SCRIPT));
      return ['--script', script, '--key', KEY];
    });
  }

  /** It has `demo.pkg` 1.0.0, and does not act on what it is told to install. */
  static astraflow(server: Server): Promise<Peer> {
    return Peer.start('python3', (folder) => ['-B', WORKER, new URL(server.url).host, join(folder, 'ledger'), '1']);
  }

  /** The environment of a server that asks this stand-in. */
  get agents(): Record<string, string> {
    return { MUSTER_AGENTS_BASE_URL: `http://${this.said.split('=')[1]}`, ANTHROPIC_API_KEY: KEY };
  }

  async end(): Promise<void> {
    if (this.process.exitCode === null) {
      const ended = new Promise((resolve) => this.process.once('exit', resolve));
      this.process.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
