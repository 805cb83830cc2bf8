/**
 * A small chart: one bar a day, stacked by outcome. It is drawn for the eye alone; the same counts stand
 * beside it as a table for those who read instead.
 */
import { VisuallyHidden } from '@mantine/core';
import '../app/charts.css';
import { type BarDay, type BarPart, countsText, dayName } from '../text/day-counts.ts';
import { DayTable } from './day-table.tsx';

const width = 124;
const height = 40;
const gap = 4;

/** `parts` from the bottom up. `label`: what is counted. */
export function DayBars({
  label,
  parts,
  days,
}: {
  label: string;
  parts: readonly BarPart[];
  days: readonly BarDay[];
}) {
  const totals = days.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const most = Math.max(1, ...totals);
  const barWidth = (width - gap * (days.length - 1)) / days.length;
  return (
    <div className="day-bars">
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        {days.map((day, at) => (
          <g key={day.day} transform={`translate(${at * (barWidth + gap)} 0)`}>
            <title>{`${dayName(day.day)}: ${countsText(parts, day)}`}</title>
            <rect className="bar-zero" y={height - 1} width={barWidth} height={1} />
            {stackOf(day.counts, most).map(({ y, size }, part) =>
              size === 0 ? null : (
                <rect
                  key={parts[part]?.name}
                  className={`bar-${parts[part]?.fill}`}
                  y={y}
                  width={barWidth}
                  height={size}
                  rx={1.5}
                />
              ),
            )}
          </g>
        ))}
      </svg>
      <div className="day-letters" aria-hidden="true">
        {days.map(({ day }) => (
          <span key={day}>{dayName(day)[0]}</span>
        ))}
      </div>
      <VisuallyHidden>
        <DayTable label={label} parts={parts} days={days} />
      </VisuallyHidden>
    </div>
  );
}

/** From the bottom up, with a hair between them; what is not zero can be seen. */
function stackOf(counts: readonly number[], most: number): { y: number; size: number }[] {
  const room = height - (counts.length - 1) * 2.6;
  let top = height;
  return counts.map((count) => {
    const size = count === 0 ? 0 : Math.max(1.6, (count / most) * room);
    top -= size;
    const bar = { y: top, size };
    top -= size === 0 ? 0 : 1;
    return bar;
  });
}
