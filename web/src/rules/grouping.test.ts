import { describe, expect, it } from 'vitest';
import { groupedBy, labelKeys } from './grouping';

describe('grouping', () => {
  const rows: { labels?: Record<string, string> }[] = [{ labels: { zone: 'b' } }, { labels: { zone: 'a', pool: 'x' } }, {}];
  it('knows the labels there are', () => expect(labelKeys(rows)).toEqual(['zone', 'pool']));
  it('puts those without the label last', () => expect(groupedBy(rows, 'zone').map((group) => group.name)).toEqual(['zone=a', 'zone=b', 'without zone']));
});
