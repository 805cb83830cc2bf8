import { Text } from '@mantine/core';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';

/** Confirms the only setting that records what nobody can remove. */
export function PayloadLogDialog({ onClose, onConfirm }: { onClose: () => void; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={onConfirm}
      title="Keep arguments and results of tool calls?"
      confirmLabel="Keep them from now on"
    >
      <Text>
        Sessions that start from now on put what their tools are given and answer into the audit trail:
        personal data, file contents, and whatever else passes.
      </Text>
      <Text>
        It stays as long as records of tool calls are kept; switching this off later keeps only new calls out.
      </Text>
    </ConfirmDialog>
  );
}
