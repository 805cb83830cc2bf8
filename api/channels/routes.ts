import * as z from 'zod';
import { sendTestMessage } from '../../commands/channel-messages/messages.ts';
import {
  changeChannel,
  createChannel,
  removeChannel,
  type SavedChannel,
} from '../../commands/channels/channels.ts';
import {
  type Channel,
  channel,
  channelInput,
  channelMessage,
  channelSettings,
  type ListedChannel,
  listedChannel,
} from '../../contract/channel.ts';
import { nextCursor, pageQuery } from '../../contract/page.ts';
import { listChannelMessages, readChannelMessage } from '../../store/channel-messages/messages.ts';
import { listChannels, readChannel } from '../../store/channels/channels.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { ApiError, invalid, notFound } from '../errors.ts';
import { createRateLimiter } from '../middleware/rate-limit.ts';
import { admins, anyMember } from '../policies/access.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { beginDeliveries, type DeliveryDependencies } from './begin-deliveries.ts';

type ChannelDependencies = Pick<ApiDependencies, 'db' | 'config'> & DeliveryDependencies;

const collection = '/workspaces/{slug}/channels';
const path = `${collection}/{name}`;
/** Any text: a name that no channel can have is simply not found. */
const params = z.object({ name: z.string() });
const answer = z.strictObject({ channel });
const write = admins('channels.write');

export function channelRoutes(dependencies: ChannelDependencies): AnyRoute[] {
  return [
    listRoute(dependencies),
    createRoute(dependencies),
    readRoute(dependencies),
    changeRoute(dependencies),
    removeRoute(dependencies),
    testRoute(dependencies),
    messagesRoute(dependencies),
  ];
}

function listRoute({ db }: ChannelDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: collection,
    summary: 'The channels of the workspace: their names, and for admins their settings',
    scope: 'workspace',
    access: anyMember,
    query: pageQuery,
    response: z.strictObject({ channels: z.array(listedChannel), next_cursor: nextCursor }),
    async handler({ workspace, role, query }) {
      const page = await listChannels(db, workspace.id, query);
      const channels = page.items.map((each) => presentListed(each, role === 'admin'));
      return { channels, next_cursor: page.nextCursor };
    },
  });
}

const presentListed = ({ name, ...settings }: Channel, isAdmin: boolean): ListedChannel => ({
  name,
  settings: isAdmin ? settings : null,
});

function createRoute({ db, config }: ChannelDependencies): AnyRoute {
  return defineRoute({
    method: 'post',
    path: collection,
    summary: 'Create a channel',
    scope: 'workspace',
    access: write,
    body: channelInput,
    status: 201,
    response: answer,
    async handler({ workspace, user, body }) {
      const limit = config.LIMIT_CHANNELS_PER_WORKSPACE;
      const saved = await createChannel(db, workspace.id, body, { userId: user.id, limit });
      return savedAnswer(
        saved,
        new ApiError('conflict', `The workspace already has a channel "${body.name}"`),
      );
    },
  });
}

function readRoute({ db }: ChannelDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path,
    summary: 'One channel',
    scope: 'workspace',
    access: write,
    params,
    response: answer,
    async handler({ workspace, params: { name } }) {
      const found = await readChannel(db, workspace.id, name);
      if (found === null) {
        throw notFound('The channel');
      }
      return { channel: found };
    },
  });
}

function changeRoute({ db }: ChannelDependencies): AnyRoute {
  return defineRoute({
    method: 'put',
    path,
    summary: 'Replace the settings of a channel; messages that wait are judged by them',
    scope: 'workspace',
    access: write,
    params,
    body: channelSettings,
    response: answer,
    async handler({ workspace, user, params: { name }, body }) {
      const saved = await changeChannel(db, { workspaceId: workspace.id, name }, body, user.id);
      return savedAnswer(saved, notFound('The channel'));
    },
  });
}

function savedAnswer(saved: SavedChannel, conflict: ApiError): { channel: Channel } {
  switch (saved.result) {
    case 'conflict':
      throw conflict;
    case 'refused':
      throw invalid(saved.problems);
    case 'saved':
      return { channel: saved.channel };
  }
}

function removeRoute({ db }: ChannelDependencies): AnyRoute {
  return defineRoute({
    method: 'delete',
    path,
    summary: 'Remove a channel; messages that wait for it are not delivered',
    scope: 'workspace',
    access: write,
    params,
    response: z.strictObject({ ok: z.literal(true) }),
    async handler({ workspace, user, params: { name } }) {
      if (!(await removeChannel(db, { workspaceId: workspace.id, name }, user.id))) {
        throw notFound('The channel');
      }
      return { ok: true } as const;
    },
  });
}

function testRoute(dependencies: ChannelDependencies): AnyRoute {
  const { db, config } = dependencies;
  const tests = createRateLimiter({
    name: 'test messages a minute per user',
    perMinute: config.RATE_CHECKS_PER_MINUTE_PER_USER,
  });
  return defineRoute({
    method: 'post',
    path: `${path}/test`,
    summary: 'Send a message that says that it is a test; its outcome is among the messages',
    scope: 'workspace',
    access: write,
    params,
    status: 202,
    response: z.strictObject({ message: channelMessage }),
    async handler({ workspace, user, params: { name } }) {
      tests.take(user.id);
      const waitingPerChannel = config.LIMIT_WAITING_MESSAGES_PER_CHANNEL;
      const id = await sendTestMessage(db, { workspaceId: workspace.id, name }, { waitingPerChannel });
      if (id === null) {
        throw notFound('The channel');
      }
      await beginDeliveries(dependencies, [id]);
      const message = await readChannelMessage(db, id);
      if (message === null) {
        throw notFound('The message');
      }
      return { message };
    },
  });
}

function messagesRoute({ db }: ChannelDependencies): AnyRoute {
  return defineRoute({
    method: 'get',
    path: '/workspaces/{slug}/channel-messages',
    summary: 'Messages to channels and their delivery, newest first, without their texts',
    scope: 'workspace',
    access: write,
    query: pageQuery.extend({ channel: z.string().max(100).optional() }),
    response: z.strictObject({ messages: z.array(channelMessage), next_cursor: nextCursor }),
    async handler({ workspace, query: { channel: name, ...page } }) {
      const { items, nextCursor } = await listChannelMessages(db, workspace.id, { channel: name }, page);
      return { messages: items, next_cursor: nextCursor };
    },
  });
}
