import type { Preview } from '../api/types.ts';
import { serviceStateTone, serviceStateWord } from '../text/preview-text.ts';
import { Pill } from './pill.tsx';

/** How the service of a preview is; nothing for a preview of files. */
export function ServiceState({
  preview: { service_status: status },
  isLive,
}: {
  preview: Pick<Preview, 'service_status'>;
  isLive: boolean;
}) {
  return status === null ? null : (
    <Pill tone={serviceStateTone(status, isLive)}>{serviceStateWord(status, isLive)}</Pill>
  );
}
