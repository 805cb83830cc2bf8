import { Button, Group, List } from '@mantine/core';
import { api, call } from '../../api/client.ts';
import { stale } from '../../api/stale.ts';
import type { McpServer } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { inputOf, valuesOf } from './entry-values.ts';
import { imageChangeLines } from './image-change-text.ts';
import { UncountedGrants } from './uncounted-grants.tsx';

/**
 * Asks the registry whether the image has changed, shows the differences, and takes the new
 * one when an admin confirms.
 */
export function ImageCheck({ entry }: { entry: McpServer }) {
  const { slug } = useWorkspace();
  const params = { path: { slug, name: entry.name } };
  const check = useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/mcp-servers/{name}/image-check', { params })),
  });
  const take = useApiMutation({
    // Takes exactly the image that was shown, or nothing.
    send: (image_digest: string) =>
      call(
        api.PUT('/api/workspaces/{slug}/mcp-servers/{name}', {
          params: { ...params, query: { expected_version: entry.version } },
          body: { ...inputOf(valuesOf(entry)), image_digest },
        }),
      ),
    invalidates: stale.entry(slug),
    onSuccess: () => check.reset(),
  });
  const change = check.data?.image_change;
  const lines = change === undefined ? null : imageChangeLines(change);
  const failure = check.error ?? take.error;
  return (
    <>
      <Group>
        <Button
          variant="default"
          loading={check.isPending}
          onClick={() => {
            take.reset();
            check.mutate();
          }}
        >
          Check for a newer image
        </Button>
      </Group>
      {failure === null ? null : <FailureAlert error={failure} />}
      {lines?.length === 0 ? <Banner role="status" title="The image is up to date" /> : null}
      {change !== undefined && lines !== null && lines.length > 0 ? (
        <Banner tone="wait" role="status" title="A newer image is available">
          <List size="sm" mb="sm">
            {lines.map((line) => (
              <List.Item key={line}>
                <VisibleText text={line} />
              </List.Item>
            ))}
          </List>
          {entry.approvers === 'admin' ? (
            <UncountedGrants entryName={entry.name} scopes={change.scopes} when="saving" />
          ) : null}
          <Button loading={take.isPending} onClick={() => take.mutate(change.new_digest)}>
            Update image
          </Button>
        </Banner>
      ) : null}
    </>
  );
}
