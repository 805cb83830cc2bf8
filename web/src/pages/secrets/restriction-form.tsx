import { Button, Group, MultiSelect, Radio, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useAllServers } from '../../api/use-all.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { usesCutOff } from '../../text/secret-use-text.ts';
import type { Uses } from './secret-uses.ts';
import { UsesList } from './uses-list.tsx';

/** Which catalog entries may be given the secret; for admins. */
export function RestrictionForm({ name, known }: { name: string; known: Uses }) {
  const { slug } = useWorkspace();
  const servers = useAllServers(slug).data ?? [];
  const stored = JSON.stringify(known.allowedServers);
  const [{ restricted, chosen }, setTyped, forgetDraft] = useDraft(`restriction of ${name} ${stored}`, {
    restricted: known.allowedServers !== null,
    chosen: known.allowedServers ?? [],
  });
  const wanted = restricted ? chosen.toSorted() : null;
  const save = useApiMutation({
    send: (body: { allowed_servers: string[] | null }) =>
      call(api.PATCH('/api/workspaces/{slug}/secrets/{name}', { params: { path: { slug, name } }, body })),
    invalidates: [keys.secrets(slug)],
    onSuccess: forgetDraft,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ allowed_servers: wanted });
  };
  const changed = JSON.stringify(wanted) !== stored;
  const cutOff = usesCutOff(known.uses, wanted);
  return (
    <form onSubmit={submit}>
      <Stack>
        <Radio.Group
          label="Servers that can use it"
          value={restricted ? 'some' : 'any'}
          onChange={(value) => setTyped({ restricted: value === 'some', chosen })}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="any" label="Any MCP server" />
            <Radio value="some" label="Only selected MCP servers" />
          </Stack>
        </Radio.Group>
        {restricted ? (
          <MultiSelect
            label="MCP servers"
            description={chosen.length === 0 ? 'None selected: no MCP server can use it.' : undefined}
            data={[...new Set([...servers.map((server) => server.name), ...chosen])]}
            value={chosen}
            onChange={(servers) => setTyped({ restricted, chosen: servers })}
            searchable
            maw={480}
          />
        ) : null}
        {cutOff.length === 0 || !changed ? null : (
          <Banner tone="wait" role="status" title="These will not work until they use another secret">
            <UsesList uses={cutOff} />
          </Banner>
        )}
        <FailureAlert error={save.error} values={wanted === null ? null : wanted.join()} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!changed}>
            Save
          </Button>
          {save.isSuccess && !changed ? (
            <Text size="sm" role="status">
              Saved.
            </Text>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
