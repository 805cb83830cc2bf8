/** What the form of a channel holds, and what it sends. Pure. */

import { channelName } from '../../../../contract/channel.ts';
import type { Channel, ChannelInput, ChannelSettings } from '../../api/types.ts';
import { nameInReference } from '../catalog/secret-reference.ts';

export interface ChannelValues {
  name: string;
  secretName: string;
  announces: boolean;
  /** Ids. */
  agents: string[];
}

/** Nobody can post to a new channel, and nothing is announced there. */
export const newChannel: ChannelValues = { name: '', secretName: '', announces: false, agents: [] };

export const valuesOf = ({
  name,
  address,
  announce_permission_requests,
  agents,
}: Channel): ChannelValues => ({
  name,
  secretName: nameInReference(address),
  announces: announce_permission_requests,
  agents: agents.map(({ id }) => id),
});

export const settingsOf = ({ secretName, announces, agents }: ChannelValues): ChannelSettings => ({
  kind: 'slack',
  address: `\${${secretName}}`,
  announce_permission_requests: announces,
  agents,
});

export const inputOf = (values: ChannelValues): ChannelInput => ({
  name: values.name.trim(),
  ...settingsOf(values),
});

export function problemsOf({ name, secretName }: ChannelValues): Record<string, string> {
  const wrongName = channelName.safeParse(name.trim()).error?.issues[0]?.message;
  return {
    ...(wrongName === undefined ? {} : { name: wrongName }),
    ...(secretName === '' ? { secretName: 'is required' } : {}),
  };
}

/** The field that shows a path of the API. */
export const fieldOf = (path: string): string =>
  ({ address: 'secretName', announce_permission_requests: 'announces' })[path] ?? path;
export const shownPaths = ['name', 'address', 'agents'];
