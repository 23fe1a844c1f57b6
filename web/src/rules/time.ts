// Times as people read them: how long ago, how long it took, and the exact instant in the reader's zone. Pure over `now`.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "3s", "4m 12s", "2h 5m", "3d 4h"; below a second "420ms". Two units at most. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const length = Math.max(0, Math.round(ms));
  if (length < SECOND) return `${length}ms`;
  if (length < 10 * SECOND) return `${trimmed(length / SECOND)}s`;
  if (length < MINUTE) return `${Math.floor(length / SECOND)}s`;
  if (length < HOUR) return twoUnits(length, MINUTE, 'm', SECOND, 's');
  if (length < DAY) return twoUnits(length, HOUR, 'h', MINUTE, 'm');
  return twoUnits(length, DAY, 'd', HOUR, 'h');
}

function trimmed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

function twoUnits(length: number, big: number, bigName: string, small: number, smallName: string): string {
  const whole = Math.floor(length / big);
  const rest = Math.floor((length % big) / small);
  return rest === 0 ? `${whole}${bigName}` : `${whole}${bigName} ${rest}${smallName}`;
}

/** "now", "12s ago", "in 4m": one unit, since a list is read by the column. */
export function relative(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < SECOND) return 'now';
  const length =
    distance < MINUTE
      ? `${Math.floor(distance / SECOND)}s`
      : distance < HOUR
        ? `${Math.floor(distance / MINUTE)}m`
        : distance < DAY
          ? `${Math.floor(distance / HOUR)}h`
          : `${Math.floor(distance / DAY)}d`;
  return at <= now ? `${length} ago` : `in ${length}`;
}

/** "2026-11-18 13:04:05.123 (Europe/Berlin)" in the reader's zone. */
export function exact(at: number, zone = readerZone()): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const fraction = String(((at % SECOND) + SECOND) % SECOND).padStart(3, '0');
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}:${part('second')}.${fraction} (${zone})`;
}

/** "13:04:05" in the reader's zone. */
export function clock(at: number, zone = readerZone()): string {
  return exact(at, zone).slice(11, 19);
}

export function readerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** The instant of an RFC 3339 text, or nothing when it is absent or none. */
export function instant(text: string | undefined | null): number | undefined {
  if (!text) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

/** What people type for a length ("90s", "5m", "1h30m", "2d"), in milliseconds; nothing when it is none. */
export function parseDuration(text: string): number | undefined {
  const units: Record<string, number> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY };
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*/g)];
  if (parts.length === 0 || parts.map((part) => part[0]).join('') !== text.trim()) return undefined;
  return parts.reduce((sum, part) => sum + Number(part[1]) * (units[part[2]!] ?? 0), 0);
}
