import { List } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, type Use } from '../api/failure.ts';
import { Banner } from './banner.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { TextLink } from './text-link.tsx';
import { VisibleText } from './visible-text.tsx';

interface Blocked {
  title: string;
  /** The page of what blocks the removal. */
  pathOfUse(id: string): string;
}

/**
 * Asks before something is removed, deleted or revoked, sends that, and names what blocks it. The
 * children say what it does.
 */
export function RemovalDialog({
  opened,
  onClose,
  title,
  confirmLabel,
  removal,
  blocked,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  title: string;
  confirmLabel: string;
  removal: UseMutationResult<unknown, Error, void>;
  /** For what cannot be removed while it is in use. */
  blocked?: Blocked;
  children: ReactNode;
}) {
  const { error } = removal;
  const uses = blocked !== undefined && error instanceof ApiFailure ? error.uses : [];
  return (
    <ConfirmDialog
      opened={opened}
      onClose={() => {
        removal.reset();
        onClose();
      }}
      title={title}
      confirmLabel={confirmLabel}
      onConfirm={() => removal.mutate()}
      pending={removal.isPending}
      error={uses.length > 0 ? null : error}
    >
      {children}
      {blocked === undefined || uses.length === 0 ? null : <InUseAlert {...blocked} uses={uses} />}
    </ConfirmDialog>
  );
}

function InUseAlert({ title, uses, pathOfUse }: Blocked & { uses: readonly Use[] }) {
  return (
    <Banner tone="fail" role="alert" title={title}>
      <List size="sm">
        {uses.map(({ id, name }) => (
          <List.Item key={id}>
            <TextLink to={pathOfUse(id)}>
              <VisibleText text={name} />
            </TextLink>
          </List.Item>
        ))}
      </List>
    </Banner>
  );
}
