import { Tooltip } from '@mantine/core';
import type { McpServer } from '../api/types.ts';
import { notReadyReason } from '../text/registration-state.ts';
import { Banner } from './banner.tsx';
import { Pill } from './pill.tsx';
import { VisibleText } from './visible-text.tsx';

/** In a list: the thing is there, but this installation cannot run it. */
export function UnavailableBadge({ reason }: { reason: string }) {
  return (
    <Tooltip label={reason} multiline maw={360}>
      <Pill tone="fail" tabIndex={0} aria-label={`Cannot run here: ${reason}`}>
        Cannot run here
      </Pill>
    </Tooltip>
  );
}

/** In a list, of an entry of the catalog: that it cannot run here, or is not ready. */
export function EntryStateBadge({ entry }: { entry: Pick<McpServer, 'unavailable' | 'registration'> }) {
  if (entry.unavailable !== null) {
    return <UnavailableBadge reason={entry.unavailable.reason} />;
  }
  const reason = notReadyReason(entry);
  return reason === null ? null : (
    <Tooltip label={<VisibleText text={reason} />} multiline maw={360}>
      <Pill
        tone={entry.registration?.status === 'pending' ? 'run' : 'fail'}
        tabIndex={0}
        aria-label={`Not ready: ${reason}`}
      >
        Not ready
      </Pill>
    </Tooltip>
  );
}

/** On the page of something that uses the entry; nothing for one that is ready. */
export function NotReadyAlert({ entry }: { entry: Pick<McpServer, 'registration'> }) {
  const reason = notReadyReason(entry);
  return reason === null ? null : (
    <Banner role="note" tone="wait" title="Sessions that use this cannot start yet">
      <VisibleText text={reason} />
    </Banner>
  );
}

/** On its page, with the reason; sessions that need it fail at their start. */
export function UnavailableAlert({ reason }: { reason: string }) {
  return (
    <Banner role="note" tone="fail" title="Sessions that use this cannot start here">
      {sentence(reason)}
    </Banner>
  );
}

/** A reason that stands alone. */
export const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;

export const isRuledOut = (reason: string | null | undefined): boolean =>
  reason !== null && reason !== undefined;

/** The description of an option: what it is for, or why it cannot be chosen. */
export const descriptionOr = (text: string, reason: string | null | undefined): string =>
  isRuledOut(reason) ? `Not available here: ${reason}.` : text;
