// The fires of a schedule on a strip of time: each cell says how many fall into it.
import { cellsOf, marksOf } from '../rules/fire_strip';
import { plural } from '../rules/numbers';
import { exact } from '../rules/time';

interface FireStripProps {
  fires: string[];
  from: number;
  to: number;
  cells?: number;
  hasMarks?: boolean;
  label: string;
}

export function FireStrip({ fires, from, to, cells = 48, hasMarks = false, label }: FireStripProps) {
  const times = fires.map((fire) => Date.parse(fire));
  return (
    <div class="strip" role="img" aria-label={`${label}: ${plural(times.filter((at) => at >= from && at < to).length, 'fire')}`}>
      <div class="strip-cells">
        {cellsOf(times, from, to, cells).map((cell) => (
          <i key={cell.from} class={cell.fires === 0 ? '' : cell.fires === 1 ? 'one' : 'many'} title={cell.fires ? `${plural(cell.fires, 'fire')} from ${exact(Math.round(cell.from))}` : undefined} />
        ))}
      </div>
      {hasMarks && (
        <div class="strip-marks">
          {marksOf(from, to, 8).map((mark) => (
            <span key={mark.at} style={{ left: `${((mark.at - from) / (to - from)) * 100}%` }}>
              {mark.label}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
