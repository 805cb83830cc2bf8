import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import type { McpServerInput } from '../../api/types.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { isRuledOut } from '../../components/unavailable.tsx';
import { readAgainAfterEntryChange } from './after-entry-change.ts';
import { EntryForm } from './entry-form.tsx';
import { newEntry } from './entry-values.ts';

export function RegisterPage() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  // Where there is no internet a new entry begins without: what cannot be chosen is not preselected.
  const network = isRuledOut(useAvailability()?.internet) ? 'none' : newEntry.network;
  const save = useMutation({
    mutationFn: (body: McpServerInput) =>
      call(api.POST('/api/workspaces/{slug}/mcp-servers', { params: { path: { slug } }, body })),
    onSuccess: async ({ mcp_server }) => {
      await readAgainAfterEntryChange(queries, slug);
      navigate(pathOf(slug, 'catalog', mcp_server.name));
    },
  });
  return (
    <PageFrame
      title="Register an MCP server"
      description={
        <>
          Do you have it in a desktop client?{' '}
          <TextLink to={pathOf(slug, 'catalog', '_', 'import')}>Import its configuration</TextLink>.
        </>
      }
    >
      <EntryForm
        key={network}
        initial={{ ...newEntry, network }}
        draftName="new entry"
        nameIsFixed={false}
        save={save}
        submitLabel="Register"
        onCancel={() => navigate(pathOf(slug, 'catalog'))}
      />
    </PageFrame>
  );
}
