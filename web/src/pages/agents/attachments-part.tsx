import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { referencedSecretName } from '../../../../contract/names.ts';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { Agent, Attachment } from '../../api/types.ts';
import { useAllServers } from '../../api/use-all.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { EntryStateBadge } from '../../components/unavailable.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { attachOption } from './attach-option.ts';
import { Part } from './form-part.tsx';
import { RevokesNote } from './revokes-note.tsx';
import { useAttachments } from './use-agent.ts';

/** The MCP servers of the agent, what each is given, and the way to attach another. */
export function AttachmentsPart({ agent, mayEdit }: { agent: Agent; mayEdit: boolean }) {
  const query = useAttachments(agent.id);
  return (
    <Part
      title="MCP servers"
      description="Servers that give the agent tools. Changes apply from the next session."
    >
      <QueryState query={query} what="The list of MCP servers">
        {(attachments) => (
          <>
            {attachments.length === 0 ? (
              <Text c="dimmed">No MCP servers attached. The agent has only the platform’s own tools.</Text>
            ) : (
              <AttachmentsTable agent={agent} attachments={attachments} mayEdit={mayEdit} />
            )}
            {mayEdit ? <AttachAnother agent={agent} attached={attachments.map(({ name }) => name)} /> : null}
          </>
        )}
      </QueryState>
    </Part>
  );
}

function AttachmentsTable({
  agent,
  attachments,
  mayEdit,
}: {
  agent: Agent;
  attachments: Attachment[];
  mayEdit: boolean;
}) {
  const { slug } = useWorkspace();
  const [detaching, setDetaching] = useState<string | null>(null);
  const servers = useAllServers(slug).data ?? [];
  return (
    <>
      <DataTable columns={['Server', 'Configuration', mayEdit ? 'Actions' : null]} minWidth={280}>
        {attachments.map(({ name, env }) => {
          const entry = servers.find((server) => server.name === name);
          return (
            <tr key={name}>
              <td>
                <TextLink to={pathOf(slug, 'catalog', name)}>{name}</TextLink>
                {entry === undefined ? null : (
                  <div>
                    <EntryStateBadge entry={entry} />
                  </div>
                )}
              </td>
              <td>
                <GivenEnv env={env} />
              </td>
              {mayEdit ? (
                <td>
                  <Group gap="xs" wrap="wrap">
                    <Button
                      component={Link}
                      href={pathOf(slug, 'agents', agent.id, 'servers', name)}
                      size="compact-sm"
                      variant="default"
                      aria-label={`Configure ${name}`}
                    >
                      Configure
                    </Button>
                    <Button
                      size="compact-sm"
                      variant="danger"
                      aria-label={`Detach ${name}`}
                      onClick={() => setDetaching(name)}
                    >
                      Detach
                    </Button>
                  </Group>
                </td>
              ) : null}
            </tr>
          );
        })}
      </DataTable>
      <DetachDialog agent={agent} name={detaching} onClose={() => setDetaching(null)} />
    </>
  );
}

function GivenEnv({ env }: { env: Attachment['env'] }) {
  const { slug } = useWorkspace();
  const given = Object.entries(env);
  if (given.length === 0) {
    return <Text c="dimmed">none</Text>;
  }
  return (
    <Stack gap={2} style={{ overflowWrap: 'anywhere' }}>
      {given.map(([variable, text]) => {
        const secret = referencedSecretName(text);
        return (
          <Text key={variable} size="sm" component="div">
            <Text span ff="monospace" size="sm">
              {variable}
            </Text>
            {': '}
            {secret === null ? (
              <VisibleText text={text} />
            ) : (
              <>
                secret <TextLink to={pathOf(slug, 'secrets', secret)}>{secret}</TextLink>
              </>
            )}
          </Text>
        );
      })}
    </Stack>
  );
}

function AttachAnother({ agent, attached }: { agent: Agent; attached: readonly string[] }) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const servers = useAllServers(slug).data;
  const open = (servers ?? [])
    .filter(({ name }) => !attached.includes(name))
    .map((server) => attachOption(server, agent));
  if (servers !== undefined && open.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {servers.length === 0
          ? 'There are no MCP servers yet. A workspace admin can add them.'
          : 'All MCP servers are attached.'}
      </Text>
    );
  }
  return (
    <Select
      label="Attach an MCP server"
      placeholder="Choose an MCP server"
      data={open}
      value={null}
      maw={400}
      searchable
      onChange={(name) => {
        if (name !== null) {
          navigate(pathOf(slug, 'agents', agent.id, 'servers', name));
        }
      }}
    />
  );
}

function DetachDialog({ agent, name, onClose }: { agent: Agent; name: string | null; onClose: () => void }) {
  const { slug } = useWorkspace();
  const detach = useApiMutation({
    done: 'Server detached',
    send: () =>
      call(
        api.DELETE('/api/agents/{agent_id}/mcp-attachments/{name}', {
          params: { path: { agent_id: agent.id, name: name ?? '' } },
        }),
      ),
    invalidates: stale.attachments(slug, agent.id),
    onRefetched: onClose,
  });
  return (
    <RemovalDialog
      opened={name !== null}
      onClose={onClose}
      title={`Detach ${name ?? ''}?`}
      confirmLabel="Detach"
      removal={detach}
    >
      <Text>
        From its next session, the agent no longer has this server’s tools. The configuration entered here is
        deleted.
      </Text>
      <RevokesNote />
    </RemovalDialog>
  );
}
