// A time series. uPlot draws it on a canvas and is loaded when the first chart is shown; until then its place is kept.
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { loaded } from '../data/missing_file';
import { saidOnce } from '../rules/axis';

export interface Series {
  name: string;
  values: (number | null)[];
  /** A custom property of tokens.css. */
  colour: string;
}

interface ChartProps {
  label: string;
  times: number[];
  series: Series[];
  format: (value: number) => string;
  height?: number;
}

function colourOf(host: Element, name: string): string {
  // `light-dark()` is resolved where it is used as a colour, so it is asked for as one.
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  host.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

async function draw(host: HTMLElement, props: ChartProps): Promise<uPlot> {
  const [Plot] = await Promise.all([loaded(import('uplot'), (file) => file.default), import('uplot/dist/uPlot.min.css')]);
  const axis = { stroke: colourOf(host, '--ink-faint'), grid: { stroke: colourOf(host, '--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  return new Plot(
    {
      width: host.clientWidth || 300,
      height: props.height ?? 150,
      padding: [8, 20, 0, 0], // half of the last label of the time axis
      legend: { show: false },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { range: (_, low, high) => [Math.min(0, low), Math.max(1, high * 1.1)] } },
      axes: [
        { ...axis, size: 26, space: 70, values: (_, times) => saidOnce(times.map((time) => new Date(time * 1000).toTimeString().slice(0, 5))) },
        { ...axis, size: 48, space: 30, values: (_, values) => saidOnce(values.map(props.format)) },
      ],
      series: [
        {},
        ...props.series.map((one, at) => {
          const stroke = colourOf(host, one.colour);
          return { label: one.name, stroke, width: 1.6, points: { show: false }, spanGaps: false, ...(at === 0 && { fill: `color-mix(in srgb, ${stroke} 9%, transparent)` }) };
        }),
      ],
    },
    dataOf(props),
    host,
  );
}

function dataOf(props: ChartProps): uPlot.AlignedData {
  return [props.times.map((time) => time / 1000), ...props.series.map((one) => one.values)] as uPlot.AlignedData;
}

export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const newest = useRef(props);
  newest.current = props;
  const shape = props.series.map((one) => one.name + one.colour).join();

  useEffect(() => {
    let isGone = false;
    const element = host.current!;
    const build = async () => {
      const made = await draw(element, newest.current);
      if (isGone) made.destroy();
      else {
        plot.current?.destroy();
        plot.current = made;
        made.setData(dataOf(newest.current));
      }
    };
    void build();
    const sizes = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: newest.current.height ?? 150 }));
    sizes.observe(element);
    const themes = new MutationObserver(() => void build());
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      isGone = true;
      sizes.disconnect();
      themes.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(dataOf(props));
  }, [props.times, props.series]);

  return (
    <>
      <div class="chart" ref={host} role="img" aria-label={describe(props)} />
      <div class="chart-legend">
        {props.series.map((one) => (
          <span key={one.name}>
            <i style={{ background: `var(${one.colour})` }} />
            {one.name} <strong>{lastOf(one, props.format)}</strong>
          </span>
        ))}
      </div>
    </>
  );
}

function lastOf(one: Series, format: ChartProps['format']): string {
  const last = one.values.findLast((value) => value !== null);
  return last === undefined || last === null ? '–' : format(last);
}

function describe({ label, series, format }: ChartProps): string {
  return `${label}: ${series.map((one) => `${one.name} now ${lastOf(one, format)}`).join(', ')}`;
}
