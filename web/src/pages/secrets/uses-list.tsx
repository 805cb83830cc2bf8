import { List } from '@mantine/core';
import type { SecretUse } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Pill } from '../../components/pill.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { isReadableByAgent, placeOfUse } from '../../text/secret-use-text.ts';

/** Each place that refers to the secret, with a link to its agent, catalog entry, channel or the settings. */
export function UsesList({ uses }: { uses: readonly SecretUse[] }) {
  return (
    <List size="sm" spacing={4}>
      {uses.map((use) => (
        <List.Item key={`${use.agent?.id ?? use.name} ${placeOfUse(use)}`}>
          <User use={use} />
          {': '}
          {placeOfUse(use)} {isReadableByAgent(use) ? <Pill tone="wait">the agent can read it</Pill> : null}
        </List.Item>
      ))}
    </List>
  );
}

function User({ use: { kind, agent, name } }: { use: SecretUse }) {
  const { slug } = useWorkspace();
  if (kind === 'embedding_provider') {
    return <TextLink to={pathOf(slug, 'settings')}>Workspace settings</TextLink>;
  }
  return agent === null ? (
    <TextLink to={pathOf(slug, kind === 'channel_address' ? 'channels' : 'catalog', name ?? '')}>
      <VisibleText text={name ?? ''} />
    </TextLink>
  ) : (
    <TextLink to={pathOf(slug, 'agents', agent.id)}>
      <VisibleText text={agent.name} />
    </TextLink>
  );
}
