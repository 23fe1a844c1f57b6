import { describe, expect, it } from 'vitest';
import { clip, shortId, turnsAround, visible } from './text';

describe('visible', () => {
  it('shows control characters by their pictures', () => expect(visible('a\u0000b\u0007c\u007f')).toBe('a␀b␇c␡'));
  it('shows marks of direction by their number', () => expect(visible('x\u202eabc')).toBe('x‹U+202E›abc'));
  it('leaves line ends, tabs and other scripts alone', () => expect(visible('a\n\tשלום 漢字 🙂')).toBe('a\n\tשלום 漢字 🙂'));
  it('leaves markup as the text it is', () => expect(visible('</script><b>')).toBe('</script><b>'));
});

describe('turnsAround', () => {
  it('knows the marks that reorder', () => expect([turnsAround('a\u202eb'), turnsAround('a\u2066b'), turnsAround('ab')]).toEqual([true, true, false]));
});

describe('clip', () => {
  it('is one line and no longer than asked', () => expect(clip('one\ntwo three', 7)).toBe('one two…'));
});

describe('shortId', () => {
  it.each([
    ['fa32af4f-35bc-80d0-b166-41d484a7cacb', 'fa32af4f'],
    ['action_48954be1b7f51cdef01d2bc47a17ecdc', '48954be1'],
    ['encoder-1', 'encoder-1'],
  ])('of %s is %s', (id, short) => expect(shortId(id)).toBe(short));
});
