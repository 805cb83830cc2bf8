import { Checkbox, Stack, Textarea } from '@mantine/core';
import type { PermissionRequest } from '../../api/types.ts';

export interface Denial {
  reason: string;
  mute: boolean;
}

export const noDenial: Denial = { reason: '', mute: false };

/** What goes with a denial. */
export function DenyFields({
  request,
  denial,
  onChange,
}: {
  request: PermissionRequest;
  denial: Denial;
  onChange: (denial: Denial) => void;
}) {
  return (
    <Stack gap="sm">
      <Textarea
        label="Reason"
        description="Optional. Shown to the agent and stored with the request."
        autosize
        minRows={2}
        maxRows={6}
        maxLength={2000}
        data-autofocus
        value={denial.reason}
        onChange={(event) => onChange({ ...denial, reason: event.currentTarget.value })}
      />
      {request.may_mute ? (
        <Checkbox
          label="Mute this session"
          description="Further requests from this session and its child sessions are refused immediately, until someone unmutes it on the session page."
          checked={denial.mute}
          onChange={(event) => onChange({ ...denial, mute: event.currentTarget.checked })}
        />
      ) : null}
    </Stack>
  );
}
