import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { secretName } from '../../../contract/names.ts';
import { api, call } from '../api/client.ts';
import { fieldErrors } from '../api/field-errors.ts';
import { keys } from '../api/keys.ts';
import type { Secret } from '../api/types.ts';
import { useAllSecrets } from '../api/use-all.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useWorkspace } from '../app/signed-in.tsx';
import { Banner } from './banner.tsx';
import { FailureAlert } from './failure-alert.tsx';
import { type SecretValue, SecretValueInput } from './secret-value-input.tsx';
import { useAskBeforeLeaving } from './use-ask-before-leaving.ts';

/**
 * Sets a secret: a new one, or with `fixedName` the value of one that is there. The value leaves the field as
 * it is sent, is in no state of the page, and has to be entered again when the sending failed.
 */
export function SecretDialog({
  opened,
  onClose,
  fixedName,
  suggestedName = '',
  onSaved,
}: {
  opened: boolean;
  onClose: () => void;
  fixedName?: string;
  suggestedName?: string;
  onSaved?: (secret: Secret) => void;
}) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={fixedName === undefined ? 'New secret' : `Set ${fixedName}`}
    >
      <SecretForm
        fixedName={fixedName}
        suggestedName={suggestedName}
        onClose={onClose}
        onSaved={(secret) => {
          onSaved?.(secret);
          onClose();
        }}
      />
    </Modal>
  );
}

/** As people type names: `my-token` becomes `MY_TOKEN`. */
const asSecretName = (text: string) => text.toUpperCase().replaceAll(/[\s.-]/g, '_');

/** Sends the value that `value` holds, and clears it there. */
function useSetSecret(
  name: string,
  value: RefObject<SecretValue | null>,
  onSaved: (secret: Secret) => void,
  onError: (error: unknown) => void,
) {
  const { slug } = useWorkspace();
  return useApiMutation({
    // Without variables: those would stay in the cache of what was sent.
    send: () => {
      const body = { value: value.current?.take() ?? '' };
      return call(
        api.PUT('/api/workspaces/{slug}/secrets/{name}', { params: { path: { slug, name } }, body }),
      );
    },
    gcTime: 0,
    invalidates: [keys.secrets(slug)],
    onRefetched: ({ secret }) => onSaved(secret),
    onError,
  });
}

interface SecretFormProps {
  fixedName: string | undefined;
  suggestedName: string;
  onClose: () => void;
  onSaved: (secret: Secret) => void;
}

function SecretForm({ fixedName, suggestedName, onClose, onSaved }: SecretFormProps) {
  const { slug } = useWorkspace();
  const value = useRef<SecretValue>(null);
  const [typedName, setTypedName] = useState(suggestedName);
  const [errors, setErrors] = useState<Record<string, string>>({});
  // Counts changes: the value itself is in no state of the page.
  const [typed, setTyped] = useState(0);
  useAskBeforeLeaving(typed > 0);
  const name = fixedName ?? typedName;
  const known = useAllSecrets(slug).data?.find((secret) => secret.name === name);
  const save = useSetSecret(name, value, onSaved, (error) => setErrors(fieldErrors(error)));
  const forget = (field: 'name' | 'value') => {
    setTyped((count) => count + 1);
    setErrors(({ [field]: _, ...others }) => others);
  };
  const rename = (text: string) => {
    setTypedName(asSecretName(text));
    forget('name');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // This dialog may be inside the form of an attachment.
    event.stopPropagation();
    const problems = problemsOf(name, value.current?.isEmpty() ?? true);
    setErrors(problems);
    if (Object.keys(problems).length === 0) {
      save.mutate();
    }
  };
  return (
    <form onSubmit={submit} autoComplete="off" noValidate>
      <Stack>
        {fixedName === undefined ? (
          <TextInput
            label="Name"
            description="Agents and attachments reference it as ${NAME}."
            required
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            value={typedName}
            onChange={(event) => rename(event.currentTarget.value)}
            error={errors['name']}
          />
        ) : null}
        {known?.is_set === true ? (
          <Banner tone="wait" role="status">
            {name} already has a value. It will be replaced; running sessions keep the old value until they
            end.
          </Banner>
        ) : null}
        <SecretValueInput
          ref={value}
          label="Value"
          error={errors['value']}
          onType={() => forget('value')}
          autoFocus={fixedName !== undefined}
        />
        <FailureAlert error={save.error} shownAtFields={['name', 'value']} values={typed} />
        {save.isError ? <Text size="sm">The value was not kept. Enter it again.</Text> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {known?.is_set === true ? 'Replace' : 'Set'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function problemsOf(name: string, valueIsEmpty: boolean): Record<string, string> {
  const named = secretName.safeParse(name);
  return {
    ...(named.success ? {} : { name: named.error.issues[0]?.message ?? 'is not a valid name' }),
    ...(valueIsEmpty ? { value: 'must not be empty' } : {}),
  };
}
