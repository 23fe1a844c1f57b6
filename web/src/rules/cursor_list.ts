// A list of any length read by cursors: pages are kept in the order in which they came, every page remembers the cursor that reads it
// again, and the rows of pages far from where somebody looks are forgotten. So a million rows cost the memory of a few thousand.

export interface Page<Row> {
  /** What reads this page; absent for the first. */
  cursor?: string;
  /** The place of its first row in the list. */
  start: number;
  size: number;
  /** Absent while they are forgotten or on their way. */
  rows?: Row[];
}

export interface CursorList<Row> {
  pages: Page<Row>[];
  /** What reads the page after the last one; absent: there is none. */
  next?: string;
}

export const PAGES_KEPT = 24;

export function firstPage<Row>(rows: Row[], next: string | undefined): CursorList<Row> {
  return { pages: [{ start: 0, size: rows.length, rows }], ...(next && { next }) };
}

export function appended<Row>(list: CursorList<Row>, rows: Row[], next: string | undefined): CursorList<Row> {
  const page = { ...(list.next && { cursor: list.next }), start: rowCount(list), size: rows.length, rows };
  return { pages: [...list.pages, page], ...(next && { next }) };
}

/** A page's rows, read again. They may be fewer than before: its place in the list keeps its size, so nothing jumps. */
export function refilled<Row>(list: CursorList<Row>, index: number, rows: Row[]): CursorList<Row> {
  return { ...list, pages: list.pages.map((page, at) => (at === index ? { ...page, rows: rows.slice(0, page.size) } : page)) };
}

/**
 * A page that is on show, read again: its rows are replaced where they stand, those that are no longer in the list go, and nothing comes
 * in between, so the reader keeps the place. `came` counts what stands before them now. `isMore`: the list goes on behind what was read.
 */
export function reread<Row>(list: CursorList<Row>, index: number, read: Row[], isMore: boolean, idOf: (row: Row) => string): { list: CursorList<Row>; came: number } {
  const held = list.pages[index]?.rows;
  if (!held) return { list: refilled(list, index, read), came: 0 };
  const newest = new Map(read.map((row) => [idOf(row), row]));
  const wasHeld = new Set(held.map(idOf));
  const head = read.findIndex((row) => wasHeld.has(idOf(row)));
  const came = head < 0 ? read.length : head;
  // As far as what was read reaches, a row that is not in it has gone; behind that nothing is known.
  const reachesAll = !isMore || read.length - came >= held.length;
  const lastSeen = held.findLastIndex((row) => newest.has(idOf(row)));
  const rows = held.filter((row, at) => newest.has(idOf(row)) || (!reachesAll && at > lastSeen)).map((row) => newest.get(idOf(row)) ?? row);
  return { list: { ...list, pages: list.pages.map((page, at) => (at === index ? { ...page, rows } : page)) }, came };
}

/** Without the rows of pages that are out of view, which are read again when somebody looks there. The first page stays. */
export function onlyInView<Row>(list: CursorList<Row>, firstInView: number, lastInView: number): CursorList<Row> {
  return { ...list, pages: list.pages.map((page, at) => (at === 0 || (at >= firstInView && at <= lastInView) ? page : withoutRows(page))) };
}

export function rowCount<Row>(list: CursorList<Row>): number {
  const last = list.pages.at(-1);
  return last ? last.start + last.size : 0;
}

/** The page that holds a row, by bisection. */
export function pageOf<Row>(list: CursorList<Row>, index: number): number | undefined {
  if (index < 0 || index >= rowCount(list)) return undefined;
  let low = 0;
  let high = list.pages.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list.pages[middle]!.start <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function rowAt<Row>(list: CursorList<Row>, index: number): Row | undefined {
  const page = pageOf(list, index);
  return page === undefined ? undefined : list.pages[page]!.rows?.[index - list.pages[page]!.start];
}

/** Forgets the rows of pages far from those in view. The first page stays: going back to the top is what people do. */
export function forgotten<Row>(list: CursorList<Row>, firstInView: number, lastInView: number, kept = PAGES_KEPT): CursorList<Row> {
  const held = list.pages.filter((page) => page.rows).length;
  if (held <= kept) return list;
  const reach = Math.floor(kept / 2);
  const isNear = (page: number) => page === 0 || (page >= firstInView - reach && page <= lastInView + reach);
  return { ...list, pages: list.pages.map((page, at) => (page.rows && !isNear(at) ? withoutRows(page) : page)) };
}

function withoutRows<Row>({ rows: _, ...page }: Page<Row>): Page<Row> {
  return page;
}

/** The list with one row changed in place; the same list when nothing changes. */
export function changed<Row>(list: CursorList<Row>, change: (row: Row) => Row): CursorList<Row> {
  let isChanged = false;
  const pages = list.pages.map((page) => {
    if (!page.rows) return page;
    let pageChanged = false;
    const rows = page.rows.map((row) => {
      const next = change(row);
      pageChanged ||= next !== row;
      return next;
    });
    isChanged ||= pageChanged;
    return pageChanged ? { ...page, rows } : page;
  });
  return isChanged ? { ...list, pages } : list;
}
