import { Alert, Badge, Tooltip } from '@mantine/core';

/** In a list: the thing is there, but this installation cannot run it. */
export function UnavailableBadge({ reason }: { reason: string }) {
  return (
    <Tooltip label={reason} multiline maw={360}>
      <Badge color="red" variant="light" tt="none" tabIndex={0} aria-label={`Cannot run here: ${reason}`}>
        Cannot run here
      </Badge>
    </Tooltip>
  );
}

/** On its page, with the reason; sessions that need it fail at their start. */
export function UnavailableAlert({ reason }: { reason: string }) {
  return (
    <Alert role="note" color="red" variant="outline" title="Sessions that use this cannot start here">
      {sentence(reason)}
    </Alert>
  );
}

/** A reason that stands alone. */
export const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;

export const isRuledOut = (reason: string | null | undefined): boolean =>
  reason !== null && reason !== undefined;

/** The description of an option: what it is for, or why it cannot be chosen. */
export const descriptionOr = (text: string, reason: string | null | undefined): string =>
  isRuledOut(reason) ? `Not available here: ${reason}.` : text;
