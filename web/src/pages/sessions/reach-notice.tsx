/** Before a person starts an agent: which grants its session could use without asking, whoever holds them. */
import { Button, Code, List, Text } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { labelOfType, matterOf } from '../grants/grant-text.ts';

export function ReachNotice({ agentId }: { agentId: string }) {
  const { slug } = useWorkspace();
  const list = useList({
    queryKey: keys.agent(agentId, 'reach'),
    async fetchPage({ cursor, signal }) {
      const params = { path: { agent_id: agentId }, query: cursor === undefined ? {} : { cursor } };
      const { reach, next_cursor } = await call(api.GET('/api/agents/{agent_id}/reach', { params, signal }));
      return { items: [reach], next_cursor };
    },
  });
  const [first] = list.items ?? [];
  if (first === undefined) {
    return list.error === null ? null : (
      <Banner tone="wait" role="status">
        Which grants a session of this agent could use could not be loaded.
      </Banner>
    );
  }
  const { own, owner } = first;
  const grants = list.items?.flatMap((reach) => reach.grants) ?? [];
  if (own && grants.length === 0) {
    return null;
  }
  return (
    <Banner
      tone={own || grants.length === 0 ? 'idle' : 'wait'}
      role="status"
      title={<Whose own={own} owner={owner?.name ?? null} />}
    >
      {grants.length === 0 ? (
        'Its session can use no grants: it has to ask for everything that it needs.'
      ) : (
        <>
          <Text size="sm">While you drive it, it can use these grants without asking:</Text>
          <List size="sm">
            {grants.map(({ grant, tools, more_tools: moreTools }) => (
              <List.Item key={grant.id}>
                <TextLink to={pathOf(slug, 'grants', grant.id)}>
                  {grant.grant_type === 'tool_scope' ? matterOf(grant) : labelOfType(grant.grant_type)}
                </TextLink>
                {grant.user_subject_id === null ? ' (held by the agent, ' : ' (yours, '}
                {grant.scope}
                {'): '}
                {tools.map(({ server, tool }) => (
                  <Code key={`${server} ${tool}`} mr={4}>
                    <VisibleText text={`${server}.${tool}`} />
                  </Code>
                ))}
                {moreTools === 0 ? null : `and ${moreTools} more`}
              </List.Item>
            ))}
          </List>
          {list.hasMore ? (
            <Button mt="xs" size="xs" variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
              Show more grants
            </Button>
          ) : null}
        </>
      )}
    </Banner>
  );
}

function Whose({ own, owner }: { own: boolean; owner: string | null }) {
  if (own) {
    return 'This agent is yours';
  }
  return owner === null ? (
    'The owner of this agent has left'
  ) : (
    <>
      This agent belongs to <VisibleText text={owner} />
    </>
  );
}
