import { describe, expect, it } from 'vitest';
import { withNamespace } from './addresses';

describe('an address', () => {
  it('names the namespace', () => expect(withNamespace('/schedules/a', 'team a&b')).toBe('/schedules/a?namespace=team%20a%26b'));
  it.each([undefined, '', 'default'])('is plain in %j', (name) => expect(withNamespace('/schedules/a', name)).toBe('/schedules/a'));
});
