/** The tools that a server listed, in its own words, and what each needs by the entry. */
import { Button, Card, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isListableTool } from '../../../../../contract/catalog.ts';
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
  accessAfter,
  accessProblem,
  accessWith,
  type ChosenAccess,
  changedTools,
  chosenBefore,
  closesOthers,
  hintTexts,
  keptTools,
  suggestedScope,
  type ToolAccess,
} from './scope-suggestions.ts';
import './claimed-tools.css';

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
  const { begun, typed, chosen, setChosen, discard, save } = useChosenAccess(entry, check, tools);
  const shown = JSON.stringify(chosen);
  const suggestions = new Map(
    tools.flatMap((tool) => {
      const scope = isListableTool(tool.name) ? suggestedScope(entry.name, tool) : null;
      return scope === null ? [] : [[tool.name, scope] as const];
    }),
  );
  const isWrong = Object.values(chosen).some((access) => accessProblem(access) !== null);
  // A tool that needs something already keeps it.
  const left = [...suggestions].filter(([name]) => chosen[name]?.access === 'open');
  const takeAll = () =>
    setChosen({
      ...typed,
      ...Object.fromEntries(left.map(([name, scope]) => [name, { access: 'gated', scope } as const])),
    });
  return (
    <Card withBorder component="section" aria-label="Tools" className="claimed-tools">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h4">
            Tools
          </Title>
          <Button variant="default" size="xs" onClick={takeAll} disabled={left.length === 0}>
            {left.length === 0
              ? 'Use all suggestions'
              : `Use suggestions for ${left.length === 1 ? '1 tool' : `${left.length} tools`}`}
          </Button>
        </Group>
        <Text size="sm">
          Names, descriptions and hints come from the server and are not verified, and neither are suggestions
          based on them. An open tool can be called by any agent with this server attached.
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
            changed={changedTools(begun, chosen)}
            onChoose={(tool, access) => setChosen({ ...typed, [tool]: access })}
          />
        )}
        <WhatSavingDoes begun={begun} listing={listing} chosen={chosen} />
        {save.error === null ? null : <FailureAlert error={save.error} values={shown} />}
        {save.isSuccess && JSON.stringify(save.variables) === shown ? (
          <Banner tone="ok" role="status" title="Access saved" />
        ) : null}
        <SaveBar
          changed={changedTools(begun, chosen)}
          isWrong={isWrong}
          isSaving={save.isPending}
          onDiscard={discard}
          onSave={() => save.mutate(chosen)}
        />
      </Stack>
    </Card>
  );
}

/** What is chosen here, and the entry that it is chosen for. */
function useChosenAccess(entry: McpServer, check: McpCheck, tools: readonly ClaimedTool[]) {
  // What the form began with: another person may save meanwhile.
  const [begun, setBegun] = useState(entry);
  // What was chosen, and nothing of the rest: a draft must not take back what somebody else saved since.
  const [pairs, setPairs, forgetDraft] = useDraft<[string, ToolAccess][]>(
    `access of check ${check.id} at version ${begun.version}`,
    [],
  );
  const typed: ChosenAccess = { ...chosenBefore(tools, begun), ...Object.fromEntries(pairs) };
  const setChosen = (access: ChosenAccess) => {
    const changed = changedTools(begun, access);
    setPairs(Object.entries(access).filter(([name]) => changed.includes(name)));
  };
  const save = useSaveAccess(begun, (saved) => {
    setBegun(saved);
    forgetDraft();
  });
  return { begun, typed, chosen: accessAfter(begun, typed), setChosen, discard: () => setPairs([]), save };
}

/** In sight however long the list is. */
function SaveBar({
  changed,
  isWrong,
  isSaving,
  onDiscard,
  onSave,
}: {
  changed: readonly string[];
  isWrong: boolean;
  isSaving: boolean;
  onDiscard: () => void;
  onSave: () => void;
}) {
  const count = changed.length === 1 ? '1 tool changed' : `${changed.length} tools changed`;
  return (
    <div className="save-bar">
      <Text size="sm" role="status">
        {changed.length === 0 ? 'Nothing changed' : `${count}. Running sessions keep what they have.`}
      </Text>
      <Group gap="xs">
        <Button variant="default" disabled={changed.length === 0 || isSaving} onClick={onDiscard}>
          Discard
        </Button>
        <Button disabled={isWrong} loading={isSaving} onClick={onSave}>
          Save access
        </Button>
      </Group>
    </div>
  );
}

function WhatSavingDoes({
  begun,
  listing,
  chosen,
}: {
  begun: McpServer;
  listing: ToolListing;
  chosen: ChosenAccess;
}) {
  const { tools } = listing;
  const closing = closesOthers(begun, chosen);
  const kept = keptTools(tools, begun);
  const gated = Object.values(chosen).filter(({ access }) => access === 'gated');
  return (
    <>
      {kept.length === 0 ? null : (
        <Text size="sm" c="dimmed" component="div">
          What is saved of tools that it did not list is kept: <VisibleText text={kept.join(', ')} />
        </Text>
      )}
      {listing.is_cut || listing.left_out > 0 ? (
        <Text size="sm" c="dimmed">
          {closing
            ? 'Tools that are not shown here are not offered then, unless the entry names them.'
            : 'Tools that are not shown here keep what the entry says of them.'}
        </Text>
      ) : null}
      {closing ? (
        <Banner role="note" tone="wait" title="From then on only tools of this list can be called">
          What the server adds later is not offered either, until an admin opens it here.
        </Banner>
      ) : null}
      {begun.manifest_source === 'image' ? (
        <Banner role="note" tone="wait" title="The manifest comes from the image">
          Saving stores a manifest with the entry, which replaces the one of the image.
        </Banner>
      ) : null}
      {begun.approvers === 'admin' ? (
        <UncountedGrants
          entryName={begun.name}
          scopes={gated.filter((one) => accessProblem(one) === null).map(({ scope }) => scope)}
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
  changed,
  onChoose,
}: {
  tools: readonly ClaimedTool[];
  chosen: ChosenAccess;
  suggestions: ReadonlyMap<string, string>;
  changed: readonly string[];
  onChoose: (tool: string, access: ToolAccess) => void;
}) {
  return (
    <DataTable
      columns={[
        'Tool',
        'Server says',
        { name: 'Access', width: 250 },
        { name: 'Needs a grant for', width: 190 },
      ]}
      minWidth={860}
    >
      {tools.map((tool) => (
        <ToolRow
          key={tool.name}
          tool={tool}
          chosen={chosen[tool.name] ?? { access: 'open', scope: '' }}
          suggestion={suggestions.get(tool.name) ?? null}
          isChanged={changed.includes(tool.name)}
          onChoose={(access) => onChoose(tool.name, access)}
        />
      ))}
    </DataTable>
  );
}

const choices = [
  { value: 'open', label: 'Open' },
  { value: 'gated', label: 'Gated' },
  { value: 'off', label: 'Not offered' },
];

function ToolRow({
  tool,
  chosen,
  suggestion,
  isChanged,
  onChoose,
}: {
  tool: ClaimedTool;
  chosen: ToolAccess;
  suggestion: string | null;
  isChanged: boolean;
  onChoose: (access: ToolAccess) => void;
}) {
  const { name } = tool;
  const { access, scope } = chosen;
  const isListable = isListableTool(name);
  return (
    <tr className={isChanged ? 'is-changed' : ''}>
      <td className="mono">
        <VisibleText text={name} />
      </td>
      <td>
        <ServerClaim tool={tool} />
      </td>
      <td>
        <SegmentedControl
          size="xs"
          aria-label={`Access of ${name}`}
          data={isListable ? choices : choices.map((one) => ({ ...one, disabled: one.value !== 'off' }))}
          value={access}
          onChange={(value) => {
            const next = value as ToolAccess['access'];
            onChoose({ access: next, scope: next === 'gated' && scope === '' ? (suggestion ?? '') : scope });
          }}
        />
      </td>
      <td>
        {access === 'gated' ? (
          <TextInput
            aria-label={`Scope of ${name}`}
            placeholder="files.write"
            value={scope}
            onChange={(event) => onChoose({ access, scope: event.currentTarget.value.trim() })}
            error={accessProblem(chosen)}
            spellCheck={false}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {access === 'open' ? 'any agent with this server' : 'no agent can call it'}
            {isListable ? null : '; its name cannot be listed, so it can only be left out'}
          </Text>
        )}
        {suggestion === null || access === 'off' || (access === 'gated' && suggestion === scope) ? null : (
          <Button
            variant="subtle"
            size="compact-xs"
            mt={4}
            onClick={() => onChoose({ access: 'gated', scope: suggestion })}
          >
            Use {suggestion}
          </Button>
        )}
      </td>
    </tr>
  );
}

function ServerClaim({ tool: { title, description, hints } }: { tool: ClaimedTool }) {
  const claims = hintTexts(hints);
  return (
    <>
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
    </>
  );
}

/** The ordinary edit of the entry: everything of it stays, but for what its tools need. */
function useSaveAccess(entry: McpServer, onSaved: (entry: McpServer) => void) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  return useApiMutation({
    send: (chosen: ChosenAccess) =>
      call(
        api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', {
          params: { path: { slug, name: entry.name }, query: { expected_version: entry.version } },
          body: { ...inputOf(valuesOf(entry)), ...accessWith(entry, chosen) },
        }),
      ),
    invalidates: stale.entry(slug),
    invalidatesOnError: stale.entry(slug),
    onSuccess: ({ mcp_server }) => {
      onSaved(mcp_server);
      queries.setQueryData(keys.mcpServers(slug, 'one', entry.name), mcp_server);
    },
  });
}
