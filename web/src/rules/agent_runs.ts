// The runs of agents in the order in which people want them.

interface Run {
  id: string;
  state: string;
}

/** Those that wait for a person first, however old they are; then the newest. `asked` are the waiting ones, read on their own. */
export function waitingFirst<R extends Run>(newest: R[], asked: R[] = []): R[] {
  const known = new Set(newest.map((run) => run.id));
  // Read a moment apart, the two may differ about a run; the list of the newest then has the last word.
  const all = [...newest, ...asked.filter((run) => !known.has(run.id))];
  return [...all.filter((run) => run.state === 'awaiting_input'), ...all.filter((run) => run.state !== 'awaiting_input')];
}
