// Why a job does not run, in one sentence whose nouns lead to what is in the way.
import { segmentsOf, toneOf, type Why } from '../rules/why';
import { visible } from '../rules/text';
import { Instant } from './when';

export function WhyLine({ why, job }: { why: Why; job: { queue?: string; namespace?: string } }) {
  return (
    <p class={`why ${why.state === 'dead' ? 'bad' : toneOf(why.code)}`} aria-label="Why">
      <b>Why</b>
      <span>
        {segmentsOf(why, job).map((segment, at) =>
          segment.href ? (
            <a key={at} href={segment.href}>
              {visible(segment.text)}
            </a>
          ) : segment.at ? (
            <Instant key={at} at={segment.at} />
          ) : (
            <span key={at}>{visible(segment.text)}</span>
          ),
        )}
      </span>
    </p>
  );
}
