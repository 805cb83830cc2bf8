import type { WorkspaceHome } from '../../api/types.ts';
import { DayBars } from '../../components/day-bars.tsx';
import { type BarPart, inOrder, requestParts, sumsOf } from '../../text/day-counts.ts';
import { numberText } from '../../text/number-text.ts';
import { HomeCard, QuietLine } from './home-card.tsx';

type Week = WorkspaceHome['week'];

const sessionParts = [
  { name: 'completed', fill: 'ok' },
  { name: 'failed', fill: 'fail' },
  { name: 'terminated', label: 'stopped', fill: 'idle' },
  { name: 'unfinished', label: 'not ended', fill: 'run' },
] as const satisfies readonly BarPart[];

/** Sessions by their outcome, and what agents asked people, a bar a day. */
export function WeekPart({ week }: { week: Week }) {
  return (
    <HomeCard title="Last 7 days">
      <div className="home-week">
        <Counted name="Sessions" parts={sessionParts} days={week.sessions} />
        <Counted name="Held for a human" parts={requestParts} days={week.requests} />
      </div>
      {week.is_partial ? <QuietLine>There were more: the newest 10,000 are counted.</QuietLine> : null}
    </HomeCard>
  );
}

function Counted<Name extends string>({
  name,
  parts,
  days,
}: {
  name: string;
  parts: readonly (BarPart & { name: Name })[];
  days: readonly ({ day: string } & Record<Name, number>)[];
}) {
  const sums = sumsOf(parts, days);
  const total = sums.reduce((sum, part) => sum + part.sum, 0);
  return (
    <div className="home-counted">
      <div>
        <div className="home-counted-name">{name}</div>
        <div className="home-counted-sum">{numberText(total)}</div>
        <ul className="home-legend">
          {sums
            .filter(({ sum }) => sum > 0)
            .map(({ name: outcome, label = outcome, fill, sum }) => (
              <li key={outcome}>
                <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true">
                  <rect className={`bar-${fill}`} width={8} height={8} rx={2} />
                </svg>
                {numberText(sum)} {label}
              </li>
            ))}
        </ul>
      </div>
      <DayBars label={`${name} of the last 7 days`} parts={parts} days={inOrder(parts, days)} />
    </div>
  );
}
