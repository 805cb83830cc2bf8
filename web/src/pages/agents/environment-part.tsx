import { Alert, Badge, Button, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Agent } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { type EnvRow, rowsOf } from './env-values.ts';
import { Part } from './form-part.tsx';
import { useAgentGrants, useMakeGrant } from './use-agent-grants.ts';
import { VariableValue } from './variable-value.tsx';

/** The agent's own variables. A secret among them is one that the agent can read: each needs an admin's grant. */
export function EnvironmentPart({ agent }: { agent: Agent }) {
  const rows = rowsOf(agent.env);
  const secrets = rows.filter(({ kind }) => kind === 'secret');
  return (
    <Part
      title="Environment"
      description="Variables of the agent’s own process. MCP servers have their own variables, above."
    >
      {secrets.length === 0 ? null : (
        <Alert role="note" color="orange" title="The agent can read the secrets below">
          Secrets in the agent’s own environment are in plain text: the agent can print them or send them
          anywhere it can reach. Prefer giving the secret to an MCP server.
        </Alert>
      )}
      {rows.length === 0 ? (
        <Text c="dimmed">None.</Text>
      ) : (
        <Table layout="fixed">
          <Table.Tbody>
            {rows.map((row) => (
              <EnvironmentRow key={row.name} agent={agent} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Part>
  );
}

function EnvironmentRow({ agent, row }: { agent: Agent; row: EnvRow }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" ff="monospace" w="35%" className="text-block">
        {row.name}
      </Table.Th>
      <Table.Td>
        <Stack gap={4} align="flex-start">
          <VariableValue row={row} />
          {row.kind === 'secret' ? <Exposure agent={agent} secretName={row.text} /> : null}
        </Stack>
      </Table.Td>
    </Table.Tr>
  );
}

/** Whether the agent may have the secret, and for admins the grant that lets it. */
function Exposure({ agent, secretName }: { agent: Agent; secretName: string }) {
  const { slug, isAdmin } = useWorkspace();
  const grants = useAgentGrants(agent.id, 'agent_env').data;
  const [asking, setAsking] = useState(false);
  const make = useMakeGrant();
  if (grants === undefined) {
    return null;
  }
  const grant = grants.find(({ details }) => details['secret_name'] === secretName);
  if (grant !== undefined) {
    return (
      <TextLink to={pathOf(slug, 'grants', grant.id)}>
        <Badge color="orange" variant="light">
          granted: the agent can read it
        </Badge>
      </TextLink>
    );
  }
  const expose = () =>
    make.mutate(
      {
        agent_subject_id: agent.id,
        grant_type: 'agent_env',
        details: { secret_name: secretName },
        scope: 'persistent',
      },
      { onSuccess: () => setAsking(false) },
    );
  return (
    <>
      <Text size="sm">
        Not granted: sessions will not start.{isAdmin ? '' : ' A workspace admin has to grant it.'}
      </Text>
      {isAdmin ? (
        <Button
          size="compact-sm"
          variant="default"
          h="auto"
          mih={26}
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
          onClick={() => setAsking(true)}
        >
          Let the agent read {secretName}
        </Button>
      ) : null}
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={`Let the agent read ${secretName}?`}
        confirmLabel="Let the agent read it"
        onConfirm={expose}
        pending={make.isPending}
        error={make.error}
      >
        <Text component="div">
          Every session of <VisibleText text={agent.name} />, no matter who drives it, gets the value in plain
          text from now on. Revoking the grant stops this for later sessions, but cannot undo what the agent
          has already read.
        </Text>
      </ConfirmDialog>
    </>
  );
}
