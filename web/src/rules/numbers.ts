// Numbers as people read them in a dense table: few digits, and a thin space between thousands.

/** 1 234 567 */
export function count(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  return String(Math.round(value)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** 1.2k, 34k, 1.2M: for places that hold five letters. */
export function compact(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < 1000) return size < 10 && !Number.isInteger(value) ? value.toFixed(1) : String(Math.round(value));
  for (const [unit, name] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (size >= unit) return `${(value / unit).toFixed(size / unit < 10 ? 1 : 0)}${name}`;
  }
  return String(value);
}

/** 12.4 /s, 0.3 /s */
export function rate(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  return value < 0.1 ? '<0.1' : value < 10 ? value.toFixed(1) : compact(value);
}

/** 512 B, 1.4 KiB, 3.0 MiB */
export function bytes(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return unit === 0 ? `${size} B` : `${size.toFixed(1)} ${units[unit]}`;
}

export function percent(fraction: number): string {
  return `${Math.round(Math.min(1, Math.max(0, fraction)) * 100)} %`;
}

/** "1 job", "2 jobs": people are not told "1 jobs". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function sum(values: number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
