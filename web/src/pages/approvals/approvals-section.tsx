import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/approvals`. */
export default function ApprovalsSection() {
  return (
    <PageFrame title="Approvals">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
