// Tabs by the pattern people know: arrow keys move, the chosen one alone is in the order of Tab.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

export interface Tab {
  name: string;
  content: () => ComponentChildren;
}

export function Tabs({ tabs, label }: { tabs: Tab[]; label: string }) {
  const [chosen, choose] = useState<string>();
  const id = useId();
  const shown = tabs.find((tab) => tab.name === chosen) ?? tabs[0]!;
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length]!;
    choose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            id={`${id}-${tab.name}`}
            type="button"
            role="tab"
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => choose(tab.name)}
          >
            {tab.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown.name}`}>
        {shown.content()}
      </div>
    </>
  );
}

export function Segmented({ options, value, choose, label }: { options: string[]; value: string; choose: (value: string) => void; label: string }) {
  return (
    <div class="segmented" role="group" aria-label={label}>
      {options.map((option) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => choose(option)}>
          {option}
        </button>
      ))}
    </div>
  );
}
