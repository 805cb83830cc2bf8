import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/members`. */
export default function MembersSection() {
  return (
    <PageFrame title="Members">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
