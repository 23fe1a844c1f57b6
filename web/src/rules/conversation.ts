// What was said in an agent session, made of the model's content blocks, and what a run says as it streams.

export interface Said {
  kind: 'text' | 'thinking' | 'tool_use' | 'tool_result' | 'other';
  text: string;
  /** Of a tool's call or result. */
  tool?: string;
  isError?: boolean;
}

export function saidIn(blocks: unknown): Said[] {
  return Array.isArray(blocks) ? blocks.map(saidBy) : [];
}

function saidBy(block: unknown): Said {
  if (block === null || typeof block !== 'object') return { kind: 'text', text: String(block) };
  const { type, text, thinking, name, input, content, is_error } = block as Record<string, unknown>;
  switch (type) {
    case 'text':
      return { kind: 'text', text: String(text ?? '') };
    case 'thinking':
      return { kind: 'thinking', text: String(thinking ?? '') };
    case 'tool_use':
      return { kind: 'tool_use', tool: String(name ?? ''), text: JSON.stringify(input, null, 2) ?? '' };
    case 'tool_result':
      return { kind: 'tool_result', text: typeof content === 'string' ? content : JSON.stringify(content, null, 2) ?? '', isError: is_error === true };
    default:
      return { kind: 'other', text: JSON.stringify(block, null, 2) };
  }
}

/** Millionths of a dollar, as people read money. */
export function dollars(micro: number | undefined): string {
  if (micro === undefined) return '–';
  const amount = micro / 1e6;
  return `$${amount < 0.01 && amount > 0 ? amount.toFixed(4) : amount.toFixed(2)}`;
}

/** What has streamed in since the run was read: the words of the answer under way. A call that is made again begins anew. */
export function heard(before: string, event: { type?: string; text?: string }): string {
  switch (event.type) {
    case 'call':
    case 'retry':
      return '';
    case 'text_delta':
      return before + (event.text ?? '');
    default:
      return before;
  }
}
