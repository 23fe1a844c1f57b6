// The last hour or day, from the server's own memory.
import { answer, api } from '../api/client';
import { kept } from '../data/kept';
import { useQuery } from '../data/query';
import { Card } from '../parts/card';
import { Chart, type Series } from '../parts/chart';
import { Shown } from '../parts/loading';
import { goesOn, joined, lastPoint, type Recorded } from '../rules/history';
import { compact } from '../rules/numbers';
import { duration } from '../rules/time';

interface Drawn {
  title: string;
  format: (value: number) => string;
  series: { name: string; of: string; colour: string }[];
}

export type Span = 'hour' | 'day';

const CHARTS: Drawn[] = [
  {
    title: 'Jobs per second',
    format: compact,
    series: [
      { name: 'in', of: 'jobs_in_per_second', colour: '--state-ready' },
      { name: 'out', of: 'jobs_out_per_second', colour: '--state-completed' },
      { name: 'failed', of: 'jobs_failed_per_second', colour: '--state-dead' },
    ],
  },
  {
    title: 'Waiting and running',
    format: compact,
    series: [
      { name: 'waiting', of: 'ready', colour: '--state-ready' },
      { name: 'running', of: 'running', colour: '--state-running' },
      { name: 'dead', of: 'dead', colour: '--state-dead' },
    ],
  },
  { title: 'Age of the oldest waiting job', format: duration, series: [{ name: 'oldest', of: 'oldest_ready_ms', colour: '--warn' }] },
  {
    title: 'Workers',
    format: compact,
    series: [
      { name: 'live', of: 'workers_live', colour: '--state-completed' },
      { name: 'draining', of: 'workers_draining', colour: '--warn' },
      { name: 'unhealthy', of: 'workers_unhealthy', colour: '--state-dead' },
    ],
  },
  { title: 'Store: time of a commit', format: duration, series: [{ name: 'mean', of: 'store_commit_ms', colour: '--state-scheduled' }] },
  { title: 'Server: processor cores', format: (value) => value.toFixed(2), series: [{ name: 'cores', of: 'cpu_cores', colour: '--state-running' }] },
];

const known = kept<Span, Recorded>();

/** Everything at first, then only what has come since. */
async function readOn(span: Span, signal: AbortSignal): Promise<Recorded> {
  const before = known.get(span);
  const since = before && lastPoint(before);
  const ask = async (query: { span: Span; since?: string }) =>
    (await answer(api.GET('/api/v1/metrics/history', { params: { query }, signal }))) as unknown as Recorded;
  const read = await ask({ span, ...(since && { since }) });
  const all = !before ? read : goesOn(before, read) ? joined(before, read) : await ask({ span });
  if (!signal.aborted) known.set(span, all);
  return all;
}

export function History({ span }: { span: Span }) {
  const history = useQuery(`history ${span}`, (signal) => readOn(span, signal), {
    everyMs: span === 'hour' ? 5000 : 60_000,
  });
  return (
    <div class="grid-2">
      {CHARTS.map((chart) => (
        <Card key={chart.title} title={chart.title}>
          <Shown query={history} rows={6}>
            {(data) => {
              const from = Date.parse(data.from);
              const times = Array.from({ length: data.points }, (_, at) => from + at * data.step_ms);
              const series: Series[] = chart.series
                .map((one) => ({ one, values: data.series[one.of] }))
                .filter((found) => found.values !== undefined)
                .map(({ one, values }) => ({ name: one.name, colour: one.colour, values: values! }));
              return <Chart label={chart.title} times={times} series={series} format={chart.format} />;
            }}
          </Shown>
        </Card>
      ))}
    </div>
  );
}
