/**
 * The approval dialog of a session's page: opens by itself when something waits for the person, unless they
 * are typing.
 */
import { Button, Group, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { ApprovalDialog } from '../approvals/approval-dialog.tsx';
import { WhoAsksWhat } from '../approvals/request-chain.tsx';
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

interface ApprovalQueue {
  queue: Queue;
  setQueue: (change: (queue: Queue) => Queue) => void;
}

export function useApprovalQueue(requests: readonly PermissionRequest[]): ApprovalQueue {
  const [queue, setQueue] = useState(emptyQueue);
  const waiting = useMemo(() => requests.map(idOf), [requests]);
  useEffect(() => {
    // A person who is typing is not interrupted: the banner says that something waits.
    const next = isTyping() ? putOff : withWaiting;
    setQueue((before) => next(before, waiting));
  }, [waiting]);
  return { queue, setQueue };
}

const idOf = ({ id }: PermissionRequest) => id;

export function SessionApprovals({
  requests,
  approvals: { queue, setQueue },
}: {
  requests: readonly PermissionRequest[];
  approvals: ApprovalQueue;
}) {
  const waiting = requests.map(idOf);
  const others = waiting.filter((id) => id !== queue.shown).length;
  return (
    <>
      {waiting.length === 0 || queue.shown !== null ? null : (
        <Banner tone="wait" role="status">
          <Group justify="space-between" gap="xs">
            <Text fw={600}>
              {waiting.length === 1 ? 'A permission request is' : `${waiting.length} permission requests are`}{' '}
              waiting for you
            </Text>
            <Button size="xs" {...afterDialog} onClick={() => setQueue(() => reopened(waiting))}>
              Review
            </Button>
          </Group>
          <Askers requests={requests} />
        </Banner>
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
        onDecided={() => setQueue((before) => toNext(before, waiting))}
        onClose={() => setQueue((before) => closed(before, waiting))}
      />
    </>
  );
}

/** More than this are counted: the banner stays in view, and must not cover the page. */
const mostNamed = 3;

/** Which sessions of the tree ask, once one below this one does. */
function Askers({ requests }: { requests: readonly PermissionRequest[] }) {
  if (requests.every(({ chain }) => chain.length < 2)) {
    return null;
  }
  return (
    <>
      {requests.slice(0, mostNamed).map((request) => (
        <WhoAsksWhat key={request.id} request={request} />
      ))}
      {requests.length > mostNamed ? <Text size="sm">and {requests.length - mostNamed} more</Text> : null}
    </>
  );
}

/**
 * Whether the person writes in a text field now: it has the focus, and holds text. A field that is marked
 * `aria-busy` holds what was just sent, which nobody is writing now.
 */
function isTyping(): boolean {
  const field = document.activeElement;
  return (
    (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) &&
    field.matches(':read-write:not([aria-busy=true])') &&
    field.value !== ''
  );
}
