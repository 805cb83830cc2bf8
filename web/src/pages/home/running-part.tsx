import type { WorkspaceHome } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { sessionStateLabel, sessionStateTone, stateOf } from '../sessions/status-text.ts';
import { HomeCard, QuietLine } from './home-card.tsx';
import { SessionRow } from './session-row.tsx';

/** Sessions that have not ended, newest first. */
export function RunningPart({ running: { first, count } }: { running: WorkspaceHome['running'] }) {
  const { slug } = useWorkspace();
  return (
    <HomeCard
      title="Running now"
      count={count}
      more={{ to: pathOf(slug, 'sessions'), label: 'All sessions' }}
    >
      {count === 0 ? (
        <QuietLine>No session runs.</QuietLine>
      ) : (
        <ul className="home-sessions">
          {first.map((session) => {
            const state = stateOf(session);
            return (
              <SessionRow
                key={session.id}
                session={session}
                icon={<StateIcon tone={sessionStateTone(state)} />}
                fact={sessionStateLabel(state)}
                at={<RelativeTime at={session.created_at} />}
              />
            );
          })}
        </ul>
      )}
    </HomeCard>
  );
}

function StateIcon({ tone }: { tone: ReturnType<typeof sessionStateTone> }) {
  const name = tone === 'run' ? 'running' : tone === 'wait' ? 'clockFilled' : 'starting';
  return (
    <span className={`home-state tone-${tone}`}>
      <Icon name={name} />
    </span>
  );
}
