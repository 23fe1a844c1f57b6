// A job's way as a time line.
import { pathOf, type JobTimes } from '../rules/job_path';
import { visible } from '../rules/text';
import { clock, duration, exact, instant } from '../rules/time';
import { WorkerLink } from './links';
import { When } from './when';

export function JobPath({ job, namespace }: { job: JobTimes; namespace: string | undefined }) {
  return (
    <ol class="path">
      {pathOf(job).map((entry, at) => (
        <li key={at} class={entry.tone}>
          <span class="dot" />
          <div>
            <div class="what">
              <strong>{entry.title}</strong>
              <Moment at={entry.at} />
              {entry.after !== undefined && <span class="faint">+{duration(entry.after)}</span>}
              {entry.took !== undefined && <span class="soft">took {duration(entry.took)}</span>}
              {entry.attempt?.worker && (
                <span>
                  by <WorkerLink id={entry.attempt.worker} namespace={namespace} />
                </span>
              )}
              {entry.attempt?.fence !== undefined && <span class="faint">fence {entry.attempt.fence}</span>}
              {entry.tone === 'run' && job.lease_expires_at && (
                <span class="faint">
                  lease ends <When at={job.lease_expires_at} />
                </span>
              )}
            </div>
            {entry.attempt?.error && (
              <div class="error">
                {visible(entry.attempt.error.kind)}: {visible(entry.attempt.error.message)}
              </div>
            )}
            {entry.note && !job.attempts?.at(-1)?.error && <div class="error">{visible(entry.note)}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Moment({ at }: { at: string | undefined }) {
  const moment = instant(at);
  if (moment === undefined) return null;
  return (
    <time dateTime={at} title={exact(moment)} class="soft">
      {clock(moment)}
    </time>
  );
}
