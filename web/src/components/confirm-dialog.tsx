import { Button, Group, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { FailureAlert } from './failure-alert.tsx';

/**
 * Asks before something that cannot be undone. Cancel has the focus, so that a key pressed too early does
 * nothing. `error` is the failure of the attempt; the dialog stays open then. It is dropped with the dialog,
 * and once `values`, the dialog's input, changes.
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
  const [forgotten, setForgotten] = useState<Error | null>(null);
  const close = () => {
    setForgotten(error);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeOnClickOutside={!pending}>
      <Stack>
        {children}
        <FailureAlert error={error === forgotten ? null : error} values={values} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
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
