import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import type { BarPart } from '../../text/day-counts.ts';
import { numberText } from '../../text/number-text.ts';

/** A part of the page, with what stands at the right of its name. */
export function InsightCard({
  id,
  title,
  aside,
  children,
}: {
  /** Where a link of the page leads to it. */
  id?: string;
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  const headingId = useId();
  return (
    <section className="insight-card" aria-labelledby={headingId} id={id}>
      <div className="insight-head">
        <h2 id={headingId}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** What the fills of a chart are, how often each was, and the way to its rows. */
export const Legend = ({ parts }: { parts: readonly (BarPart & { sum: number; to: string })[] }) => (
  <ul className="insight-legend">
    {parts
      .filter(({ sum }) => sum > 0)
      .map(({ name, label = name, fill, sum, to }) => (
        <li key={name}>
          <Link href={to}>
            <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true">
              <rect className={`bar-${fill}`} width={8} height={8} rx={2} />
            </svg>
            {label} <b>{numberText(sum)}</b>
          </Link>
        </li>
      ))}
  </ul>
);
