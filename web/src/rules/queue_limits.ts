// The limits of a queue as somebody changed them in the dialog: only what was changed is sent, so that a rate nobody touched keeps its
// count, time and burst.
import { line } from './cli';

export interface Limited {
  namespace?: string;
  name?: string;
  running_max?: number;
  rate?: { count?: number; per_ms?: number; burst?: number };
}

export interface TypedLimits {
  running?: string;
  /** Claims per second. */
  claims?: string;
}

/** What the fields hold at first. */
export function limitFields({ running_max, rate }: Limited): Required<TypedLimits> {
  const claims = rate?.count ? rate.count / ((rate.per_ms ?? 1000) / 1000) : undefined;
  return { running: String(running_max ?? ''), claims: claims === undefined ? '' : String(Number(claims.toPrecision(6))) };
}

export interface LimitChange {
  running_max?: number;
  rate?: { count: number; per_ms: number; burst?: number };
}

/** What differs from the queue's own; nothing: an empty change. An emptied field removes its limit, as 0 does. */
export function limitChange(queue: Limited, typed: TypedLimits): LimitChange {
  const first = limitFields(queue);
  const { running = '', claims = '' } = typed;
  const count = Number(claims);
  // One is what a rate has without any.
  const burst = count > 0 ? (queue.rate?.burst ?? 1) : 1;
  return {
    ...(running !== first.running && { running_max: Number(running) }),
    ...(claims !== first.claims && { rate: { count, per_ms: 1000, ...(burst > 1 && { burst }) } }),
  };
}

export function limitCommand(queue: Limited, typed: TypedLimits): string {
  const { running_max, rate } = limitChange(queue, typed);
  return line(['queue', 'limit', queue.name ?? ''], {
    'running-max': running_max,
    rate: rate && (rate.count > 0 ? `${rate.count}/s` : 'off'),
    burst: rate?.burst,
    namespace: queue.namespace,
  });
}
