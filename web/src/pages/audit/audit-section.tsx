import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/audit`. */
export default function AuditSection() {
  return (
    <PageFrame title="Audit">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
