import { Badge } from '@mantine/core';
import { type ShownState, sessionStateColor, sessionStateLabel } from './status-text.ts';

/** A status, or whom a session waits for (`stateOf`). */
export function SessionStatus({ status }: { status: ShownState }) {
  return (
    <Badge color={sessionStateColor(status)} variant="dot" tt="none" miw="max-content">
      {sessionStateLabel(status)}
    </Badge>
  );
}
