/** The tools that a server listed, in its own words, and which scope each gets in the entry's manifest. */
import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../../api/client.ts';
import { keys } from '../../../api/keys.ts';
import { stale } from '../../../api/stale.ts';
import type { ClaimedTool, McpCheck, McpServer, ToolListing } from '../../../api/types.ts';
import { useApiMutation } from '../../../api/use-api-mutation.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { FailureAlert } from '../../../components/failure-alert.tsx';
import { Pill } from '../../../components/pill.tsx';
import { useDraft } from '../../../components/use-draft.ts';
import { VisibleText } from '../../../components/visible-text.tsx';
import { inputOf, valuesOf } from '../entry-values.ts';
import { UncountedGrants } from '../uncounted-grants.tsx';
import {
  type ChosenScopes,
  chosenBefore,
  hintTexts,
  manifestWith,
  scopeProblem,
  suggestedScope,
  unlistedTools,
} from './scope-suggestions.ts';

export function ClaimedTools({
  entry,
  check,
  listing,
}: {
  entry: McpServer;
  check: McpCheck;
  listing: ToolListing;
}) {
  const { tools } = listing;
  // What the form began with: another person may save meanwhile.
  const [begun, setBegun] = useState(entry);
  const [pairs, setPairs, forgetDraft] = useDraft(
    `scopes of check ${check.id}`,
    Object.entries(chosenBefore(tools, entry.manifest)),
  );
  const chosen: ChosenScopes = Object.fromEntries(pairs);
  const shown = JSON.stringify(chosen);
  const setChosen = (scopes: ChosenScopes) => setPairs(Object.entries(scopes));
  const save = useSaveScopes(begun, (saved) => {
    setBegun(saved);
    forgetDraft();
  });
  const suggestions = new Map(tools.map((tool) => [tool.name, suggestedScope(entry.name, tool)]));
  const isWrong = Object.values(chosen).some((scope) => scopeProblem(scope) !== null);
  const takeAll = () =>
    setChosen(
      Object.fromEntries(tools.map(({ name }) => [name, chosen[name] || (suggestions.get(name) ?? '')])),
    );
  return (
    <Card withBorder component="section" aria-label="Tools">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Tools
        </Title>
        <Text size="sm">
          Names, descriptions and hints come from the server and are not verified, and neither are suggestions
          based on them. A tool without a scope{' '}
          {begun.unlisted_tools === 'allow'
            ? 'is open to any agent with this server attached.'
            : 'can be called only if it is listed in the entry.'}
        </Text>
        <LeftOut listing={listing} />
        {entry.version === check.mcp_server.version || entry.version === begun.version ? null : (
          <Banner role="alert" tone="wait" title="Someone else has saved this server">
            Saving replaces their version {entry.version}. Run the check again to start from theirs.
          </Banner>
        )}
        {tools.length === 0 ? <Text>The server lists no tools.</Text> : null}
        {tools.length === 0 ? null : (
          <ToolsTable
            tools={tools}
            chosen={chosen}
            suggestions={suggestions}
            onChoose={(tool, scope) => setChosen({ ...chosen, [tool]: scope })}
          />
        )}
        <WhatSavingDoes begun={begun} tools={tools} chosen={chosen} />
        {save.error === null ? null : <FailureAlert error={save.error} values={shown} />}
        {save.isSuccess && JSON.stringify(save.variables) === shown ? (
          <Banner tone="ok" role="status" title="Scopes saved" />
        ) : null}
        <Group>
          <Button disabled={isWrong} loading={save.isPending} onClick={() => save.mutate(chosen)}>
            Save scopes
          </Button>
          <Button
            variant="default"
            onClick={takeAll}
            disabled={[...suggestions.values()].every((one) => one === null)}
          >
            Use all suggestions
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function WhatSavingDoes({
  begun,
  tools,
  chosen,
}: {
  begun: McpServer;
  tools: readonly ClaimedTool[];
  chosen: ChosenScopes;
}) {
  const kept = unlistedTools(tools, begun.manifest);
  return (
    <>
      {kept.length === 0 ? null : (
        <Text size="sm" c="dimmed" component="div">
          Scopes of tools that it did not list are kept: <VisibleText text={kept.join(', ')} />
        </Text>
      )}
      {begun.manifest_source === 'image' ? (
        <Banner role="note" tone="wait" title="The manifest comes from the image">
          Saving stores a manifest with the entry, which replaces the one of the image.
        </Banner>
      ) : null}
      {begun.approvers === 'admin' ? (
        <UncountedGrants
          entryName={begun.name}
          scopes={Object.values(chosen).filter((scope) => scope !== '' && scopeProblem(scope) === null)}
          when="saving"
        />
      ) : null}
    </>
  );
}

function LeftOut({ listing: { left_out, is_cut } }: { listing: ToolListing }) {
  return left_out === 0 && !is_cut ? null : (
    <Banner role="note" tone="wait" title="Some tools are not shown">
      {left_out === 0
        ? 'The server has more tools than can be listed.'
        : `${left_out} left out: over the limit, duplicate, or with an invalid name.`}
    </Banner>
  );
}

function ToolsTable({
  tools,
  chosen,
  suggestions,
  onChoose,
}: {
  tools: readonly ClaimedTool[];
  chosen: ChosenScopes;
  suggestions: ReadonlyMap<string, string | null>;
  onChoose: (tool: string, scope: string) => void;
}) {
  return (
    <DataTable columns={['Tool', 'Description by the server', 'Required scope']} minWidth={640}>
      {tools.map((tool) => (
        <ToolRow
          key={tool.name}
          tool={tool}
          scope={chosen[tool.name] ?? ''}
          suggestion={suggestions.get(tool.name) ?? null}
          onChoose={(scope) => onChoose(tool.name, scope)}
        />
      ))}
    </DataTable>
  );
}

function ToolRow({
  tool: { name, title, description, hints },
  scope,
  suggestion,
  onChoose,
}: {
  tool: ClaimedTool;
  scope: string;
  suggestion: string | null;
  onChoose: (scope: string) => void;
}) {
  const claims = hintTexts(hints);
  return (
    <tr>
      <td className="mono">
        <VisibleText text={name} />
      </td>
      <td>
        {title === null ? null : (
          <Text size="sm" fw={600} component="div">
            <VisibleText text={title} />
          </Text>
        )}
        {description === null ? null : (
          <Text size="sm" component="div" lineClamp={4}>
            <VisibleText text={description} />
          </Text>
        )}
        <Group gap={4} mt={4}>
          {claims.length === 0 ? (
            <Text size="xs" c="dimmed">
              No hints.
            </Text>
          ) : null}
          {claims.map((claim) => (
            <Pill tone="idle" key={claim}>
              claims: {claim}
            </Pill>
          ))}
        </Group>
      </td>
      <td>
        <TextInput
          aria-label={`Scope of ${name}`}
          placeholder="none"
          value={scope}
          onChange={(event) => onChoose(event.currentTarget.value.trim())}
          error={scopeProblem(scope)}
          spellCheck={false}
        />
        {suggestion === null || suggestion === scope ? null : (
          <Button variant="subtle" size="compact-xs" mt={4} onClick={() => onChoose(suggestion)}>
            Use {suggestion}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** The ordinary edit of the entry: everything of it stays, but for the scopes of its tools. */
function useSaveScopes(entry: McpServer, onSaved: (entry: McpServer) => void) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  return useApiMutation({
    send: (chosen: ChosenScopes) =>
      call(
        api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', {
          params: { path: { slug, name: entry.name } },
          body: { ...inputOf(valuesOf(entry)), manifest: manifestWith(entry.manifest, chosen) },
        }),
      ),
    invalidates: stale.entry(slug),
    onSuccess: ({ mcp_server }) => {
      onSaved(mcp_server);
      queries.setQueryData(keys.mcpServers(slug, 'one', entry.name), mcp_server);
    },
  });
}
