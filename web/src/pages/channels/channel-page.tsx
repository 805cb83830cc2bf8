import { Button, Group, List, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Channel } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { deliveryText } from '../../text/delivery-text.ts';
import { nameInReference } from '../catalog/secret-reference.ts';
import { Deliveries } from './deliveries.tsx';
import { RemoveChannelDialog } from './remove-channel-dialog.tsx';
import { useChannel, useChannelMessages } from './use-channels.ts';

/** One channel: who can post, what is announced, a test, and what was delivered. */
export function ChannelPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  return (
    <QueryState query={useChannel(slug, name)} what="The channel">
      {(channel) => <Shown channel={channel} />}
    </QueryState>
  );
}

function Shown({ channel }: { channel: Channel }) {
  const { slug } = useWorkspace();
  const [removing, removal] = useDisclosure();
  const { name } = channel;
  const actions = (
    <>
      <Button component={Link} href={pathOf(slug, 'channels', name, 'edit')} variant="default">
        Edit
      </Button>
      <Button variant="danger" onClick={removal.open}>
        Remove
      </Button>
    </>
  );
  return (
    <PageFrame
      parent={{ to: pathOf(slug, 'channels'), label: 'All channels' }}
      title={name}
      actions={actions}
    >
      <Facts channel={channel} />
      <TestPart name={name} />
      <Title order={2} size="h4">
        Deliveries
      </Title>
      <Deliveries channel={name} />
      <RemoveChannelDialog name={name} opened={removing} onClose={removal.close} />
    </PageFrame>
  );
}

function Facts({ channel }: { channel: Channel }) {
  const { slug } = useWorkspace();
  const { address, agents, announce_permission_requests, updated_at, updated_by } = channel;
  const secret = nameInReference(address);
  return (
    <FactList label="Settings">
      <Fact name="Webhook URL">
        the secret <TextLink to={pathOf(slug, 'secrets', secret)}>{secret}</TextLink>
      </Fact>
      <Fact name="Agents that can post">
        {agents.length === 0 ? (
          'none'
        ) : (
          <List listStyleType="none" size="sm">
            {agents.map((agent) => (
              <List.Item key={agent.id}>
                <TextLink to={pathOf(slug, 'agents', agent.id)}>
                  <VisibleText text={agent.name} />
                </TextLink>
              </List.Item>
            ))}
          </List>
        )}
      </Fact>
      <Fact name="Permission requests">
        {announce_permission_requests ? 'each new one is announced' : 'not announced'}
      </Fact>
      <Fact name="Updated">
        <RelativeTime at={updated_at} /> by <PersonName id={updated_by} />
      </Fact>
    </FactList>
  );
}

/** Sends a message that says that it is a test, and says how its delivery goes. */
function TestPart({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const messages = useChannelMessages(slug, name).items ?? [];
  const test = useApiMutation({
    send: () =>
      call(api.POST('/api/workspaces/{slug}/channels/{name}/test', { params: { path: { slug, name } } })),
    invalidates: [keys.channelMessages(slug)],
  });
  const sent = test.data?.message;
  const now = sent && (messages.find(({ id }) => id === sent.id) ?? sent);
  return (
    <>
      <Group>
        <Button onClick={() => test.mutate()} loading={test.isPending || now?.status === 'pending'}>
          Send test message
        </Button>
        <Text size="sm" c="dimmed">
          It says that it is a test, and names this workspace.
        </Text>
      </Group>
      <FailureAlert error={test.error} />
      {now === undefined || now.status === 'pending' ? null : (
        <Banner
          role="status"
          tone={now.status === 'delivered' ? 'ok' : 'fail'}
          title={now.status === 'delivered' ? 'The test message was delivered' : 'The test message failed'}
        >
          {deliveryText(now)}
        </Banner>
      )}
    </>
  );
}
