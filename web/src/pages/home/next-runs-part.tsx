import { Link } from 'wouter';
import type { WorkspaceHome } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { dayAndTimeText } from '../../text/time-text.ts';
import { HomeCard } from './home-card.tsx';

/** When schedules run next, the soonest first. Nothing while none runs. */
export function NextRunsPart({ runs }: { runs: WorkspaceHome['next_runs'] }) {
  const { slug } = useWorkspace();
  if (runs.length === 0) {
    return null;
  }
  return (
    <HomeCard title="Next runs" more={{ to: pathOf(slug, 'schedules'), label: 'Schedules' }}>
      <ul className="home-next">
        {runs.map(({ schedule: { id, name }, at }) => (
          <li key={id}>
            <Link href={pathOf(slug, 'schedules', id)} className="home-title cut" title={name}>
              <VisibleText text={name} />
            </Link>
            <span className="home-clock">{dayAndTimeText(at, new Date())}</span>
            <span className="home-at">
              <RelativeTime at={at} />
            </span>
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}
