// The fields that narrow a list of jobs. States are one press each; the rest is typed and taken at Enter or when the field is left.
import { JOB_STATES, type JobFilter, type JobState } from '../rules/filters';

interface FiltersProps {
  filter: JobFilter;
  change: (filter: JobFilter) => void;
}

export function Filters({ filter, change }: FiltersProps) {
  const toggle = (state: JobState) => {
    const states = filter.states.includes(state) ? filter.states.filter((one) => one !== state) : [...filter.states, state];
    change({ ...filter, states: JOB_STATES.filter((one) => states.includes(one)) });
  };
  const set = (field: 'queue' | 'type' | 'worker' | 'errorKind') => (value: string) => {
    const next = { ...filter };
    if (value) next[field] = value;
    else delete next[field];
    change(next);
  };
  const setLabels = (text: string) => {
    const labels: Record<string, string> = {};
    for (const pair of text.split(/[\s,]+/)) {
      const at = pair.indexOf('=');
      if (at > 0) labels[pair.slice(0, at)] = pair.slice(at + 1);
    }
    change({ ...filter, labels });
  };
  return (
    <div class="filters" role="search" aria-label="Filter jobs">
      <span class="chips" role="group" aria-label="States">
        {JOB_STATES.map((state) => (
          <button key={state} type="button" class="chip" aria-pressed={filter.states.includes(state)} onClick={() => toggle(state)}>
            {state}
          </button>
        ))}
      </span>
      <Word label="Queue" value={filter.queue ?? ''} set={set('queue')} />
      <Word label="Type" value={filter.type ?? ''} set={set('type')} />
      <Word label="Worker" value={filter.worker ?? ''} set={set('worker')} />
      <Word label="Error kind" value={filter.errorKind ?? ''} set={set('errorKind')} />
      <Word
        label="Labels"
        placeholder="label=value"
        value={Object.entries(filter.labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(' ')}
        set={setLabels}
      />
      <Span filter={filter} change={change} />
      <button type="button" class="chip" aria-pressed={filter.oldestFirst} onClick={() => change({ ...filter, oldestFirst: !filter.oldestFirst })}>
        oldest first
      </button>
    </div>
  );
}

function Word({ label, value, set, placeholder }: { label: string; value: string; set: (value: string) => void; placeholder?: string }) {
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={placeholder ?? label}
      value={value}
      autocomplete="off"
      spellcheck={false}
      onChange={(event) => set(event.currentTarget.value.trim())}
    />
  );
}

const SPANS: [string, number][] = [
  ['last 15 minutes', 15 * 60_000],
  ['last hour', 3_600_000],
  ['last day', 86_400_000],
  ['last week', 7 * 86_400_000],
];

/** A begin, chosen relative to now but kept as an instant: the link goes on showing the same jobs. */
function Span({ filter, change }: FiltersProps) {
  const choose = (event: Event) => {
    const span = SPANS.find(([name]) => name === (event.currentTarget as HTMLSelectElement).value);
    const { createdAfter: _, ...rest } = filter;
    change(span ? { ...rest, createdAfter: new Date(Date.now() - span[1]).toISOString() } : rest);
  };
  return (
    <select aria-label="Accepted" value={filter.createdAfter ? 'since' : ''} onChange={choose}>
      <option value="">any time</option>
      {filter.createdAfter && <option value="since">since {filter.createdAfter.slice(0, 16).replace('T', ' ')} UTC</option>}
      {SPANS.map(([name]) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
