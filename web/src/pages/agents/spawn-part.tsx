import { Button, Group, List, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery } from '../../api/settings-query.ts';
import type { Agent, Grant } from '../../api/types.ts';
import { useAllAgents, useChoosableAgents } from '../../api/use-all.ts';
import { useAuthority } from '../../api/use-authority.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { AuthorityPart } from '../../components/agent-authority.tsx';
import { Banner } from '../../components/banner.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { RevokeDialog } from '../grants/revoke-dialog.tsx';
import { Part } from './form-part.tsx';
import { useAgentGrants, useMakeGrant } from './use-agent-grants.ts';

/**
 * Agents that this one may start without asking: its persistent `spawn` grants. Of a worker only those that
 * it still has, if any.
 */
export function SpawnPart({ agent }: { agent: Agent }) {
  const query = useAgentGrants(agent.id, 'spawn');
  const { may, rule } = useMayGrantForAgent(agent);
  const isWorker = agent.kind === 'worker';
  if (isWorker && (query.data ?? []).length === 0) {
    return null;
  }
  return (
    <Part
      title="Can start other agents"
      description="Agents that it can start from any of its sessions without asking. It has to ask for all others."
    >
      {isWorker ? <NoEffectNote /> : null}
      <QueryState query={query} what="The list of agents">
        {(grants) => (
          <>
            <Spawnable grants={grants} />
            {may && !isWorker ? <AddSpawnable agent={agent} grants={grants} /> : null}
            {rule === null ? null : (
              <Text size="sm" c="dimmed">
                {rule}
              </Text>
            )}
          </>
        )}
      </QueryState>
    </Part>
  );
}

const NoEffectNote = () => (
  <Banner role="note" tone="wait">
    These have no effect while it is a worker: only orchestrators start other agents.
  </Banner>
);

const childOf = ({ details }: Grant): string => String(details['child_agent_id']);

function Spawnable({ grants }: { grants: readonly Grant[] }) {
  const { slug } = useWorkspace();
  const agents = useAllAgents(slug).data ?? [];
  const [revoking, setRevoking] = useState<Grant | null>(null);
  if (grants.length === 0) {
    return <Text c="dimmed">None.</Text>;
  }
  const nameOf = (id: string) => agents.find((agent) => agent.id === id)?.name;
  return (
    <>
      <List spacing="xs">
        {grants.map((grant) => {
          const name = nameOf(childOf(grant));
          return (
            <List.Item key={grant.id}>
              <Group gap="xs">
                {name === undefined ? (
                  <CopyableId id={childOf(grant)} />
                ) : (
                  <TextLink to={pathOf(slug, 'agents', childOf(grant))}>
                    <VisibleText text={name} />
                  </TextLink>
                )}
                <TextLink to={pathOf(slug, 'grants', grant.id)}>grant</TextLink>
                {grant.may_revoke ? (
                  <Button
                    size="compact-sm"
                    variant="danger"
                    aria-label={`Revoke the permission to start ${name ?? childOf(grant)}`}
                    onClick={() => setRevoking(grant)}
                  >
                    Revoke
                  </Button>
                ) : null}
              </Group>
            </List.Item>
          );
        })}
      </List>
      <RevokeDialog grant={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function AddSpawnable({ agent, grants }: { agent: Agent; grants: readonly Grant[] }) {
  const { slug } = useWorkspace();
  const agents = useChoosableAgents(slug);
  const [chosen, setChosen] = useState<string | null>(null);
  const make = useMakeGrant();
  const authority = useAuthority(chosen);
  const taken = new Set(grants.map(childOf));
  const data = agents.filter(({ id }) => !taken.has(id)).map(({ id, name }) => ({ value: id, label: name }));
  const add = (childId: string) =>
    make.mutate(
      {
        agent_subject_id: agent.id,
        grant_type: 'spawn',
        details: { child_agent_id: childId },
        scope: 'persistent',
      },
      { onSuccess: () => setChosen(null) },
    );
  return (
    <>
      <Group align="flex-end" gap="xs">
        <Select
          label="Allow it to start"
          placeholder="Choose an agent"
          data={data}
          value={chosen}
          onChange={setChosen}
          searchable
          w={{ base: '100%', sm: 320 }}
        />
        <Button
          variant="default"
          disabled={chosen === null || authority.data === undefined}
          loading={make.isPending}
          onClick={() => (chosen === null ? undefined : add(chosen))}
        >
          Grant
        </Button>
      </Group>
      {chosen === null ? null : (
        <>
          <AuthorityPart query={authority} />
          <Text size="sm" c="dimmed">
            The grant holds for every session of this agent, until someone revokes it.
          </Text>
        </>
      )}
      <FailureAlert error={make.error} values={chosen} />
    </>
  );
}

/**
 * Whether the person may make persistent grants for the agent, or the rule that forbids it. The API decides.
 */
function useMayGrantForAgent({ owner_id }: Pick<Agent, 'owner_id'>): {
  may: boolean;
  rule: string | null;
} {
  const { slug, isAdmin } = useWorkspace();
  const isOwner = useMe().user.id === owner_id;
  const workspace = useQuery({ ...settingsQuery(slug), enabled: !isAdmin && isOwner });
  if (isAdmin) {
    return { may: true, rule: null };
  }
  if (!isOwner) {
    return { may: false, rule: 'Only the agent’s owner and workspace admins can change this.' };
  }
  const allowed = workspace.data?.workspace.settings.members_grant_persistent === true;
  return {
    may: allowed,
    rule: allowed ? null : 'Only admins can create persistent grants in this workspace.',
  };
}
