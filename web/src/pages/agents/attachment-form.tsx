import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { api, call } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { stale } from '../../api/stale.ts';
import type { Agent, Attachment, McpServer } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { kindProblem } from './attach-option.ts';
import { AttachmentField } from './attachment-field.tsx';
import { droppedVariables, envOfGiven, givenBefore } from './attachment-values.ts';
import { GatedTools } from './gated-tools.tsx';
import { RevokesNote } from './revokes-note.tsx';

/**
 * A form made of the entry's manifest: a field for each variable. The API's messages stand at their fields.
 */
export function AttachmentForm({
  agent,
  entry,
  attached,
}: {
  agent: Agent;
  entry: McpServer;
  attached: Attachment | undefined;
}) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const { name, manifest } = entry;
  const [before] = useState(attached?.env ?? {});
  const draftName = `attachment of ${name} to ${agent.id} ${entry.version}`;
  const [given, setGiven, forgetDraft] = useDraft(draftName, givenBefore(manifest, before));
  const page = pathOf(slug, 'agents', agent.id);
  const save = useSaveAttachment(agent.id, name, forgetDraft);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const give = (variable: string, text: string) => {
    setGiven({ ...given, [variable]: text });
    // An error of the previous text does not apply to this one.
    setErrors(({ [`env.${variable}`]: _, ...others }) => others);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(envOfGiven(manifest, given), { onError: (error) => setErrors(fieldErrors(error)) });
  };
  const fields = Object.entries(manifest.env);
  const dropped = droppedVariables(manifest, before);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <RevokesNote />
        <Card withBorder>
          <Stack>
            {dropped.length === 0 ? null : (
              <Banner role="note" tone="wait" title="The server’s manifest has changed">
                It no longer accepts {dropped.join(', ')}. Saving removes those values.
              </Banner>
            )}
            {fields.length === 0 ? <Text>This server needs no configuration.</Text> : null}
            {fields.map(([variable, field]) => (
              <AttachmentField
                key={variable}
                variable={variable}
                field={field}
                value={given[variable] ?? ''}
                onChange={(text) => give(variable, text)}
                error={errors[`env.${variable}`]}
              />
            ))}
          </Stack>
        </Card>
        <GatedTools entry={entry} />
        <FailureAlert
          error={save.error}
          shownAtFields={shownPaths(save.error, Object.keys(manifest.env))}
          values={given}
        />
        <Group>
          <Button
            type="submit"
            loading={save.isPending}
            disabled={
              attached === undefined && (entry.unavailable !== null || kindProblem(entry, agent) !== null)
            }
          >
            {attached === undefined ? 'Attach' : 'Save'}
          </Button>
          <Button variant="default" onClick={() => navigate(page)}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Saves what a server is given, and goes to the agent's page. */
function useSaveAttachment(agentId: string, name: string, onSaved: () => void) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  return useApiMutation({
    send: (env: Record<string, string>) =>
      call(
        api.PUT('/api/agents/{agent_id}/mcp-attachments', {
          params: { path: { agent_id: agentId } },
          body: { name, env },
        }),
      ),
    invalidates: stale.attachments(slug, agentId),
    onSuccess: onSaved,
    onRefetched: () => navigate(pathOf(slug, 'agents', agentId)),
  });
}

function shownPaths(error: unknown, variables: readonly string[]): string[] {
  const paths = error instanceof ApiFailure ? error.fields.map(({ path }) => path) : [];
  return paths.filter((path) => variables.some((variable) => path === `env.${variable}`));
}
