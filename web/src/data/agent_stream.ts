// The words of an agent's run as they come. The stream goes on behind the last event after a break, so nothing is heard twice.
import { useEffect, useState } from 'preact/hooks';
import { heard } from '../rules/conversation';

const AGAIN_MS = 1500;

/** Calls `moved` when the run's state or its tools have changed. Empty id: nothing is heard. */
export function useAgentStream(id: string, namespace: string, moved: () => void): string {
  const [text, setText] = useState('');
  useEffect(() => {
    setText('');
    if (!id) return undefined;
    let last = '';
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      const query = new URLSearchParams({ namespace, ...(last && { last_event_id: last }) });
      source = new EventSource(`/api/v1/agent-runs/${id}/stream?${query}`);
      const take = (message: MessageEvent<string>) => {
        last = message.lastEventId || last;
        const event = JSON.parse(message.data) as { type?: string; text?: string };
        setText((before) => heard(before, { ...event, type: message.type }));
      };
      for (const type of ['call', 'retry', 'text_delta']) source.addEventListener(type, take);
      for (const type of ['tool_call', 'tool_result', 'state', 'gap']) {
        source.addEventListener(type, (message) => {
          last = (message as MessageEvent).lastEventId || last;
          moved();
        });
      }
      source.addEventListener('run.finished', () => {
        source?.close();
        moved();
      });
      source.onerror = () => {
        source?.close();
        timer = setTimeout(open, AGAIN_MS);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source?.close();
    };
  }, [id, namespace]);
  return text;
}
