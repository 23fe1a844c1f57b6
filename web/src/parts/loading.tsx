// What stands where an answer will be, where there is nothing, and where something went wrong. An answer that is there stays.
import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem';
import type { Query } from '../data/query';
import { CommandLine } from './copy';
import { When } from './when';

export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  );
}

export function Empty({ title, children, command }: { title: string; children?: ComponentChildren; command?: string }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <span>{children}</span>}
      {command && <CommandLine command={command} />}
    </div>
  );
}

export function Trouble({ problem, at, retry, isAlone }: { problem: Problem; at?: number | undefined; retry?: () => void; isAlone?: boolean }) {
  return (
    <div class={`trouble ${isAlone ? 'alone' : ''}`} role="alert">
      <span>
        {problem.detail} <span class="mono">({problem.code})</span>
        {at !== undefined && (
          <>
            {' '}
            – shown as of <When at={new Date(at).toISOString()} />
          </>
        )}
      </span>
      {retry && (
        <button type="button" class="small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface ShownProps<T> {
  query: Query<T>;
  rows?: number;
  children: (data: T) => ComponentChildren;
}

/** The answer; a skeleton until it is there; above an old one, what is wrong with the new. A lost server has a banner of its own. */
export function Shown<T>({ query, rows, children }: ShownProps<T>) {
  const { data, problem, at, refresh } = query;
  const told = problem && !problem.isUnreachable && <Trouble problem={problem} at={data === undefined ? undefined : at} retry={refresh} />;
  return (
    <>
      {told}
      {data !== undefined ? children(data) : !told && <Skeleton {...(rows && { rows })} />}
    </>
  );
}
