import { PageFrame } from '../../components/page-frame.tsx';
import { EmptyState } from '../../components/state-views.tsx';

/** Pages below `/{slug}/catalog`. */
export default function CatalogSection() {
  return (
    <PageFrame title="MCP catalog">
      <EmptyState title="This page is not there yet" />
    </PageFrame>
  );
}
