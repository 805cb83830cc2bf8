import { Alert } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import type { McpServer, McpServerInput } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { FailedState, LoadingState } from '../../components/state-views.tsx';
import { readAgainAfterEntryChange } from './after-entry-change.ts';
import { EntryForm } from './entry-form.tsx';
import { valuesOf } from './entry-values.ts';
import { useEntry } from './use-entry.ts';

export function EditEntryPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const entry = useEntry(slug, name);
  if (entry.data === undefined) {
    return entry.error === null ? (
      <LoadingState />
    ) : (
      <FailedState error={entry.error} retry={() => void entry.refetch()} what="The MCP server" />
    );
  }
  return <EditEntry entry={entry.data} />;
}

function EditEntry({ entry }: { entry: McpServer }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  // What the form began with: somebody else may save meanwhile.
  const [begun] = useState(entry);
  const { name } = begun;
  const page = pathOf(slug, 'catalog', name);
  const save = useMutation({
    mutationFn: (body: McpServerInput) =>
      call(api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', { params: { path: { slug, name } }, body })),
    onSuccess: async () => {
      await readAgainAfterEntryChange(queries, slug);
      navigate(page);
    },
  });
  return (
    <PageFrame title={`Edit ${name}`} description="Sessions that run keep what they started with.">
      {entry.version === begun.version ? null : (
        <Alert color="yellow" role="alert" title="Somebody else saved this server meanwhile">
          Saving replaces their version {entry.version} with what is here.
        </Alert>
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
