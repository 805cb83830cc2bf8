/**
 * Days side by side, stacked by outcome, in one panel or in several with a scale of their own. It is drawn for
 * the eye; what a day is of is said when the pointer, a finger or an arrow key is on it, and all of it is a
 * table below.
 */
import { type PointerEvent, useState } from 'react';
import '../../app/charts.css';
import { DayTable } from '../../components/day-table.tsx';
import { type BarDay, type BarPart, countsText, dayName } from '../../text/day-counts.ts';
import { shortNumberText } from '../../text/number-text.ts';
import { namedDays, scaleTop } from './chart-scale.ts';

export interface Panel {
  parts: readonly BarPart[];
  height: number;
}

const axisHeight = 20;
const panelGap = 14;
const scaleWidth = 38;
/** Above the highest bar, for the number at its line. */
const above = 7;

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dateText = (day: string) => date.format(new Date(`${day}T00:00:00Z`));

/** `days` have a count for each part of all panels, in their order. */
export function DayChart({
  label,
  panels,
  days,
}: {
  label: string;
  panels: readonly Panel[];
  days: readonly BarDay[];
}) {
  const [chosen, setChosen] = useState<number | null>(null);
  const parts = panels.flatMap((panel) => panel.parts);
  const placed = placedPanels(panels, days);
  const height = placed.reduce((sum, panel) => sum + panel.height + panelGap, -panelGap) + axisHeight;
  const last = days.length - 1;
  const said = (at: number) => {
    const day = days[at];
    return day === undefined ? '' : `${dayName(day.day)} ${dateText(day.day)}: ${countsText(parts, day)}`;
  };
  const point = ({ clientX, currentTarget }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setChosen(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * days.length))));
  };
  return (
    <div className="chart">
      <div className="chart-drawing">
        <svg className="chart-scale" width={scaleWidth} height={height} aria-hidden="true">
          {placed.map(({ top, y, height: size }) =>
            [0, top / 2, top].map((value) => (
              <text
                key={`${y} ${value}`}
                x={scaleWidth - 8}
                y={yOf(value, top, y, size) + 3.5}
                textAnchor="end"
              >
                {shortNumberText(value)}
              </text>
            )),
          )}
        </svg>
        <div className="chart-plot">
          <svg width="100%" height={height} aria-hidden="true">
            {placed.map((panel) => (
              <Bars key={panel.y} panel={panel} days={days} chosen={chosen} />
            ))}
            <DayNames days={days} y={height - 4} />
          </svg>
          <input
            type="range"
            min={0}
            max={last}
            value={chosen ?? last}
            aria-label={`${label}: read a day`}
            aria-valuetext={said(chosen ?? last)}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
            onFocus={() => setChosen(chosen ?? last)}
            onBlur={() => setChosen(null)}
            onPointerMove={point}
            onPointerLeave={() => setChosen(null)}
          />
        </div>
      </div>
      <p className="chart-said" aria-hidden="true">
        {chosen === null ? 'Point at a day, or use the arrow keys, to read it.' : said(chosen)}
      </p>
      <details className="chart-table">
        <summary>Show as table</summary>
        <DayTable label={label} parts={parts} days={days} className="table" />
      </details>
    </div>
  );
}

interface PlacedPanel extends Panel {
  /** The number at its upper edge. */
  top: number;
  y: number;
  /** Its first part among those of all panels. */
  firstPart: number;
}

function placedPanels(panels: readonly Panel[], days: readonly BarDay[]): PlacedPanel[] {
  const placed: PlacedPanel[] = [];
  for (const panel of panels) {
    const before = placed.at(-1);
    const firstPart = before === undefined ? 0 : before.firstPart + before.parts.length;
    const totals = days.map((day) => countsOf(day, panel.parts.length, firstPart).reduce((a, b) => a + b, 0));
    placed.push({
      ...panel,
      top: scaleTop(Math.max(0, ...totals)),
      y: before === undefined ? 0 : before.y + before.height + panelGap,
      firstPart,
    });
  }
  return placed;
}

const countsOf = ({ counts }: BarDay, parts: number, first: number) => counts.slice(first, first + parts);

const yOf = (value: number, top: number, y: number, height: number) =>
  y + above + (height - above) * (1 - value / top);

function Bars({
  panel: { parts, height, top, y, firstPart },
  days,
  chosen,
}: {
  panel: PlacedPanel;
  days: readonly BarDay[];
  chosen: number | null;
}) {
  const slot = 100 / days.length;
  const at = (value: number) => yOf(value, top, y, height);
  return (
    <>
      {chosen === null ? null : (
        <rect
          className="chart-chosen"
          x={`${chosen * slot}%`}
          width={`${slot}%`}
          y={y + above}
          height={height - above}
        />
      )}
      {[0, top / 2, top].map((value) => (
        <line key={value} className="chart-line" x1="0" x2="100%" y1={at(value)} y2={at(value)} />
      ))}
      {days.map((day, position) => {
        let sum = 0;
        return countsOf(day, parts.length, firstPart).map((count, part) => {
          const bottom = at(sum);
          sum += count;
          // What is not zero can be seen; a hair parts what stands on each other.
          const size = Math.max(1.6, bottom - at(sum) - (sum > count ? 1 : 0));
          return count === 0 ? null : (
            <rect
              key={`${day.day} ${parts[part]?.name}`}
              className={`bar-${parts[part]?.fill}`}
              x={`${(position + 0.06) * slot}%`}
              width={`${0.88 * slot}%`}
              y={bottom - size - (sum > count ? 1 : 0)}
              height={size}
              rx={1.5}
            />
          );
        });
      })}
    </>
  );
}

const DayNames = ({ days, y }: { days: readonly BarDay[]; y: number }) =>
  namedDays(days.length).map(({ at, isOnPhone }) => {
    const place = (at + 0.5) / days.length;
    return (
      <text
        key={at}
        className={isOnPhone ? undefined : 'chart-more'}
        x={place > 0.95 ? '100%' : `${place * 100}%`}
        y={y}
        textAnchor={place > 0.95 ? 'end' : 'middle'}
      >
        {dateText(days[at]?.day ?? '')}
      </text>
    );
  });
