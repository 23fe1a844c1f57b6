// A state as a word with its sign; colour only repeats what the word says.

export function State({ state, note }: { state: string; note?: string }) {
  return (
    <span class={`pill ${state}`}>
      <i />
      {state.replaceAll('_', ' ')}
      {note && <span class="faint">{note}</span>}
    </span>
  );
}
