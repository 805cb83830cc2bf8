import { Stack, Text } from '@mantine/core';
import type { Agent } from '../../api/types.ts';
import { Banner } from '../../components/banner.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { type EnvRow, rowsOf } from './env-values.ts';
import { Part } from './form-part.tsx';
import { SecretGrant } from './secret-grant.tsx';
import { VariableValue } from './variable-value.tsx';

/**
 * The agent's own variables. A secret among them is one that the agent can read: each needs an admin's grant.
 */
export function EnvironmentPart({ agent }: { agent: Agent }) {
  const rows = rowsOf(agent.env);
  const secrets = rows.filter(({ kind }) => kind === 'secret');
  return (
    <Part
      title="Environment"
      description="Variables of the agent’s own process. MCP servers have their own variables, above."
    >
      {secrets.length === 0 ? null : (
        <Banner role="note" tone="wait" title="The agent can read the secrets below">
          Secrets in the agent’s own environment are in plain text: the agent can print them or send them
          anywhere it can reach. Prefer giving the secret to an MCP server.
        </Banner>
      )}
      {rows.length === 0 ? (
        <Text c="dimmed">None.</Text>
      ) : (
        <table className="table table-facts">
          <tbody>
            {rows.map((row) => (
              <EnvironmentRow key={row.name} agent={agent} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}

function EnvironmentRow({ agent, row }: { agent: Agent; row: EnvRow }) {
  return (
    <tr>
      <th scope="row" className="mono text-block">
        {row.name}
      </th>
      <td>
        <Stack gap={4} align="flex-start">
          <VariableValue row={row} />
          {row.kind === 'secret' ? <Exposure agent={agent} secretName={row.text} /> : null}
        </Stack>
      </td>
    </tr>
  );
}

/** Whether the agent may have the secret, and for admins the grant that lets it. */
function Exposure({ agent, secretName }: { agent: Agent; secretName: string }) {
  return (
    <SecretGrant
      agent={agent}
      type="agent_env"
      secretName={secretName}
      grantedText="granted: the agent can read it"
      action={`Let the agent read ${secretName}`}
      confirmLabel="Let the agent read it"
    >
      Every session of <VisibleText text={agent.name} />, whoever starts it, gets the value in plain text from
      now on. Revoking the grant stops this for later sessions, but cannot undo what the agent has already
      read.
    </SecretGrant>
  );
}
