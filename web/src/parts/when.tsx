// An instant as how long ago it was, or is to come; the exact time in the reader's zone on hover.
import { now } from '../data/now';
import { clock, duration, exact, instant, relative } from '../rules/time';

export function When({ at, empty = '–' }: { at: string | undefined; empty?: string }) {
  const moment = instant(at);
  if (moment === undefined) return <span class="faint">{empty}</span>;
  return (
    <time dateTime={at} title={exact(moment)} class="nowrap">
      {relative(moment, now.value)}
    </time>
  );
}

/** How long something has been going on. */
export function Since({ at }: { at: string | undefined }) {
  const moment = instant(at);
  if (moment === undefined) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={`since ${exact(moment)}`} class="nowrap">
      {duration(Math.max(0, Math.floor((now.value - moment) / 1000) * 1000))}
    </time>
  );
}

/** Within a sentence: "13:36:03 (19s ago)", with the day when it is another one. */
export function Instant({ at }: { at: string }) {
  const moment = instant(at);
  if (moment === undefined) return <>{at}</>;
  const isToday = exact(moment).slice(0, 10) === exact(now.value).slice(0, 10);
  return (
    <time dateTime={at} title={exact(moment)} class="nowrap">
      {isToday ? clock(moment) : exact(moment).slice(0, 19)} ({relative(moment, now.value)})
    </time>
  );
}
