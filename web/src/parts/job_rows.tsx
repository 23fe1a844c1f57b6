// Jobs as rows that scroll without end: only those in view are in the document, each at its place. Works with the keyboard alone:
// arrows move, Enter opens, Space selects.
import { useSignal, type Signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Job, JobList } from '../data/job_list';
import { rowAt, rowCount } from '../rules/cursor_list';
import { plural, percent } from '../rules/numbers';
import { clip, shortId, visible } from '../rules/text';
import { State } from './state';
import { When } from './when';

const NARROW = '(max-width: 860px)';
const ROW = 32;
const ROW_NARROW = 52;
const AROUND = 6;

interface JobRowsProps {
  jobs: JobList;
  selected: Signal<ReadonlySet<string>>;
  canSelect: boolean;
  hrefOf: (job: Job) => string;
  label: string;
}

function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const change = () => setNarrow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return isNarrow ? ROW_NARROW : ROW;
}

export function JobRows({ jobs, selected, canSelect, hrefOf, label }: JobRowsProps) {
  const { route } = useLocation();
  const view = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const [height, setHeight] = useState(600);
  const [active, setActive] = useState(-1);
  const rowHeight = useRowHeight();
  const list = jobs.list.value!;
  const total = rowCount(list);
  const first = Math.max(0, Math.floor(top.value / rowHeight) - AROUND);
  const last = Math.min(total, Math.ceil((top.value + height) / rowHeight) + AROUND);

  useLayoutEffect(() => {
    const element = view.current!;
    const sizes = new ResizeObserver(() => setHeight(element.clientHeight));
    sizes.observe(element);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => jobs.look(first, last), [first, last, total]);

  // One look a frame, however many events the wheel makes.
  const frame = useRef(0);
  const scrolled = () => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      top.value = view.current?.scrollTop ?? 0;
      jobs.atTop(top.value === 0);
    });
  };

  const toggle = (id: string) => {
    const next = new Set(selected.peek());
    if (!next.delete(id)) next.add(id);
    selected.value = next;
  };
  const moveTo = (index: number) => {
    const next = Math.max(0, Math.min(total - 1, index));
    setActive(next);
    const element = view.current!;
    if (next * rowHeight < element.scrollTop) element.scrollTop = next * rowHeight;
    else if ((next + 1) * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = (next + 1) * rowHeight - element.clientHeight;
  };
  const press = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const job = active < 0 ? undefined : rowAt(list, active);
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: total - 1 };
    if (event.key in moves) moveTo(moves[event.key]!);
    else if (event.key === 'Enter' && job) route(hrefOf(job));
    else if (event.key === ' ' && job && canSelect) toggle(job.id!);
    else if (event.key === 'Escape') selected.value = new Set();
    else return;
    event.preventDefault();
  };

  // A row that leaves the view becomes the one that enters it: scrolling changes texts and makes no elements.
  const places = Math.ceil(height / rowHeight) + 2 * AROUND + 1;
  const rows = [];
  for (let index = first; index < last; index += 1) {
    const job = rowAt(list, index);
    rows.push(
      <JobRow
        key={index % places}
        index={index}
        job={job}
        top={index * rowHeight}
        isActive={index === active}
        isSelected={job !== undefined && selected.value.has(job.id!)}
        toggle={canSelect ? toggle : undefined}
        href={job && hrefOf(job)}
        open={route}
      />,
    );
  }
  return (
    <>
      <div class="jobs-head" aria-hidden="true">
        <span />
        <span>State</span>
        <span>Type</span>
        <span>Queue</span>
        <span>Attempt</span>
        <span>Worker</span>
        <span>What</span>
        <span>Accepted</span>
      </div>
      <div
        class="jobs-view"
        ref={view}
        role="grid"
        aria-label={label}
        aria-rowcount={list.next ? -1 : total}
        aria-multiselectable={canSelect}
        aria-activedescendant={active >= first && active < last ? `job-row-${active}` : undefined}
        tabIndex={0}
        onScroll={scrolled}
        onKeyDown={press}
        onFocus={(event) => event.target === view.current && active < 0 && total > 0 && setActive(0)}
      >
        {jobs.fresh.value > 0 && top.value > 0 && (
          <button type="button" class="fresh primary small" onClick={() => { view.current!.scrollTop = 0; jobs.reload(); }}>
            {plural(jobs.fresh.value, 'change')} above
          </button>
        )}
        <div class="jobs-space" role="rowgroup" style={{ height: `${total * rowHeight}px` }}>
          {rows}
        </div>
      </div>
    </>
  );
}

interface JobRowProps {
  index: number;
  job: Job | undefined;
  top: number;
  isActive: boolean;
  isSelected: boolean;
  toggle: ((id: string) => void) | undefined;
  href: string | undefined;
  open: (href: string) => void;
}

/** Drawn again only when what it shows has changed. */
function JobRow(props: JobRowProps) {
  return useMemo(() => drawn(props), [props.job, props.index, props.top, props.isActive, props.isSelected, props.toggle === undefined]);
}

function drawn({ index, job, top, isActive, isSelected, toggle, href, open: go }: JobRowProps) {
  const classes = `job-row ${isActive ? 'is-active' : ''} ${isSelected ? 'is-selected' : ''}`;
  if (!job || !href) {
    return (
      <div class={classes} role="row" aria-rowindex={index + 1} style={{ top: `${top}px` }}>
        <span role="gridcell" />
        <span role="gridcell"><span class="hollow" /></span>
      </div>
    );
  }
  const open = (event: MouseEvent) => {
    const target = event.target as Element;
    if (!target.closest('a, label, input') && !getSelection()?.toString()) go(href);
  };
  return (
    <div class={classes} id={`job-row-${index}`} role="row" aria-rowindex={index + 1} aria-selected={isSelected} style={{ top: `${top}px` }} onClick={open}>
      <span role="gridcell">
        {toggle && (
          <label>
            <input type="checkbox" tabIndex={-1} aria-label={`Select job ${shortId(job.id!)}`} checked={isSelected} onChange={() => toggle(job.id!)} />
          </label>
        )}
      </span>
      <span role="gridcell">
        <State state={job.sleeping ? 'sleeping' : job.state!} />
      </span>
      <span role="gridcell" class="clip">
        <a href={href} tabIndex={-1}>
          {clip(job.type!, 80)}
        </a>{' '}
        <span class="faint mono">{shortId(job.id!)}</span>
      </span>
      <span role="gridcell" class="clip soft">
        {visible(job.queue!)}
      </span>
      <span role="gridcell" class="soft">
        {job.attempt ?? 0}/{job.retry?.attempts_max ?? '∞'}
        {job.rescues ? <span class="warn"> +{job.rescues}</span> : null}
      </span>
      <span role="gridcell" class="clip soft">
        {visible(job.worker ?? '')}
      </span>
      <span role="gridcell" class="clip">
        <What job={job} />
      </span>
      <span role="gridcell" class="faint">
        <When at={job.created_at} />
      </span>
    </div>
  );
}

function What({ job }: { job: Job }) {
  if (job.error && job.state !== 'completed') return <span class="bad" title={clip(job.error.message ?? '', 300)}>{clip(`${job.error.kind}: ${job.error.message}`, 120)}</span>;
  if (job.state === 'running' && job.progress?.fraction !== undefined) return <span class="soft">{percent(job.progress.fraction)} {clip(job.progress.message ?? '', 80)}</span>;
  if (job.state === 'scheduled' && job.due_at) return <span class="soft">due <When at={job.due_at} /></span>;
  const labels = Object.entries(job.labels ?? {});
  return labels.length ? <span class="faint">{clip(labels.map(([key, value]) => `${key}=${value}`).join(' '), 120)}</span> : null;
}
