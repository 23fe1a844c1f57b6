// A conversation: what people asked, what the model said, and which tools it called. Words of others are text and nothing else.
import type { Schemas } from '../api/client';
import { saidIn, type Said } from '../rules/conversation';
import { visible } from '../rules/text';
import { When } from './when';

export function Conversation({ messages, tail }: { messages: Schemas['Message'][]; tail?: string }) {
  return (
    <div class="talk" role="log" aria-label="Conversation" tabIndex={0}>
      {messages.map((message) => (
        <div key={message.id} class={`message ${message.role}`}>
          <span class="from">
            {message.role} <When at={message.created_at} /> {message.is_summary && '· summary of older messages'}
          </span>
          {saidIn(message.blocks).map((said, at) => (
            <Block key={at} said={said} />
          ))}
        </div>
      ))}
      {tail !== undefined && (
        <div class="message assistant">
          <span class="from">assistant, as it comes</span>
          <pre class="cursor-blink">{visible(tail)}</pre>
        </div>
      )}
    </div>
  );
}

function Block({ said }: { said: Said }) {
  if (said.kind === 'text') return <pre>{visible(said.text)}</pre>;
  const titles: Record<Said['kind'], string> = { text: '', thinking: 'thinking', tool_use: `calls ${said.tool}`, tool_result: said.isError ? 'tool failed' : 'tool answers', other: 'block' };
  return (
    <div class="tool-call">
      <strong class={said.isError ? 'bad' : ''}>{visible(titles[said.kind])}</strong>
      <pre tabIndex={0}>{visible(said.text)}</pre>
    </div>
  );
}
