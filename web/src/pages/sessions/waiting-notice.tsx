import { Alert, Button, Group, Text } from '@mantine/core';
import { useContext } from 'react';
import { Link } from 'wouter';
import { WaitingCount } from '../../app/page-title.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';

/** Links from the list of sessions to what waits for the person. */
export function WaitingNotice() {
  const { slug } = useWorkspace();
  const waiting = useContext(WaitingCount);
  return waiting === 0 ? null : (
    <Alert color="yellow" role="status">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {waiting === 1 ? '1 permission request is' : `${waiting} permission requests are`} waiting for you
        </Text>
        <Button component={Link} href={pathOf(slug, 'approvals')} size="xs">
          Review
        </Button>
      </Group>
    </Alert>
  );
}
