// Fires of a schedule on a calendar strip: a span of time cut into equal cells, each with how many fires fall into it.

export interface StripCell {
  from: number;
  to: number;
  fires: number;
}

export function cellsOf(fires: number[], from: number, to: number, count: number): StripCell[] {
  const width = (to - from) / count;
  const cells = Array.from({ length: count }, (_, at) => ({ from: from + at * width, to: from + (at + 1) * width, fires: 0 }));
  for (const fire of fires) {
    if (fire < from || fire >= to) continue;
    cells[Math.min(count - 1, Math.floor((fire - from) / width))]!.fires += 1;
  }
  return cells;
}

/** Round instants to write under a strip: hours, days or weeks in the reader's zone, whichever gives at most `most` of them. */
export function marksOf(from: number, to: number, most: number): { at: number; label: string }[] {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  for (const step of [HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY]) {
    if ((to - from) / step > most) continue;
    const marks: { at: number; label: string }[] = [];
    const start = new Date(from);
    start.setMinutes(0, 0, 0);
    if (step >= DAY) start.setHours(0);
    else start.setHours(Math.floor(start.getHours() / (step / HOUR)) * (step / HOUR));
    for (let at = start.getTime(); at < to; at += step) if (at >= from) marks.push({ at, label: markLabel(at, step >= DAY) });
    return marks;
  }
  return [];
}

function markLabel(at: number, isDay: boolean): string {
  const date = new Date(at);
  if (isDay || date.getHours() === 0) return date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
  return `${String(date.getHours()).padStart(2, '0')}:00`;
}
