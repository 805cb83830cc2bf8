import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';

/** Days, or nothing: then records are kept for good. */
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
      label="Days that records of tool calls are kept"
      description="Older ones are removed from the audit trail. Leave it empty to keep them for good."
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
