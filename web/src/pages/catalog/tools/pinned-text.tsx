import type { ReactNode } from 'react';
import type { PinnedToolList } from '../../../api/types.ts';
import { PersonName } from '../../../components/person-name.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';

/** How the version got its accepted tools: "Pinned 3 minutes ago in a check by Ada". */
export function PinnedText({ pinned: { source, pinned_at: at, pinned_by: by } }: { pinned: PinnedToolList }) {
  const how: Record<PinnedToolList['source'], ReactNode> = {
    check: (
      <>
        in a check by <PersonName id={by} />
      </>
    ),
    session: 'in the first session that listed them',
    earlier_version: 'from the version before, which runs the same',
  };
  return (
    <>
      Pinned <RelativeTime at={at} /> {how[source]}.
    </>
  );
}
