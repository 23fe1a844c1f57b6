import { describe, expect, it } from 'vitest';
import { fitsHeader } from './header_text';

describe('the text of a header', () => {
  it.each(['', 'operator-operator', 'a b=+/~', 'é'])('may be %j', (text) => expect(fitsHeader(text)).toBe(true));
  it.each(['“quoted”', 'ток', '🙂', 'a\u200bb', 'a\nb', 'a\0b', 'a\x7fb'])('may not be %j', (text) => expect(fitsHeader(text)).toBe(false));
});
