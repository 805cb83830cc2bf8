/** Names and values, one pair a row; the names stand above their values on a phone. */
import type { ReactNode } from 'react';

export function FactList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <dl className="fact-list" aria-label={label}>
      {children}
    </dl>
  );
}

/** `isLong`: a text of sentences, which gets the whole width below its name. */
export function Fact({
  name,
  isLong = false,
  children,
}: {
  name: string;
  isLong?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={isLong ? 'long-fact' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
