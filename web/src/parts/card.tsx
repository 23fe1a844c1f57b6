// The frame of a part of a page, and the two forms in which plain values stand in it.
import type { ComponentChildren } from 'preact';

export function Card({ title, end, children }: { title?: ComponentChildren; end?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card">
      {title !== undefined && (
        <header>
          <h2>{title}</h2>
          {end !== undefined && <div class="end">{end}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { facts: [string, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}:`}>{value}</dd>])}
    </dl>
  );
}

interface FigureProps {
  label: string;
  value: ComponentChildren;
  unit?: string;
  note?: ComponentChildren;
  tone?: 'bad' | 'warn' | undefined;
  href?: string;
}

export function Figure({ label, value, unit, note, tone, href }: FigureProps) {
  const inside = (
    <>
      <span class="label">{label}</span>
      <span class="value">
        {value}
        {unit && <small>{unit}</small>}
      </span>
      {note !== undefined && <span class="note">{note}</span>}
    </>
  );
  const classes = `figure ${tone ?? ''}`;
  return href ? (
    <a class={classes} href={href}>
      {inside}
    </a>
  ) : (
    <div class={classes}>{inside}</div>
  );
}

export function Tags({ names, tone }: { names: string[] | undefined; tone?: 'bad' | 'warn' }) {
  if (!names?.length) return <span class="faint">–</span>;
  return (
    <span class="tags">
      {names.map((name) => (
        <span key={name} class={`tag ${tone ?? ''}`} title={name}>
          {name}
        </span>
      ))}
    </span>
  );
}

export function labelsOf(labels: Record<string, string> | undefined): string[] {
  return Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
}

export function Load({ running, slots }: { running: number; slots: number }) {
  const share = slots > 0 ? Math.min(1, running / slots) : 0;
  return (
    <span class="load">
      <span class={`bar ${share >= 1 ? 'full' : ''}`}>
        <i style={{ width: `${share * 100}%` }} />
      </span>
      <span class="nowrap">
        {running}/{slots}
      </span>
    </span>
  );
}
