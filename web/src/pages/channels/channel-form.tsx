import { Button, Checkbox, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { fieldErrors } from '../../api/field-errors.ts';
import { useChoosableAgents } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { SecretSelect } from '../../components/secret-select.tsx';
import { type ChannelValues, fieldOf, problemsOf, shownPaths } from './channel-values.ts';

/** What an admin decides of a channel. `save` is what sends it. */
export function ChannelForm({
  initial,
  draftName,
  nameIsFixed,
  save,
  submitLabel,
  onCancel,
}: {
  initial: ChannelValues;
  /** What is typed is kept under this name until it is sent. */
  draftName: string;
  nameIsFixed: boolean;
  save: UseMutationResult<unknown, Error, ChannelValues>;
  submitLabel: string;
  onCancel: () => void;
}) {
  const { slug } = useWorkspace();
  const form = useForm<ChannelValues>({ initialValues: initial, validate: problemsOf });
  const agents = useChoosableAgents(slug, form.values.agents);
  const send = (values: ChannelValues) =>
    save.mutate(values, { onError: (error) => form.setErrors(fieldErrors(error, fieldOf)) });
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack>
        <FormDraft form={form} slug={slug} name={draftName} save={save} />
        {nameIsFixed ? null : (
          <TextInput
            label="Name"
            description="Lowercase letters, digits and hyphens. Agents post by this name. It cannot be changed later."
            required
            spellCheck={false}
            {...form.getInputProps('name')}
          />
        )}
        <SecretSelect
          label="Webhook URL"
          description="The secret with the URL of a Slack-compatible incoming webhook: whoever knows the URL can post. On its page under Secrets, allow it for no MCP server, so that none can be given it."
          required
          value={form.values.secretName}
          onChange={(name) => form.setFieldValue('secretName', name)}
          error={form.errors['secretName']?.toString()}
          suggestedName="WEBHOOK_URL"
        />
        <MultiSelect
          label="Agents that can post"
          description="What a listed agent posts leaves the workspace, whatever network the agent has."
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          placeholder={form.values.agents.length === 0 ? 'No agent can post' : undefined}
          searchable
          {...form.getInputProps('agents')}
        />
        <Checkbox
          label="Announce permission requests"
          description="Each new request, with a link to it: who asks, and for which scope. Deciding still needs a signed-in person."
          {...form.getInputProps('announces', { type: 'checkbox' })}
        />
        <FailureAlert error={save.error} shownAtFields={shownPaths} values={form.values} />
        <Group>
          <Button type="submit" loading={save.isPending}>
            {submitLabel}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
