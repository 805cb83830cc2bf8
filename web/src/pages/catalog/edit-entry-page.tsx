import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { McpServer, McpServerInput } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { EntryForm } from './entry-form.tsx';
import { valuesOf } from './entry-values.ts';
import { useEntry } from './use-entry.ts';

export default function EditEntryPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const query = useEntry(slug, name);
  return (
    <QueryState query={query} what="The MCP server">
      {(entry) => <EditEntry entry={entry} />}
    </QueryState>
  );
}

function EditEntry({ entry }: { entry: McpServer }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  // What the form began with: another person may save meanwhile.
  const [begun] = useState(entry);
  const { name } = begun;
  const page = pathOf(slug, 'catalog', name);
  const save = useApiMutation({
    done: 'Server saved',
    send: (body: McpServerInput) =>
      call(
        api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', {
          params: { path: { slug, name }, query: { expected_version: entry.version } },
          body,
        }),
      ),
    invalidates: stale.entry(slug),
    // Somebody else's version, which the banner names, is replaced only by a second save.
    invalidatesOnError: stale.entry(slug),
    onRefetched: () => navigate(page),
  });
  return (
    <PageFrame
      width="form"
      title={`Edit ${name}`}
      description="Running sessions keep the configuration they started with."
    >
      {entry.version === begun.version ? null : (
        <Banner tone="wait" role="alert" title="Someone else has saved this server">
          If you save, your values replace their version {entry.version}.
        </Banner>
      )}
      <EntryForm
        initial={valuesOf(begun)}
        draftName={`entry ${name} ${begun.version}`}
        nameIsFixed
        ofImage={begun.manifest_source === 'image' ? begun.manifest : null}
        save={save}
        submitLabel="Save"
        onCancel={() => navigate(page)}
      />
    </PageFrame>
  );
}
