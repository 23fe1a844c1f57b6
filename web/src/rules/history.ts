// Figures over time as the server records them, read on from where one has been: the joined record has the length of the first.

export interface Recorded {
  /** Whose memory it is. */
  node?: string;
  step_ms: number;
  /** When the first point is. */
  from: string;
  points: number;
  series: Record<string, (number | null)[]>;
}

/** When the last point is: what comes after it is new. */
export function lastPoint(record: Recorded): string | undefined {
  return record.points > 0 ? new Date(Date.parse(record.from) + (record.points - 1) * record.step_ms).toISOString() : undefined;
}

/** Whether what was read since the last point goes on from there: another node's does not, nor does that of a clock that was set back. */
export function goesOn(before: Recorded, after: Recorded): boolean {
  const last = lastPoint(before);
  return before.node === after.node && before.step_ms === after.step_ms && (last === undefined || Date.parse(after.from) > Date.parse(last));
}

export function joined(before: Recorded, after: Recorded): Recorded {
  if (after.points === 0) return before;
  if (before.points === 0 || before.step_ms !== after.step_ms) return after;
  const start = Date.parse(before.from);
  const offset = Math.round((Date.parse(after.from) - start) / before.step_ms);
  // What lies too far apart, or is not after it, is no continuation.
  if (offset <= 0 || offset > 2 * before.points) return after;
  const length = offset + after.points;
  const cut = Math.max(0, length - before.points);
  const series: Recorded['series'] = {};
  for (const name of new Set([...Object.keys(before.series), ...Object.keys(after.series)])) {
    const values: (number | null)[] = new Array<number | null>(length).fill(null);
    before.series[name]?.forEach((value, at) => at < length && (values[at] = value));
    after.series[name]?.forEach((value, at) => (values[offset + at] = value));
    series[name] = values.slice(cut);
  }
  return { node: after.node, step_ms: before.step_ms, from: new Date(start + cut * before.step_ms).toISOString(), points: length - cut, series };
}
