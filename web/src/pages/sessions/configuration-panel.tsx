/** What the session runs with, frozen at its start. References are shown; values never come here. */
import { Card, Code, List, Stack, Text, Title } from '@mantine/core';
import type { Configuration } from '../../api/types.ts';
import { CodeText } from '../../components/code-text.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { numberText } from '../../text/number-text.ts';
import { runText } from '../../text/shape-text.ts';
import { listeningText } from '../../text/sibling-text.ts';
import { changedToolsText, unlistedToolsText } from '../../text/tool-policy-text.ts';
import { useConfiguration } from './use-configuration.ts';

export function ConfigurationPanel({ sessionId }: { sessionId: string }) {
  return (
    <Card withBorder padding="sm" component="section" aria-label="Configuration">
      <Title order={2} size="h5">
        Configuration
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        Fixed when the session started: later changes do not apply.
      </Text>
      <Frozen sessionId={sessionId} />
    </Card>
  );
}

function Frozen({ sessionId }: { sessionId: string }) {
  return (
    <QueryState query={useConfiguration(sessionId)} what="The configuration">
      {({ configuration }) => <Parts configuration={configuration} />}
    </QueryState>
  );
}

function Parts({ configuration }: { configuration: Configuration }) {
  const { agent, servers, siblings, services, frozen_at: at } = configuration;
  return (
    <Stack>
      <FactList label="Agent">
        <Fact name="Frozen">
          <RelativeTime at={at} />
        </Fact>
        <Fact name="Agent">
          <VisibleText text={agent.name} /> ({agent.kind})
        </Fact>
        <Fact name="Runs">
          <RunText run={agent.run} />
        </Fact>
        <Fact name="Network">{agent.network}</Fact>
        {agent.model === null ? null : (
          <Fact name="Model">
            <VisibleText text={agent.model} />
          </Fact>
        )}
        {agent.model_access === undefined ? null : (
          <Fact name="Model access">
            <ModelAccess access={agent.model_access} />
          </Fact>
        )}
        <Fact name="Environment">
          <Env env={agent.env} />
        </Fact>
        <Fact name="Instructions">
          <Code block mah={240} tabIndex={0} aria-label="Instructions">
            <VisibleText text={agent.instructions} />
          </Code>
        </Fact>
      </FactList>
      {servers.map((server) => (
        <Server key={server.name} server={server} />
      ))}
      {[...siblings, ...services].map((companion) => (
        <FactList key={companion.name} label={`Companion ${companion.name}`}>
          <Fact name="Companion">
            <VisibleText text={companion.name} />: <RunText run={companion.run} />
          </Fact>
          <Listening companion={companion} />
          <Fact name="Environment">
            <Env env={companion.env} />
          </Fact>
        </FactList>
      ))}
    </Stack>
  );
}

function Listening({ companion }: { companion: Partial<Configuration['siblings'][number]> }) {
  const text = listeningText(companion);
  return text === '' ? null : (
    <Fact name="Reached">
      <VisibleText text={text} />
    </Fact>
  );
}

function Server({ server }: { server: Configuration['servers'][number] }) {
  const gated = Object.entries(server.tool_scopes);
  return (
    <Card withBorder padding="sm">
      <FactList label={`MCP server ${server.name}`}>
        <Fact name="MCP server">
          <Text span fw={600}>
            {server.name}
          </Text>{' '}
          version {server.entry_version}, network {server.network}
        </Fact>
        <Fact name="Environment">
          <Env env={server.env} />
        </Fact>
        <Fact name="Gated tools">
          {gated.length === 0 ? (
            'none'
          ) : (
            <List size="sm">
              {gated.map(([tool, scope]) => (
                <List.Item key={tool}>
                  <CodeText text={tool} /> needs {scope}
                </List.Item>
              ))}
            </List>
          )}
        </Fact>
        <Fact name="Other tools">
          <VisibleText text={unlistedToolsText(server)} />
        </Fact>
        <Fact name="New and changed tools">{changedToolsText(server.changed_tools)}</Fact>
      </FactList>
    </Card>
  );
}

function RunText({ run }: { run: Configuration['agent']['run'] }) {
  const isOurs = run.type === 'builtin' && run.name !== 'acp';
  return <CodeText text={isOurs ? `built-in ${run.name}` : runText(run)} />;
}

function ModelAccess({ access }: { access: NonNullable<Configuration['agent']['model_access']> }) {
  const {
    api_key: key,
    endpoint,
    models,
    requests_per_session: requests,
    tokens_per_session: tokens,
  } = access;
  return (
    <>
      <Code>{key.reference}</Code> at {endpoint}, {models.length === 0 ? 'any model' : models.join(', ')}; up
      to {numberText(requests)} requests and {numberText(tokens)} tokens
    </>
  );
}

function Env({ env }: { env: Configuration['agent']['env'] }) {
  const variables = Object.entries(env);
  return variables.length === 0 ? (
    'none'
  ) : (
    <List size="sm" listStyleType="none">
      {variables.map(([name, { reference }]) => (
        <List.Item key={name}>
          <Code>{name}</Code>{' '}
          {reference === null ? (
            <Text span size="xs" c="dimmed">
              value hidden
            </Text>
          ) : (
            <Code>{reference}</Code>
          )}
        </List.Item>
      ))}
    </List>
  );
}
