import { useLocation, useSearchParams } from 'wouter';
import { galleryServer } from '../../../../contract/server-gallery.ts';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { McpServerInput } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { isRuledOut } from '../../components/unavailable.tsx';
import { EntryForm } from './entry-form.tsx';
import { newEntry, valuesOfGallery } from './entry-values.ts';

export default function RegisterPage() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  // Where there is no internet a new entry begins without: what cannot be chosen is not preselected.
  const network = isRuledOut(useAvailability()?.internet) ? 'none' : newEntry.network;
  const [params] = useSearchParams();
  const from = galleryServer(params.get('from') ?? '');
  const save = useApiMutation({
    send: (body: McpServerInput) =>
      call(api.POST('/api/workspaces/{slug}/mcp-servers', { params: { path: { slug } }, body })),
    invalidates: stale.entry(slug),
    onRefetched: ({ mcp_server }) => navigate(pathOf(slug, 'catalog', mcp_server.name)),
  });
  return (
    <PageFrame
      width="form"
      title="Add an MCP server"
      description={
        <>
          <TextLink to={pathOf(slug, 'catalog', '_', 'gallery')}>Pick one from the gallery</TextLink>, or is
          it configured in a desktop client?{' '}
          <TextLink to={pathOf(slug, 'catalog', '_', 'import')}>Import its configuration</TextLink>.
        </>
      }
    >
      <EntryForm
        key={`${network} ${from?.input.name}`}
        initial={from === null ? { ...newEntry, network } : valuesOfGallery(from)}
        draftName={from === null ? 'new entry' : `new entry ${from.input.name}`}
        nameIsFixed={false}
        save={save}
        submitLabel="Register"
        onCancel={() => navigate(pathOf(slug, 'catalog'))}
      />
    </PageFrame>
  );
}
