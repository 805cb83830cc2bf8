import { Code, Spoiler } from '@mantine/core';
import type { Agent } from '../../api/types.ts';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { networkText, runText } from '../../text/shape-text.ts';
import { durationText } from '../../text/time-text.ts';

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
      <Fact name="Network">{networkText(network)}</Fact>
      {egress_allow.length === 0 ? null : <Fact name="Private destinations">{egress_allow.join(', ')}</Fact>}
      <Fact name="Maximum duration">{limitText(limits.total_seconds)}</Fact>
      <Fact name="Idle timeout">{limitText(limits.idle_seconds)}</Fact>
      {[...siblings.map(named('Sibling')), ...services.map(named('Service'))].map(({ label, text }) => (
        <Fact key={label} name={label}>
          <VisibleText text={text} />
        </Fact>
      ))}
    </FactList>
  );
}

const named = (what: string) => (companion: Agent['siblings'][number]) => ({
  label: `${what} ${companion.name}`,
  text: runText(companion.run),
});

function limitText(seconds: number | null): string {
  return seconds === null ? 'platform default' : durationText(seconds * 1000);
}
