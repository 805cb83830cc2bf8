import { Code, List, Spoiler, Text } from '@mantine/core';
import type { Agent } from '../../api/types.ts';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { durationWords } from '../../text/duration-words.ts';
import { networkText, runText } from '../../text/shape-text.ts';
import { listeningText } from '../../text/sibling-text.ts';
import { rowsOf } from './env-values.ts';
import { VariableValue } from './variable-value.tsx';

/** The agent's configuration in words. */
export function AgentFacts({ agent }: { agent: Agent }) {
  const { name, kind, run, instructions, model, network, egress_allow, limits, siblings, services } = agent;
  return (
    <FactList label={`Configuration of ${name}`}>
      <Fact name="Runs">
        <VisibleText text={runText(run)} />
      </Fact>
      <Fact name="Kind">{kind}</Fact>
      {model === null ? null : (
        <Fact name="Model">
          <VisibleText text={model} />
        </Fact>
      )}
      <Fact name="Instructions">
        {instructions === '' ? (
          'none'
        ) : (
          <Spoiler maxHeight={160} showLabel="Show all" hideLabel="Show less">
            <Code block>
              <VisibleText text={instructions} />
            </Code>
          </Spoiler>
        )}
      </Fact>
      {agent.repository === null ? null : (
        <Fact name="Repository">
          {agent.repository.name}
          {agent.repository.path === null ? '' : `, ${agent.repository.path}`} at {agent.repository.ref}
        </Fact>
      )}
      <Fact name="Network">{networkText(network)}</Fact>
      {egress_allow.length === 0 ? null : <Fact name="Private destinations">{egress_allow.join(', ')}</Fact>}
      <Fact name="Ends after">{limitText(limits.total_seconds)}</Fact>
      <Fact name="Ends when idle for">{limitText(limits.idle_seconds)}</Fact>
      {[...siblings.map(named('Sibling')), ...services.map(named('Service'))].map(({ label, companion }) => (
        <Fact key={label} name={label}>
          <VisibleText text={runText(companion.run)} />
          <Listening companion={companion} />
          <Variables env={companion.env} />
        </Fact>
      ))}
    </FactList>
  );
}

type Companion = Agent['services'][number] & Partial<Agent['siblings'][number]>;

/** Where a sibling is reached, and what the agent waits for; nothing for neither. */
function Listening({ companion }: { companion: Companion }) {
  const text = listeningText(companion);
  return text === '' ? null : (
    <Text size="sm" c="dimmed">
      <VisibleText text={text} />
    </Text>
  );
}

const named = (what: string) => (companion: Companion) => ({
  label: `${what} ${companion.name}`,
  companion,
});

/** Of what runs beside the agent, below its program; nothing where there are none. */
function Variables({ env }: Pick<Companion, 'env'>) {
  const rows = rowsOf(env);
  return rows.length === 0 ? null : (
    <List listStyleType="none" size="sm">
      {rows.map((row) => (
        <List.Item key={row.name}>
          <VariableName name={row.name} /> <VariableValue row={row} />
        </List.Item>
      ))}
    </List>
  );
}

const VariableName = ({ name }: { name: string }) => (
  <Text span size="sm" ff="monospace" className="text-block">
    {name}
  </Text>
);

function limitText(seconds: number | null): string {
  return seconds === null ? 'the platform’s own limit' : durationWords(seconds);
}
