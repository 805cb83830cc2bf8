import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/agents`. */
export default function AgentsSection() {
  return (
    <PageFrame title="Agents">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
