// Lists whose routes know one namespace at a time, read for each that is looked at and put together.

/** More than these are not asked: a page must not become a flood. */
export const NAMESPACES_ASKED = 20;

/** The namespaces to ask for: the chosen one, or each that the reader may see. */
export function namespacesToAsk(chosen: string, known: string[]): string[] {
  if (chosen) return [chosen];
  return known.length ? known.slice(0, NAMESPACES_ASKED) : ['default'];
}

/** Rows of several lists as one, newest first by an instant of theirs. A time that is not known comes last. */
export function newestFirst<Row>(lists: Row[][], at: (row: Row) => string | undefined): Row[] {
  const rows = lists.flat();
  return lists.length < 2 ? rows : rows.sort((a, b) => (at(b) ?? '').localeCompare(at(a) ?? ''));
}

/** The same by name; rows of one name stay in the order of their namespaces. */
export function byName<Row>(lists: Row[][], name: (row: Row) => string): Row[] {
  const rows = lists.flat();
  return lists.length < 2 ? rows : rows.sort((a, b) => name(a).localeCompare(name(b)));
}
