import { Button, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ApiFailure } from '../../api/failure.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { keys } from '../../api/keys.ts';
import { useSendGrant } from '../../api/passkeys.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useAuthority } from '../../api/use-authority.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { FormDraft } from '../../components/form-draft.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import type { FieldProps } from './field-props.ts';
import { typeLabel, typeMeaning } from './grant-text.ts';
import { HolderField } from './holder-field.tsx';
import { MatterField } from './matter-field.tsx';
import {
  bodyOf,
  changed,
  emptyValues,
  fieldOf,
  type GrantFormValues,
  missingIn,
  typesFor,
} from './new-grant-values.ts';
import { ScopeField } from './scope-field.tsx';
import { SessionField } from './session-field.tsx';

/** Permits something before anybody asks. The address may name the holder: `?holder=agent:<id>`. */
export function NewGrantPage() {
  const { slug, isAdmin } = useWorkspace();
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const keyFor = useIdempotencyKey();
  const sendGrant = useSendGrant(slug);
  const form = useForm<GrantFormValues>({
    initialValues: { ...emptyValues, holder: search.get('holder') ?? '' },
    validate: missingIn,
  });
  const create = useApiMutation({
    send: (values: GrantFormValues) => {
      const asked = bodyOf(values);
      return sendGrant(asked, { header: keyFor(asked) });
    },
    invalidates: [keys.grants(slug)],
    onRefetched: ({ grant }) => navigate(pathOf(slug, 'grants', grant.id)),
    onError: (error) => form.setErrors(fieldErrors(error, fieldOf)),
  });
  const change = (part: Partial<GrantFormValues>) => {
    form.setValues(changed(form.values, part, { isAdmin }));
    for (const name of Object.keys(part)) {
      form.clearFieldError(name);
    }
  };
  const child = useAuthority(childIn(form.values));
  const field = { values: form.values, errors: form.errors, change };
  const known = create.error instanceof ApiFailure ? create.error.fields.map(({ path }) => path) : [];
  return (
    <PageFrame
      width="form"
      title="New grant"
      description="Allow something in advance. What agents request while they run is answered under Approvals."
    >
      <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
        <Stack>
          <FormDraft form={form} slug={slug} name="new grant" save={create} />
          <HolderField {...field} />
          <TypeField {...field} />
          <MatterField {...field} />
          <ScopeField {...field} />
          {form.values.scope === 'session' ? <SessionField {...field} /> : null}
          {form.values.scope === 'persistent' ? (
            <TextInput
              type="datetime-local"
              label="Ends"
              description="Optional. It has no effect from then on."
              {...form.getInputProps('expires')}
            />
          ) : null}
          <Textarea
            label="Reason"
            description="Optional. Shown with the grant."
            autosize
            minRows={2}
            maxLength={2000}
            {...form.getInputProps('reason')}
          />
          <FailureAlert error={create.error} shownAtFields={known.filter(isShown)} values={form.values} />
          <Group>
            <Button
              type="submit"
              loading={create.isPending}
              // Nobody lets an agent be started before they were shown what it can do.
              disabled={childIn(form.values) !== null && child.data === undefined}
            >
              Create grant
            </Button>
            <Button variant="default" component={Link} href={pathOf(slug, 'grants')}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </PageFrame>
  );
}

const childIn = ({ type, matter }: GrantFormValues) => (type === 'spawn' && matter !== '' ? matter : null);

const isShown = (path: string) => Object.hasOwn(emptyValues, fieldOf(path));

function TypeField({ values, errors, change }: FieldProps) {
  const { isAdmin } = useWorkspace();
  const types = typesFor(values.holder, { isAdmin });
  return (
    <Radio.Group
      label="Grant type"
      value={values.type}
      onChange={(chosen) => {
        const type = types.find((candidate) => candidate === chosen);
        change(type === undefined ? {} : { type });
      }}
      error={errors['type']}
    >
      <Stack gap="xs" mt="xs">
        {types.map((type) => (
          <Radio key={type} value={type} label={typeLabel[type]} description={typeMeaning[type]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
