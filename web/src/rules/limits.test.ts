import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limitsOf } from './limits';

describe('the page of limits', () => {
  const limits = limitsOf(readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8'));
  it('is read in full', () => {
    expect(limits.length).toBeGreaterThan(300);
    expect(limits[0]).toEqual({ part: 'Names and values', name: 'kNameBytesMax', value: '128', what: 'bytes of the name of a namespace, queue, type or worker', answer: 'invalid_argument (400), nothing changes' });
  });
  it('names what every bound is of', () => expect(limits.filter((limit) => !limit.what || !limit.value)).toEqual([]));
});
