import { Status } from '../../components/pill.tsx';
import { type ShownState, sessionStateLabel, sessionStateTone } from './status-text.ts';

const beforeItRuns = new Set<ShownState>(['pending', 'validating', 'starting']);

/** A status, or whom a session waits for (`stateOf`). */
export function SessionStatus({ status }: { status: ShownState }) {
  return (
    <Status tone={sessionStateTone(status)} icon={beforeItRuns.has(status) ? 'starting' : undefined}>
      {sessionStateLabel(status)}
    </Status>
  );
}
