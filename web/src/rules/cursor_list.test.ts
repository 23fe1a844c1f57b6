import { describe, expect, it } from 'vitest';
import { appended, changed, firstPage, forgotten, onlyInView, pageOf, refilled, reread, rowAt, rowCount, type CursorList } from './cursor_list';

function listOf(pages: number, size = 10): CursorList<number> {
  let list = firstPage(Array.from({ length: size }, (_, at) => at), 'c1');
  for (let page = 1; page < pages; page += 1) {
    list = appended(list, Array.from({ length: size }, (_, at) => page * size + at), page === pages - 1 ? undefined : `c${page + 1}`);
  }
  return list;
}

describe('a list over cursors', () => {
  it('finds every row at its place', () => {
    const list = listOf(5);
    expect(rowCount(list)).toBe(50);
    expect([0, 9, 10, 34, 49].map((at) => rowAt(list, at))).toEqual([0, 9, 10, 34, 49]);
    expect([rowAt(list, -1), rowAt(list, 50)]).toEqual([undefined, undefined]);
  });
  it('finds rows behind a page that was short', () => {
    const list = appended(appended(firstPage([0, 1, 2], 'a'), [3], 'b'), [4, 5], undefined);
    expect([3, 4, 5].map((at) => rowAt(list, at))).toEqual([3, 4, 5]);
    expect([2, 3, 4].map((at) => pageOf(list, at))).toEqual([0, 1, 2]);
  });
  it('remembers the cursor that reads a page again', () => expect(listOf(3).pages.map((page) => page.cursor)).toEqual([undefined, 'c1', 'c2']));
  it('forgets pages far away but keeps their place', () => {
    const list = forgotten(listOf(30), 20, 21, 8);
    expect(list.pages.filter((page) => page.rows).length).toBe(11);
    expect(rowCount(list)).toBe(300);
    expect([rowAt(list, 0), rowAt(list, 100), rowAt(list, 205)]).toEqual([0, undefined, 205]);
  });
  it('fills a forgotten page without moving what follows', () => {
    const list = refilled(forgotten(listOf(30), 20, 21, 8), 10, [100, 101]);
    expect([rowAt(list, 100), rowAt(list, 102), rowAt(list, 205)]).toEqual([100, undefined, 205]);
  });
  it('is the same list when no row changes', () => {
    const list = listOf(3);
    expect(changed(list, (row) => row)).toBe(list);
    const other = changed(list, (row) => (row === 12 ? -1 : row));
    expect(rowAt(other, 12)).toBe(-1);
    expect(other.pages[0]).toBe(list.pages[0]);
  });
  it('holds a million rows in the memory of a few thousand', () => {
    let list = firstPage(Array.from({ length: 200 }, (_, at) => at), 'c');
    for (let page = 1; page < 5000; page += 1) list = forgotten(appended(list, Array.from({ length: 200 }, (_, at) => page * 200 + at), 'c'), page, page);
    expect(rowCount(list)).toBe(1_000_000);
    expect(list.pages.reduce((rows, page) => rows + (page.rows?.length ?? 0), 0)).toBeLessThan(6000);
    expect(rowAt(list, 999_999)).toBe(999_999);
  });
});

describe('a page on show that is read again', () => {
  const rows = (...texts: string[]) => texts.map((text) => ({ id: text[0]!, text }));
  const idOf = (row: { id: string }) => row.id;
  const list = appended(firstPage(rows('a', 'b', 'c'), 'n'), rows('d', 'e'), 'm');
  const texts = (of: typeof list, page: number) => of.pages[page]!.rows!.map((row) => row.text);

  it('has its rows replaced where they stand', () => expect(texts(reread(list, 1, rows('d2', 'e2'), true, idOf).list, 1)).toEqual(['d2', 'e2']));
  it('does not let new rows in above the reader, but counts them', () => {
    const { list: next, came } = reread(list, 0, rows('y', 'z', 'a2'), true, idOf);
    expect(texts(next, 0)).toEqual(['a2', 'b', 'c']);
    expect(came).toBe(2);
  });
  it('keeps what more new rows than a page have pushed out of it', () => expect(texts(reread(list, 0, rows('x', 'y', 'z'), true, idOf).list, 0)).toEqual(['a', 'b', 'c']));
  it('loses rows that have left the list, and takes none of the next page', () => {
    expect(texts(reread(list, 0, rows('a', 'c', 'd'), true, idOf).list, 0)).toEqual(['a', 'c']);
    expect(texts(reread(list, 0, rows('a', 'b', 'd'), true, idOf).list, 0)).toEqual(['a', 'b']);
    expect(texts(reread(list, 1, [], false, idOf).list, 1)).toEqual([]);
  });
  it('keeps its place, and that of every other page', () => {
    const next = reread(list, 0, rows('b'), false, idOf).list;
    expect([rowCount(next), rowAt(next, 3)?.text]).toEqual([5, 'd']);
  });
  it('is filled when it was forgotten', () => {
    const far = onlyInView(list, 0, 0);
    expect(far.pages[1]!.rows).toBeUndefined();
    expect(texts(reread(far, 1, rows('d', 'e', 'f'), true, idOf).list, 1)).toEqual(['d', 'e']);
  });
  it('is the only one kept, beside the first', () => expect(onlyInView(listOf(5), 2, 3).pages.map((page) => page.rows !== undefined)).toEqual([true, false, true, true, false]));
});
