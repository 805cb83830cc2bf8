import { Status } from '../../components/pill.tsx';
import { type ShownState, sessionStateLabel, sessionStateTone } from './status-text.ts';

/** A status, or whom a session waits for (`stateOf`). */
export function SessionStatus({ status }: { status: ShownState }) {
  return <Status tone={sessionStateTone(status)}>{sessionStateLabel(status)}</Status>;
}
