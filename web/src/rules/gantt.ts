// The steps of a run as bars over time: every attempt a bar of its own in the step's line, what still goes on open to the right.
import { instant } from './time';

export interface Step {
  id: string;
  name: string;
  kind: 'function' | 'sleep' | 'child' | 'signal';
  state: 'running' | 'waiting' | 'completed' | 'failed';
  attempt: number;
  begun_at?: string;
  finished_at?: string;
  until?: string;
  worker?: string;
  child?: string;
  signal?: string;
  error?: { kind: string; message: string };
}

export interface Bar {
  step: Step;
  /** Shares of the whole width, 0 to 1. */
  left: number;
  width: number;
  isOpen: boolean;
  length: number;
  look: 'work' | 'failed' | 'sleep' | 'signal' | 'child';
}

export interface Line {
  name: string;
  bars: Bar[];
}

export interface Gantt {
  from: number;
  to: number;
  lines: Line[];
  ticks: { share: number; offset: number }[];
}

const BAR_LEAST = 0.004;

export function ganttOf(steps: Step[], now: number): Gantt {
  const begins = steps.map((step) => instant(step.begun_at)).filter((at) => at !== undefined);
  if (begins.length === 0) return { from: now, to: now + 1, lines: [], ticks: [] };
  const from = Math.min(...begins);
  const to = Math.max(from + 1, ...steps.map((step) => instant(step.finished_at) ?? now));
  const span = to - from;
  const lines = new Map<string, Line>();
  for (const step of steps) {
    const begun = instant(step.begun_at);
    if (begun === undefined) continue;
    const ended = instant(step.finished_at);
    const end = Math.max(begun, ended ?? now);
    const line = lines.get(step.name) ?? { name: step.name, bars: [] };
    lines.set(step.name, line);
    const width = Math.max(BAR_LEAST, (end - begun) / span);
    line.bars.push({
      step,
      left: Math.min((begun - from) / span, 1 - width),
      width,
      isOpen: ended === undefined,
      length: end - begun,
      look: lookOf(step),
    });
  }
  return { from, to, lines: [...lines.values()], ticks: ticksOf(span) };
}

function lookOf(step: Step): Bar['look'] {
  if (step.kind === 'sleep' || step.kind === 'signal' || step.kind === 'child') return step.kind;
  return step.state === 'failed' ? 'failed' : 'work';
}

/** Four to eight round distances from the beginning. */
export function ticksOf(span: number): { share: number; offset: number }[] {
  const rounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5];
  const step = rounds.find((round) => span / round <= 7) ?? Math.ceil(span / 7 / 864e5) * 864e5;
  const ticks = [];
  for (let offset = 0; offset <= span; offset += step) ticks.push({ share: offset / span, offset });
  return ticks;
}
