// A JSON value as the rows of a tree. Only what is open becomes rows, and of a long list only so many at a time, so that 5 MB of JSON
// cost no more than what is looked at.

export interface TreeRow {
  path: string;
  depth: number;
  /** The member's name or place; absent at the root. */
  name?: string;
  kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'more' | 'end';
  /** Of an object or array: how many are in it. Of `more`: how many are left out. */
  size?: number;
  /** Of a value without members, its text, uncut. */
  text?: string;
  isOpen?: boolean;
}

export const CHILDREN_AT_ONCE = 100;
const ROWS_MAX = 20_000;

/** What is open: a path, and how many of its children are shown. */
export type OpenPaths = ReadonlyMap<string, number>;

export function rowsOf(value: unknown, open: OpenPaths): TreeRow[] {
  const rows: TreeRow[] = [];
  addRows(rows, value, open, '', 0, undefined);
  return rows;
}

function addRows(rows: TreeRow[], value: unknown, open: OpenPaths, path: string, depth: number, name: string | undefined): void {
  if (rows.length >= ROWS_MAX) return;
  const base = name === undefined ? { path, depth } : { path, depth, name };
  if (value === null || typeof value !== 'object') {
    rows.push({ ...base, kind: kindOf(value), text: typeof value === 'string' ? value : String(value) });
    return;
  }
  const isArray = Array.isArray(value);
  const keys = isArray ? undefined : Object.keys(value);
  const size = isArray ? value.length : keys!.length;
  const shown = open.get(path) ?? 0;
  rows.push({ ...base, kind: isArray ? 'array' : 'object', size, isOpen: shown > 0 });
  if (shown === 0) return;
  const end = Math.min(size, shown);
  for (let i = 0; i < end; i += 1) {
    const key = isArray ? String(i) : keys![i]!;
    addRows(rows, isArray ? value[i] : (value as Record<string, unknown>)[key], open, childPath(path, key), depth + 1, key);
  }
  if (end < size) rows.push({ path, depth: depth + 1, kind: 'more', size: size - end });
  rows.push({ path: `${path}/end`, depth, kind: 'end', text: isArray ? ']' : '}' });
}

function kindOf(value: unknown): TreeRow['kind'] {
  if (value === null) return 'null';
  return typeof value === 'number' || typeof value === 'boolean' ? (typeof value as 'number' | 'boolean') : 'string';
}

/** RFC 6901, so that two members never share a path. */
export function childPath(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** What is open at first: the upper levels, as long as that is a screenful. */
export function openAtFirst(value: unknown, rowsWanted = 60): Map<string, number> {
  const open = new Map<string, number>();
  let level: [string, unknown][] = [['', value]];
  let rows = 1;
  while (level.length) {
    const next: [string, unknown][] = [];
    for (const [path, one] of level) {
      if (one === null || typeof one !== 'object') continue;
      const keys = Array.isArray(one) ? one.length : Object.keys(one).length;
      if (keys === 0) continue;
      if (path !== '' && rows + keys > rowsWanted) return open;
      open.set(path, CHILDREN_AT_ONCE);
      const end = Math.min(keys, CHILDREN_AT_ONCE);
      rows += end;
      const names = Array.isArray(one) ? undefined : Object.keys(one);
      for (let i = 0; i < end; i += 1) {
        const key = names ? names[i]! : String(i);
        next.push([childPath(path, key), names ? (one as Record<string, unknown>)[key] : (one as unknown[])[i]]);
      }
    }
    if (rows > rowsWanted) return open;
    level = next;
  }
  return open;
}

export function toggled(open: OpenPaths, path: string): Map<string, number> {
  const next = new Map(open);
  if (next.has(path)) next.delete(path);
  else next.set(path, CHILDREN_AT_ONCE);
  return next;
}

export function withMore(open: OpenPaths, path: string): Map<string, number> {
  return new Map(open).set(path, (open.get(path) ?? 0) + CHILDREN_AT_ONCE);
}
