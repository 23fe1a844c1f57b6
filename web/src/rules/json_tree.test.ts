import { describe, expect, it } from 'vitest';
import { CHILDREN_AT_ONCE, openAtFirst, rowsOf, toggled, withMore } from './json_tree';

describe('a JSON tree', () => {
  it('shows what is open and nothing below what is closed', () => {
    const value = { a: [1, 2], b: { c: null } };
    expect(rowsOf(value, new Map([['', 10]])).map((row) => `${row.name ?? ''}:${row.kind}`)).toEqual([':object', 'a:array', 'b:object', ':end']);
  });
  it('opens and closes', () => {
    const open = toggled(new Map(), '/a');
    expect(open.has('/a')).toBe(true);
    expect(toggled(open, '/a').has('/a')).toBe(false);
  });
  it('shows a long list by the hundred', () => {
    const value = Array.from({ length: 1000 }, (_, at) => at);
    const open = openAtFirst(value);
    const rows = rowsOf(value, open);
    expect(rows.length).toBe(CHILDREN_AT_ONCE + 3);
    expect(rows.at(-2)).toMatchObject({ kind: 'more', size: 900 });
    expect(rowsOf(value, withMore(open, '')).length).toBe(2 * CHILDREN_AT_ONCE + 3);
  });
  it('opens no more than a screenful of what is large', () => {
    const value = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, Array.from({ length: 100 }, () => ({ x: 1 }))]));
    expect(rowsOf(value, openAtFirst(value)).length).toBeLessThan(120);
  });
  it('gives members with slashes paths of their own', () => {
    const rows = rowsOf({ 'a/b': { c: 1 }, a: { b: { c: 1 } } }, new Map([['', 9], ['/a', 9]]));
    expect(new Set(rows.map((row) => row.path)).size).toBe(rows.length);
  });
  it('keeps strings whole, for whoever shows them to cut', () => expect(rowsOf('x'.repeat(9999), new Map())[0]!.text!.length).toBe(9999));
  it('survives five megabytes', () => {
    const value = JSON.parse(`[${'{"name":"x","tags":["a","b"]},'.repeat(160_000)}null]`) as unknown;
    expect(rowsOf(value, openAtFirst(value)).length).toBeLessThan(1000);
  });
});
