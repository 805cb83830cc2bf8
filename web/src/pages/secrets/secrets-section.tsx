import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/secrets`. */
export default function SecretsSection() {
  return (
    <PageFrame title="Secrets">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
