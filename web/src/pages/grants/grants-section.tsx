import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/grants`. */
export default function GrantsSection() {
  return (
    <PageFrame title="Grants">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
