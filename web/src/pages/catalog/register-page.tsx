import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { McpServerInput } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { EntryForm } from './entry-form.tsx';
import { newEntry } from './entry-values.ts';

export function RegisterPage() {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (body: McpServerInput) =>
      call(api.POST('/api/workspaces/{slug}/mcp-servers', { params: { path: { slug } }, body })),
    onSuccess: async ({ mcp_server }) => {
      await queries.invalidateQueries({ queryKey: keys.mcpServers(slug) });
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
        initial={newEntry}
        draftName="new entry"
        nameIsFixed={false}
        save={save}
        submitLabel="Register"
        onCancel={() => navigate(pathOf(slug, 'catalog'))}
      />
    </PageFrame>
  );
}
