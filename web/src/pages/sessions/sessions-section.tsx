import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/sessions`. */
export default function SessionsSection() {
  return (
    <PageFrame title="Sessions">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
