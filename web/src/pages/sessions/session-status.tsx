import { Badge } from '@mantine/core';
import { type SessionStatus as Status, sessionStatusColor, sessionStatusLabel } from './status-text.ts';

export function SessionStatus({ status }: { status: Status }) {
  return (
    <Badge color={sessionStatusColor[status]} variant="dot" tt="none">
      {sessionStatusLabel[status]}
    </Badge>
  );
}
