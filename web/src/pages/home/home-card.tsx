/** A part of the page: its name, how many there are, where all of them are, then what it shows. */
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { homeBounds } from '../../../../contract/home-bounds.ts';

export function HomeCard({
  title,
  count,
  more,
  aside,
  isUrgent = false,
  children,
}: {
  title: string;
  /** As the API counts: up to a bound. */
  count?: number;
  more?: { to: string; label: string };
  /** A quiet fact in place of `more`. */
  aside?: ReactNode;
  isUrgent?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={isUrgent ? 'home-card home-card-urgent' : 'home-card'} aria-labelledby={id}>
      <div className="home-card-head">
        <h2 id={id}>{title}</h2>
        {count === undefined || count === 0 ? null : (
          <span className={isUrgent ? 'count' : 'count count-quiet'}>{countText(count)}</span>
        )}
        {more === undefined ? null : (
          <Link href={more.to} className="home-card-more">
            {more.label}
          </Link>
        )}
        {aside === undefined ? null : <span className="home-card-more">{aside}</span>}
      </div>
      {children}
    </section>
  );
}

/** `99+` for a count that may be larger. */
const countText = (count: number): string =>
  count >= homeBounds.counted ? `${homeBounds.counted - 1}+` : `${count}`;

export function QuietLine({ children }: { children: ReactNode }) {
  return <p className="home-quiet">{children}</p>;
}
