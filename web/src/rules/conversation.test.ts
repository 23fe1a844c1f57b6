import { describe, expect, it } from 'vitest';
import { dollars, heard, saidIn } from './conversation';

describe('conversation', () => {
  it('reads blocks of every kind, and such as are none', () =>
    expect(saidIn([{ type: 'text', text: 'hi' }, { type: 'tool_use', name: 't', input: { a: 1 } }, { type: 'tool_result', content: 'no', is_error: true }, { type: 'image' }, null]).map((said) => said.kind)).toEqual([
      'text',
      'tool_use',
      'tool_result',
      'other',
      'text',
    ]));
  it('begins anew when a call is made again', () => {
    const words = [{ type: 'call' }, { type: 'text_delta', text: 'Hel' }, { type: 'retry' }, { type: 'text_delta', text: 'Hallo' }, { type: 'state' }];
    expect(words.reduce(heard, 'old')).toBe('Hallo');
  });
  it('shows small costs', () => expect([dollars(0), dollars(1200), dollars(2_500_000), dollars(undefined)]).toEqual(['$0.00', '$0.0012', '$2.50', '–']));
});
