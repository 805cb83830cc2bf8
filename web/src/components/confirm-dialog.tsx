import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { FailureAlert } from './failure-alert.tsx';

/**
 * Asks before something that cannot be undone. Cancel has the focus, so that a key pressed too early does nothing.
 * `error` is what the attempt ended with; the dialog stays open then. `values` is what one typed into it: a message about
 * something else goes.
 */
export function ConfirmDialog({
  opened,
  onClose,
  title,
  children,
  confirmLabel,
  onConfirm,
  pending = false,
  error = null,
  values,
}: {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  confirmLabel: string;
  onConfirm: () => void;
  pending?: boolean;
  error?: Error | null;
  values?: unknown;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeOnClickOutside={!pending}>
      <Stack>
        {children}
        <FailureAlert error={error} values={values} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" onClick={onConfirm} loading={pending}>
            {confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
