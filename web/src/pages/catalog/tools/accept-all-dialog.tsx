import { List, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { ToolDifference } from '../../../api/types.ts';
import { CodeText } from '../../../components/code-text.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { subjectOf } from './definition-view.tsx';

const mostNamed = 20;

/** Asks before many definitions are accepted together, and names them. */
export function AcceptAllDialog({
  asked,
  accept,
  onClose,
}: {
  /** Null while nothing is asked. */
  asked: readonly ToolDifference[] | null;
  accept: UseMutationResult<number, Error, readonly string[]>;
  onClose: () => void;
}) {
  // What is named stays while the dialog closes.
  const [last, setLast] = useState<readonly ToolDifference[]>([]);
  if (asked !== null && asked !== last) {
    setLast(asked);
  }
  return (
    <ConfirmDialog
      opened={asked !== null}
      onClose={onClose}
      title={`Accept ${last.length} definitions?`}
      confirmLabel={`Accept ${last.length}`}
      onConfirm={() =>
        accept.mutate(
          last.map(({ id }) => id),
          { onSettled: onClose },
        )
      }
      pending={accept.isPending}
    >
      <Text>From then on this is what the server may say of its tools. It cannot be undone.</Text>
      <List size="sm">
        {last.slice(0, mostNamed).map((difference) => (
          <List.Item key={difference.id}>
            <CodeText text={subjectOf(difference)} />
          </List.Item>
        ))}
        {last.length > mostNamed ? <List.Item>and {last.length - mostNamed} more</List.Item> : null}
      </List>
    </ConfirmDialog>
  );
}
