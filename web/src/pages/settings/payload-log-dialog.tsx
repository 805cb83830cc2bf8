import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';

/** Confirms the only setting that records what nobody can remove. */
export function PayloadLogDialog({ onClose, onConfirm }: { onClose: () => void; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={onConfirm}
      title="Record arguments and results of tool calls?"
      confirmLabel="Start recording"
    >
      <Text>
        In sessions that start from now on, everything that tools are given and return is recorded in the
        audit trail: personal data, file contents and anything else.
      </Text>
      <Text>
        It is kept as long as records of tool calls. Turning this off later does not delete what was recorded.
      </Text>
    </ConfirmDialog>
  );
}
