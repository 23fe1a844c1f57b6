// The steps of a run over time. Every bar is a button that shows the attempt behind it.
import { useState } from 'preact/hooks';
import { now } from '../data/now';
import { ganttOf, type Bar, type Step } from '../rules/gantt';
import { clip, visible } from '../rules/text';
import { duration } from '../rules/time';
import { Facts } from './card';
import { JsonView } from './json_view';
import { JobLink, WorkerLink } from './links';
import { State } from './state';
import { When } from './when';

interface ShownStep extends Step {
  input?: unknown;
  output?: unknown;
}

const LOOKS: [Bar['look'], string][] = [
  ['work', 'work'],
  ['failed', 'failed attempt'],
  ['sleep', 'sleep'],
  ['signal', 'waits for a signal'],
  ['child', 'waits for a child'],
];

export function Gantt({ steps }: { steps: ShownStep[] }) {
  const [chosen, choose] = useState<string>();
  const isOpen = steps.some((step) => !step.finished_at);
  const { lines, ticks } = ganttOf(steps, isOpen ? now.value : 0);
  const step = steps.find((one) => one.id === chosen);
  return (
    <>
      <div class="gantt" tabIndex={0} role="region" aria-label="Steps over time">
        <div class="gantt-grid">
          <span class="gantt-axis" />
          <div class="gantt-axis">
            {ticks.map((tick) => (
              <span key={tick.offset} style={{ left: `${tick.share * 100}%` }}>
                {tick.offset === 0 ? '0' : duration(tick.offset)}
              </span>
            ))}
          </div>
          {lines.map((line) => [
            <span key={line.name} class="gantt-name">
              <span class="clip" title={visible(line.name)}>
                {clip(line.name, 60)}
              </span>
            </span>,
            <div key={`${line.name}-bars`} class="gantt-line">
              {line.bars.map((bar) => (
                <button
                  key={bar.step.id}
                  type="button"
                  class={`gantt-bar ${bar.look} ${bar.isOpen ? 'is-open' : ''} ${bar.step.id === chosen ? 'is-chosen' : ''}`}
                  style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
                  aria-label={`${clip(line.name, 60)}, attempt ${bar.step.attempt}, ${bar.step.state}, ${duration(bar.length)}`}
                  aria-pressed={bar.step.id === chosen}
                  title={`attempt ${bar.step.attempt}: ${bar.step.state}, ${duration(bar.length)}`}
                  onClick={() => choose(bar.step.id === chosen ? undefined : bar.step.id)}
                />
              ))}
            </div>,
          ])}
        </div>
        <p class="gantt-key">
          {LOOKS.map(([look, text]) => (
            <span key={look}>
              <i class={look} />
              {text}
            </span>
          ))}
        </p>
      </div>
      {step && <StepDetail step={step} />}
    </>
  );
}

function StepDetail({ step }: { step: ShownStep }) {
  return (
    <div class="body stack step-detail">
      <Facts
        facts={[
          ['Step', <strong>{visible(step.name)}</strong>],
          ['State', <State state={step.state} note={`attempt ${step.attempt}`} />],
          ['Kind', step.kind],
          ['Begun', <When at={step.begun_at} />],
          ['Finished', step.finished_at && <When at={step.finished_at} />],
          ['Until', step.until && <When at={step.until} />],
          ['Worker', step.worker && <WorkerLink id={step.worker} />],
          ['Child', step.child && <JobLink id={step.child} isRun />],
          ['Signal', step.signal && visible(step.signal)],
          ['Error', step.error && <span class="bad">{visible(`${step.error.kind}: ${step.error.message}`)}</span>],
        ]}
      />
      {step.input !== undefined && <JsonView value={step.input} label="Input of the step" />}
      {step.output !== undefined && <JsonView value={step.output} label="Output of the step" />}
    </div>
  );
}
