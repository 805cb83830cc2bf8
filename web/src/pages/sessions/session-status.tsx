import { Badge } from '@mantine/core';
import { type SessionState, stateColor, stateLabel } from './status-text.ts';

/** A status, or whom a session waits for (`stateOf`). */
export function SessionStatus({ status }: { status: SessionState }) {
  return (
    <Badge color={stateColor(status)} variant="dot" tt="none">
      {stateLabel(status)}
    </Badge>
  );
}
