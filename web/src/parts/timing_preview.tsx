// What a timing means, while it is typed: the server's own explanation and next fires, or the field that is wrong.
import { useEffect, useState } from 'preact/hooks';
import { answer, api } from '../api/client';
import { asProblem, type Problem } from '../api/problem';
import { exact } from '../rules/time';
import { FireStrip } from './fire_strip';

const PAUSE_MS = 200;
const DAY_MS = 86_400_000;

interface Shown {
  explanation?: string;
  fires?: string[];
}

export function TimingPreview({ text, zone }: { text: string; zone: string }) {
  const [shown, setShown] = useState<Shown>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    if (!text.trim()) {
      setShown(undefined);
      setProblem(undefined);
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const read = await answer(api.POST('/api/v1/schedules/preview', { body: { timing: { text, ...(zone && { zone }) }, count: 200 } as never, signal: abort.signal }));
        setShown(read as Shown);
        setProblem(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setProblem(asProblem(error));
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, zone]);
  // A server without the route says what is wrong when the schedule is made.
  if (problem?.isMissingRoute) return null;
  if (problem) return <p class="bad" role="alert">{problem.detail}</p>;
  if (!shown) return null;
  const from = Date.now();
  return (
    <div class="stack" role="status">
      <strong>{shown.explanation}</strong>
      <FireStrip label="Next week" fires={shown.fires ?? []} from={from} to={from + 7 * DAY_MS} cells={84} hasMarks />
      <ol class="soft">
        {shown.fires?.slice(0, 3).map((fire) => <li key={fire}>{exact(Date.parse(fire))}</li>)}
      </ol>
    </div>
  );
}
