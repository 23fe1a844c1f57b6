// The one dialog in which every action is looked at before it happens: what it does, what it needs to know, and the command line
// that does the same. A refusal stays in the dialog, so that nothing typed is lost.
import { useLocation } from 'preact-iso';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/problem';
import { asked, leave, type Action, type Field, type Values } from '../data/actions';
import { notify } from '../data/notices';
import { CommandLine } from './copy';
import { Icon } from './icon';
import { Trouble } from './loading';

export function ActionDialog() {
  const action = asked.value;
  return action ? <Asked key={action.title} action={action} /> : null;
}

function Asked({ action }: { action: Action }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [values, setValues] = useState<Values>(() => Object.fromEntries((action.fields ?? []).map((field) => [field.name, field.value ?? ''])));
  const [problem, setProblem] = useState<Problem>();
  const [progress, setProgress] = useState<string>();
  const isBusy = progress !== undefined;
  const { path, route } = useLocation();

  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current!.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  const close = () => leave(action);
  const closed = () => {
    // A browser closes it at the second Escape whatever it is told; what is under way goes on, so it stays in sight.
    if (isBusy && asked.peek() === action) dialog.current?.showModal();
    else close();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setProblem(undefined);
    setProgress('');
    try {
      const done = await action.run(values, setProgress);
      notify(done.text, 'good', done.href);
      close();
      // Whoever has left meanwhile stays where they are.
      if (done.goTo && location.pathname === path) route(done.goTo);
    } catch (error) {
      setProblem(asProblem(error));
      setProgress(undefined);
    } finally {
      // Also after a refusal: somebody else may have been quicker, and then the page is what is out of date.
      action.done?.();
    }
  };

  return (
    <dialog ref={dialog} aria-labelledby="action-title" onClose={closed} onCancel={(event) => isBusy && event.preventDefault()}>
      <form onSubmit={submit}>
        <div class="dialog-head">
          <h2 id="action-title">{action.title}</h2>
          <button type="button" class="quiet icon" aria-label="Close" disabled={isBusy} onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div class="dialog-body">
          {action.text && <p>{action.text}</p>}
          {action.fields?.map((field) => (
            <Input key={field.name} field={field} value={values[field.name] ?? ''} set={(value) => setValues({ ...values, [field.name]: value })} />
          ))}
          {action.preview?.(values)}
          <CommandLine command={action.command(values)} />
          {problem && <Trouble problem={problem} isAlone />}
        </div>
        <div class="dialog-foot">
          <span class="progress-text" role="status">
            {progress}
          </span>
          <button type="button" class="quiet" disabled={isBusy} onClick={close}>
            Not now
          </button>
          <button type="submit" class={`primary ${action.isDangerous ? 'danger' : ''}`} disabled={isBusy}>
            {action.verb}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function Input({ field, value, set }: { field: Field; value: string; set: (value: string) => void }) {
  const id = `field-${field.name}`;
  const common = { id, name: field.name, placeholder: field.placeholder ?? '', required: field.required ?? false, 'aria-describedby': field.help ? `${id}-help` : undefined };
  const typed = (event: Event) => set((event.currentTarget as HTMLInputElement).value);
  let input;
  switch (field.kind) {
    case 'check':
      return (
        <div class="field check">
          <input id={id} type="checkbox" checked={value === 'yes'} onChange={(event) => set(event.currentTarget.checked ? 'yes' : '')} />
          <label for={id}>{field.label}</label>
        </div>
      );
    case 'choice':
      input = (
        <select {...common} value={value} onChange={typed}>
          {field.options?.map((option) => <option key={option}>{option}</option>)}
        </select>
      );
      break;
    case 'long':
    case 'json':
      input = <textarea {...common} value={value} onInput={typed} spellcheck={false} />;
      break;
    case 'number':
      input = <input {...common} type="number" min="0" step={field.step} value={value} onInput={typed} />;
      break;
    case 'time':
      input = <input {...common} type="datetime-local" step="1" value={value} onInput={typed} />;
      break;
    default:
      input = <input {...common} type="text" value={value} onInput={typed} autocomplete="off" spellcheck={false} />;
  }
  return (
    <div class="field">
      <label for={id}>{field.label}</label>
      {input}
      {field.help && (
        <span class="help" id={`${id}-help`}>
          {field.help}
        </span>
      )}
    </div>
  );
}
