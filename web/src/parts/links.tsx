// Links to the things that pages talk about, each written the same way everywhere.
import { workerAddress } from '../rules/why';
import { jobsAddress } from '../rules/filters';
import { plural } from '../rules/numbers';
import { shortId, visible } from '../rules/text';
import { leftOut } from '../data/every_namespace';
import { namespace as lookedAt } from '../data/namespace';

export function JobLink({ id, isRun }: { id: string; isRun?: boolean }) {
  return (
    <a class="mono" href={isRun ? `/workflows/${id}` : `/jobs/${id}`} title={id}>
      {shortId(id)}
    </a>
  );
}

export function WorkerLink({ id, namespace }: { id: string | undefined; namespace?: string | undefined }) {
  if (!id) return <span class="faint">–</span>;
  return (
    <a href={workerAddress(id, namespace)} title={id}>
      {visible(id)}
    </a>
  );
}

export function QueueLink({ name }: { name: string }) {
  return <a href={jobsAddress({ queue: name })}>{visible(name)}</a>;
}

/** The namespace of a row, where rows of several are shown. */
export function Namespace({ name }: { name: string | undefined }) {
  return lookedAt.value || !name || name === 'default' ? null : <span class="tag">{name}</span>;
}

/** Said under lists that are read of one namespace after the other. */
export function LeftOut() {
  return lookedAt.value || leftOut.value === 0 ? null : <p class="faint">{plural(leftOut.value, 'namespace')} left out: choose one above to see it.</p>;
}
