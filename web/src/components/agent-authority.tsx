/**
 * What an agent can do by itself, as the platform has it: shown wherever somebody
 * lets another agent start it.
 */
import { Button, Group, Loader, Text } from '@mantine/core';
import type { AgentAuthority } from '../api/types.ts';
import { heldGrantLimit, heldGrantText, networkText, serverText } from '../text/authority-text.ts';
import { Banner } from './banner.tsx';
import { Capped } from './capped.tsx';
import { CodeText } from './code-text.tsx';
import { Fact, FactList } from './fact-list.tsx';
import { FoldedList } from './folded-list.tsx';
import { VisibleText } from './visible-text.tsx';

/** The result of `useAuthority`, as far as it is needed here. */
interface AuthorityQuery {
  data: AgentAuthority | undefined;
  error: unknown;
  refetch(): unknown;
}

interface AuthorityPartProps {
  query: AuthorityQuery;
  /** Marks each line as one that has to be in sight before an approval. */
  decides?: boolean;
}

/**
 * The facts in a frame of their own, apart from whatever somebody claims; or that they
 * load, or could not be loaded.
 */
export function AuthorityPart({ query: { data, error, refetch }, decides = false }: AuthorityPartProps) {
  return (
    <section className="recorded-call" aria-label="What the agent to start can do">
      {data !== undefined && error === null ? (
        <Facts authority={data} marks={decides ? { 'data-decides': true } : {}} />
      ) : error === null ? (
        <Group gap="xs" role="status">
          <Loader size="xs" role="img" aria-label="Loading" />
          <Text size="sm">Reading what that agent can do.</Text>
        </Group>
      ) : (
        <Group gap="xs" role="alert">
          <Text size="sm">What that agent can do could not be loaded.</Text>
          <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
            Try again
          </Button>
        </Group>
      )}
    </section>
  );
}

interface FactsProps {
  authority: AgentAuthority;
  /** Attributes of each line. */
  marks: object;
}

function Facts({ authority, marks }: FactsProps) {
  const { agent, remote } = authority;
  return (
    <>
      <Text size="sm" c="dimmed" mb={4}>
        What that agent can do, recorded by the platform:
      </Text>
      {remote ? <RefusedAsChild marks={marks} /> : null}
      <FactList label="What the agent to start can do">
        <Fact name="Agent">
          <div {...marks}>
            <VisibleText text={agent.name} />, {agent.kind},{' '}
            {agent.owner === null ? (
              'whose owner has left'
            ) : (
              <>
                owned by <VisibleText text={agent.owner.name} />
              </>
            )}
          </div>
        </Fact>
        <Fact name="Own network">
          <div {...marks}>{networkText(authority)}</div>
        </Fact>
        <Fact name="MCP servers">
          <Servers authority={authority} marks={marks} />
        </Fact>
        <Fact name="Has grants to">
          <HeldGrants authority={authority} marks={marks} />
        </Fact>
        <Fact name="Posts to channels">
          <Channels authority={authority} marks={marks} />
        </Fact>
        <Fact name="Can read secrets">
          <OwnSecrets authority={authority} marks={marks} />
        </Fact>
      </FactList>
      <Text size="sm" mt={4}>
        All of this is its own. It can exceed what the agent that starts it can do, and it can change while
        the permission holds.
      </Text>
    </>
  );
}

const RefusedAsChild = ({ marks }: { marks: object }) => (
  <Banner role="note" tone="fail" title="Other agents cannot start it" {...marks}>
    It has a remote MCP server attached, so no session of another agent can start it. A permission has no
    effect until that server is detached.
  </Banner>
);

/** A longer line scrolls in place, except where somebody decides by it. */
const longLine = 200;

function Servers({ authority: { servers, more_servers: more }, marks }: FactsProps) {
  return servers.length === 0 ? (
    <div {...marks}>none</div>
  ) : (
    <FoldedList items={servers} more={more} what="servers" keyOf={({ name }) => name} marks={marks}>
      {(server) => {
        const text = serverText(server);
        return (
          <Capped label={`Server ${server.name}`} isLong={text.length > longLine}>
            <CodeText text={server.name} /> <VisibleText text={text} />
          </Capped>
        );
      }}
    </FoldedList>
  );
}

function HeldGrants({ authority: { grants, more_grants: more, agent }, marks }: FactsProps) {
  return grants.length === 0 ? (
    <div {...marks}>nothing</div>
  ) : (
    <FoldedList items={grants} more={more} what="grants" keyOf={({ id }) => id} marks={marks}>
      {(grant) => {
        const text = heldGrantText(grant);
        return (
          <Capped label="Grant" isLong={text.length > longLine}>
            <VisibleText text={text} />
            {grant.grant_type === 'spawn' ? (
              <>
                {' '}
                <VisibleText text={grant.child_agent?.name ?? 'that no longer exists'} />
              </>
            ) : null}
            {heldGrantLimit(grant, agent.kind)}
          </Capped>
        );
      }}
    </FoldedList>
  );
}

function Channels({ authority: { channels, more_channels: more }, marks }: FactsProps) {
  return channels.length === 0 ? (
    <div {...marks}>none</div>
  ) : (
    <FoldedList items={channels} more={more} what="channels" keyOf={(name) => name} marks={marks}>
      {(name) => <CodeText text={name} />}
    </FoldedList>
  );
}

function OwnSecrets({ authority: { secrets, more_secrets: more }, marks }: FactsProps) {
  return secrets.length === 0 ? (
    <div {...marks}>none</div>
  ) : (
    <FoldedList items={secrets} more={more} what="secrets" keyOf={(name) => name} marks={marks}>
      {(name) => <CodeText text={name} />}
    </FoldedList>
  );
}
