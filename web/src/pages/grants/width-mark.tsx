/** How far a grant reaches, in words and at a glance: the more bars, the wider. */
import type { Grant } from '../../api/types.ts';
import { type GrantWidth, widthLabel, widthOf } from './grant-text.ts';

const filledBars: Record<GrantWidth, number> = {
  exact_call: 1,
  once: 1,
  session: 2,
  until: 3,
  persistent: 4,
};
const bars = [0, 1, 2, 3];

export function WidthMark({ grant }: { grant: Pick<Grant, 'scope' | 'exact_call' | 'expires_at'> }) {
  const width = widthOf(grant);
  const filled = filledBars[width];
  return (
    <span className={`width-mark width-${width}`}>
      <svg viewBox="0 0 22 12" width={22} height={12} aria-hidden="true">
        {bars.map((bar) => (
          <rect
            key={bar}
            className={bar < filled ? 'width-on' : 'width-off'}
            x={bar * 6}
            width={4}
            height={12}
            rx={1}
          />
        ))}
      </svg>
      <span>{widthLabel[width]}</span>
    </span>
  );
}
