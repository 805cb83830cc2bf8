import { Button, Card, Group, Stack, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { UseMutationResult } from '@tanstack/react-query';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { ApiFailure } from '../../api/failure.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import type { Manifest, McpServerInput } from '../../api/types.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { hasEngine, subscribeEngine } from '../../text/judge-pattern.ts';
import { AccessFields } from './access-fields.tsx';
import { type EntryValues, fieldOf, hasField, inputOf, problemsOf } from './entry-values.ts';
import { ManifestEditor } from './manifest-editor.tsx';
import { readManifest } from './manifest-text.ts';
import { ShapeFields } from './shape-fields.tsx';
import { UncountedGrants } from './uncounted-grants.tsx';

/**
 * Everything that an admin decides of an entry. `save` is what sends it; `ofImage` is what its image
 * says, where it was read.
 */
export function EntryForm({
  initial,
  draftName,
  nameIsFixed,
  ofImage = null,
  save,
  submitLabel,
  onCancel,
}: {
  initial: EntryValues;
  /** What is typed is kept under this name until it is sent. */
  draftName: string;
  nameIsFixed: boolean;
  ofImage?: Manifest | null;
  save: UseMutationResult<unknown, Error, McpServerInput>;
  submitLabel: string;
  onCancel: () => void;
}) {
  const { slug } = useWorkspace();
  const form = useForm<EntryValues>({ initialValues: initial, validate: problemsOf });
  const { manifestText, shapeType } = form.values;
  const isJudged = useSyncExternalStore(subscribeEngine, hasEngine);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once its expressions can be judged, they are.
  const manifest = useMemo(() => readManifest(manifestText), [manifestText, isJudged]);
  const send = (values: EntryValues) =>
    save.mutate(inputOf(values), { onError: (error) => form.setErrors(fieldErrors(error, fieldOf)) });
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack>
        <FormDraft form={form} slug={slug} name={draftName} save={save} />
        <Part title="Server">
          {nameIsFixed ? null : (
            <TextInput
              label="Name"
              description="Lowercase letters, digits and hyphens. Agents see its tools as mcp__name__tool. It cannot be changed later."
              required
              spellCheck={false}
              {...form.getInputProps('name')}
            />
          )}
          <ShapeFields form={form} manifest={manifest.manifest} />
        </Part>
        <Part title="Configuration and gated tools">
          <ManifestEditor
            value={manifestText}
            onChange={(text) => form.setFieldValue('manifestText', text)}
            read={manifest}
            error={form.errors['manifestText']}
            emptyMeans={emptyMeans(shapeType)}
            unlistedTools={form.values.unlistedTools}
          />
        </Part>
        <Part title="Access">
          <AccessFields form={form} />
          {form.values.approvers === 'admin' ? (
            <UncountedGrants
              entryName={nameIsFixed ? initial.name : null}
              scopes={Object.values((manifest.manifest ?? ofImage)?.tool_scopes ?? {})}
              when="saving"
            />
          ) : null}
        </Part>
        <FailureAlert
          error={save.error}
          shownAtFields={shownPaths(form.values, nameIsFixed, save.error)}
          values={form.values}
        />
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

const emptyMeans = (shapeType: EntryValues['shapeType']): string =>
  shapeType === 'image'
    ? 'Leave empty to use the manifest of the image, if it has one.'
    : 'If empty, the server takes no variables and none of its tools needs a grant.';

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder component="section">
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        {children}
      </Stack>
    </Card>
  );
}

/** What a field shows; the manifest's problems and the rest stand above the buttons. */
function shownPaths(values: EntryValues, nameIsFixed: boolean, error: unknown): string[] {
  const paths = error instanceof ApiFailure ? error.fields.map(({ path }) => path) : [];
  return paths.filter((path) => hasField(values, fieldOf(path)) && !(nameIsFixed && path === 'name'));
}
