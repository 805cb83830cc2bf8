import { Button, Card, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import type { Workspace } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { changesOf, type WorkspaceValues } from './changes-of.ts';
import { type SettingText, settingTexts } from './setting-text.ts';

/** Saved together. Turning the logging of payloads on is asked again: what it keeps cannot be removed. */
export function SettingsForm({ workspace }: { workspace: Workspace }) {
  const { slug } = useWorkspace();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { name, settings } = workspace;
  const form = useForm<WorkspaceValues>({
    initialValues: { name, settings },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const save = useApiMutation({
    send: (values: WorkspaceValues) => {
      const body = changesOf({ name, settings }, values);
      return call(api.PATCH('/api/workspaces/{slug}', { params: { path: { slug } }, body }));
    },
    // The workspace's name is shown in the header.
    invalidates: [keys.me],
    onSuccess(answer) {
      const { name, settings } = answer.workspace;
      form.setInitialValues({ name, settings });
      form.reset();
      queries.setQueryData(keys.settings(slug), answer);
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const submit = (values: WorkspaceValues) => {
    if (values.settings.log_tool_payloads && !settings.log_tool_payloads) {
      setAsking(true);
    } else {
      save.mutate(values);
    }
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <FormDraft form={form} slug={slug} name="settings" save={save} />
        <TextInput label="Workspace name" required {...form.getInputProps('name')} />
        {settingTexts.map((text) => (
          <Setting
            key={text.name}
            text={text}
            on={form.values.settings[text.name]}
            onChange={(on) => form.setFieldValue(`settings.${text.name}`, on)}
          />
        ))}
        <RetentionField {...form.getInputProps('settings.tool_call_retention_days')} />
        <FailureAlert
          error={save.error}
          shownAtFields={['name', 'settings.tool_call_retention_days']}
          values={form.values}
        />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
          <Button variant="default" disabled={!form.isDirty()} onClick={form.reset}>
            Discard changes
          </Button>
          <span role="status">{save.isSuccess && !form.isDirty() ? 'Saved.' : ''}</span>
        </Group>
      </Stack>
      {asking ? (
        <PayloadLogDialog
          onClose={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false);
            save.mutate(form.values);
          }}
        />
      ) : null}
    </form>
  );
}

function Setting({
  text: { name, label, meaning, danger },
  on,
  onChange,
}: {
  text: SettingText;
  on: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Switch
          name={name}
          label={label}
          description={meaning}
          checked={on}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {danger !== null && danger.when === on ? (
          <Banner tone="fail" title={danger.title}>
            {danger.text}
          </Banner>
        ) : null}
      </Stack>
    </Card>
  );
}

/** Confirms the only setting that records what nobody can remove. */
function PayloadLogDialog({ onClose, onConfirm }: { onClose: () => void; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={onConfirm}
      title="Record arguments and results of tool calls?"
      confirmLabel="Start recording"
    >
      <Text>
        In sessions that start from now on, everything that tools are given and return is recorded in the
        audit trail: personal data, file contents and anything else.
      </Text>
      <Text>
        It is kept as long as records of tool calls. Turning this off later does not delete what was recorded.
      </Text>
    </ConfirmDialog>
  );
}

/** Days, or nothing: then records are kept forever. */
function RetentionField({
  value,
  onChange,
  error,
}: {
  value?: number | null;
  onChange?: (days: number | null) => void;
  error?: ReactNode;
}) {
  return (
    <NumberInput
      label="Tool call retention (days)"
      description="Older records of tool calls are deleted from the audit trail. Leave empty to keep them forever."
      min={1}
      max={36_500}
      allowDecimal={false}
      clampBehavior="none"
      value={value ?? ''}
      onChange={(days) => onChange?.(typeof days === 'number' ? days : null)}
      error={error}
    />
  );
}
