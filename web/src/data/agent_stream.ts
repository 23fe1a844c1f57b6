// The words of an agent's run as they come. The stream goes on behind the last event after a break, so nothing is heard twice. Like
// everything that asks the server by itself, it rests while nobody looks or a sign-in is needed, and comes back ever less often to a server
// that breaks it off.
import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { heard } from '../rules/conversation';
import { retryDelay } from '../rules/retry_delay';
import { isInSight } from './attention';
import { doubt, epoch, signInNeeded } from './connection';

export interface RunEvent {
  type: string;
  text?: string;
}

/** Words, and what makes the answer under way begin anew. */
const SPOKEN = ['call', 'retry', 'text_delta'];
/** The run's state or its tools have changed. */
const MOVES = ['tool_call', 'tool_result', 'state', 'gap'];

export interface RunListener {
  take: (event: RunEvent) => void;
  moved: () => void;
}

/** Listens until the run ends, or the function that it gives is called. */
export function followRun(id: string, namespace: string, { take, moved }: RunListener): () => void {
  let last = '';
  let attempts = 0;
  let isOver = false;
  let source: EventSource | undefined;
  let reopening: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(reopening);
    source?.close();
    source = undefined;
  };
  const hear = (message: MessageEvent) => {
    last = message.lastEventId || last;
    // Not when it opens: a server that ends each stream at once must not be asked at the first pace for ever.
    attempts = 0;
  };
  const open = () => {
    close();
    const query = new URLSearchParams({ namespace, ...(last && { last_event_id: last }) });
    const opened = new EventSource(`/api/v1/agent-runs/${id}/stream?${query}`);
    source = opened;
    for (const type of SPOKEN) {
      opened.addEventListener(type, (message: MessageEvent<string>) => {
        hear(message);
        take({ ...(JSON.parse(message.data) as { text?: string }), type });
      });
    }
    for (const type of MOVES) {
      opened.addEventListener(type, (message) => {
        hear(message);
        moved();
      });
    }
    opened.addEventListener('run.finished', () => {
      isOver = true;
      close();
      moved();
    });
    opened.onerror = () => {
      if (source !== opened) return;
      close();
      doubt();
      reopening = setTimeout(open, retryDelay(attempts, Math.random()));
      attempts += 1;
    };
  };
  const stop = effect(() => {
    // After a loss or a sign-in everything is read anew, and this does not wait for its turn either.
    void epoch.value;
    if (!isInSight.value || signInNeeded.value) close();
    else if (!source && !isOver) open();
  });
  return () => {
    stop();
    close();
  };
}

/** Calls `moved` when the run's state or its tools have changed. Empty id: nothing is heard. */
export function useAgentStream(id: string, namespace: string, moved: () => void): string {
  const [text, setText] = useState('');
  useEffect(() => {
    setText('');
    if (!id) return undefined;
    return followRun(id, namespace, { take: (event) => setText((before) => heard(before, event)), moved });
  }, [id, namespace]);
  return text;
}
