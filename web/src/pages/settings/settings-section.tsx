import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/settings`. */
export default function SettingsSection() {
  return (
    <PageFrame title="Settings">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
