import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** Days, or nothing: then records are kept forever. */
export function RetentionField({
  value,
  onChange,
  error,
}: {
  value?: number | null;
  onChange?: (days: number | null) => void;
  error?: ReactNode;
}) {
  return (
    <NumberInput
      label="Tool call retention (days)"
      description="Older records of tool calls are deleted from the audit trail. Leave empty to keep them forever."
      min={1}
      max={36_500}
      allowDecimal={false}
      clampBehavior="none"
      value={value ?? ''}
      onChange={(days) => onChange?.(typeof days === 'number' ? days : null)}
      error={error}
    />
  );
}
