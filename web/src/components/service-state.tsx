import { Badge } from '@mantine/core';
import type { Preview } from '../api/types.ts';
import { serviceStateColor, serviceStateWord } from '../text/preview-text.ts';

/** How the service of a preview is; nothing for a preview of files. */
export function ServiceState({
  preview: { service_status: status },
  isLive,
}: {
  preview: Pick<Preview, 'service_status'>;
  isLive: boolean;
}) {
  return status === null ? null : (
    <Badge variant="light" tt="none" color={serviceStateColor(status, isLive)}>
      {serviceStateWord(status, isLive)}
    </Badge>
  );
}
