/** The approval dialog of a session's page: opens by itself when something waits for the person, unless they are typing. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { ApprovalDialog } from '../approvals/approval-dialog.tsx';
import {
  closed,
  emptyQueue,
  putOff,
  type Queue,
  reopened,
  toNext,
  waitingAfter,
  withWaiting,
} from '../approvals/request-queue.ts';
import { afterDialog } from '../approvals/use-focus-after.ts';
import { isTyping } from './is-typing.ts';

export interface ApprovalQueue {
  queue: Queue;
  setQueue: (change: (queue: Queue) => Queue) => void;
}

export function useApprovalQueue(waiting: readonly string[]): ApprovalQueue {
  const [queue, setQueue] = useState(emptyQueue);
  useEffect(() => {
    // A person who is typing is not interrupted: the banner says that something waits.
    const next = isTyping() ? putOff : withWaiting;
    setQueue((before) => next(before, waiting));
  }, [waiting]);
  return { queue, setQueue };
}

export function SessionApprovals({
  waiting,
  approvals: { queue, setQueue },
}: {
  waiting: readonly string[];
  approvals: ApprovalQueue;
}) {
  const others = waiting.filter((id) => id !== queue.shown).length;
  return (
    <>
      {waiting.length === 0 || queue.shown !== null ? null : (
        <Alert color="yellow" role="status" mt="xs" p="xs">
          <Group justify="space-between" gap="xs">
            <Text fw={600}>
              {waiting.length === 1 ? 'A permission request is' : `${waiting.length} permission requests are`}{' '}
              waiting for you
            </Text>
            <Button size="xs" {...afterDialog} onClick={() => setQueue(() => reopened(waiting))}>
              Review
            </Button>
          </Group>
        </Alert>
      )}
      <ApprovalDialog
        requestId={queue.shown}
        others={others}
        onNext={() =>
          setQueue((before) =>
            waitingAfter(before, waiting).length > 0
              ? toNext(before, waiting)
              : reopened(waiting.filter((id) => id !== before.shown)),
          )
        }
        onClose={() => setQueue((before) => closed(before, waiting))}
      />
    </>
  );
}
