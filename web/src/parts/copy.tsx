// Copying: a button that says that it did, and a command line with one.
import { useRef, useState } from 'preact/hooks';
import { Icon } from './icon';

const SAID_MS = 1500;

/** Pages over plain HTTP on another host have no clipboard; there a hidden field is selected and copied. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

export function Copy({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [isDone, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const press = async () => {
    await copy(typeof text === 'string' ? text : text());
    setDone(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(false), SAID_MS);
  };
  return (
    <button type="button" class="quiet copy" onClick={press} aria-label={isDone ? 'Copied' : label} title={label}>
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

export function CommandLine({ command }: { command: string }) {
  return (
    <div class="command">
      <code tabIndex={0} aria-label="Command line">{command}</code>
      <Copy text={command} label="Copy command line" />
    </div>
  );
}
