import { Button, Group, Input, Radio, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Availability, Manifest } from '../../api/types.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { ArgumentsInput } from '../../components/arguments-input.tsx';
import { descriptionOr } from '../../components/unavailable.tsx';
import type { EntryValues } from './entry-values.ts';
import { RemoteFields } from './remote-fields.tsx';

export type EntryFormState = UseFormReturnType<EntryValues>;

const shapes: { value: EntryValues['shapeType']; label: string; help: string }[] = [
  {
    value: 'command',
    label: 'Command',
    help: 'A program with arguments, as in desktop clients. It runs in a sandbox with Node. mcp-server-filesystem and mcp-server-everything are preinstalled; npx and uvx download others.',
  },
  {
    value: 'image',
    label: 'Container image',
    help: 'An OCI image, started unmodified next to the agent.',
  },
  {
    value: 'remote',
    label: 'Remote URL',
    help: 'A server that is hosted elsewhere and speaks Streamable HTTP. Only agents of the kind worker use it.',
  },
];

/**
 * What runs: one of three shapes, each with its own fields. `manifest` is what is
 * typed, while it can be read.
 */
export function ShapeFields({ form, manifest }: { form: EntryFormState; manifest: Manifest | null }) {
  const { shapeType, args } = form.values;
  const here = useAvailability();
  return (
    <Stack>
      <Radio.Group label="Type" {...form.getInputProps('shapeType')}>
        <Stack gap="xs" mt={4}>
          {shapes.map(({ value, label, help }) => (
            <Radio
              key={value}
              value={value}
              label={label}
              description={descriptionOr(help, reasonOf(here, value))}
              // Some commands run where others cannot: what is typed decides.
              disabled={value !== 'command' && reasonOf(here, value) !== null}
            />
          ))}
        </Stack>
      </Radio.Group>
      {shapeType === 'command' ? (
        <>
          <TextInput
            label="Command"
            description="Only the program, such as npx, uvx or mcp-server-filesystem."
            required
            spellCheck={false}
            {...form.getInputProps('command')}
          />
          <ArgumentsInCommand form={form} />
          <ArgumentsInput
            value={args}
            onChange={(value) => {
              form.setFieldValue('args', value);
              for (const at of args.keys()) {
                form.clearFieldError(`args.${at}`);
              }
            }}
            errors={Object.fromEntries(args.map((_, at) => [at, textOf(form.errors[`args.${at}`])]))}
          />
          {form.errors['args'] ? <Input.Error>{form.errors['args']}</Input.Error> : null}
        </>
      ) : null}
      {shapeType === 'image' ? (
        <>
          <TextInput
            label="Image"
            description="Including the registry and a tag or digest, such as registry.example/team/server:1.2. It is read when you save."
            required
            spellCheck={false}
            {...form.getInputProps('image')}
          />
          <TextInput
            label="Registry secret"
            description="Name of a secret with user:password, if the registry requires it."
            spellCheck={false}
            {...form.getInputProps('registrySecret')}
          />
        </>
      ) : null}
      {shapeType === 'remote' ? <RemoteFields form={form} manifest={manifest} /> : null}
    </Stack>
  );
}

/** People paste what they would type in a shell; no shell reads it here. */
function ArgumentsInCommand({ form }: { form: EntryFormState }) {
  const { command, args } = form.values;
  const [program = '', ...more] = command.trim().split(/\s+/);
  return more.length === 0 ? null : (
    <Group gap="xs">
      <Text size="sm">This is run as one program name, including spaces.</Text>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => form.setValues({ command: program, args: [...more, ...args] })}
      >
        Move what follows {program} to the arguments
      </Button>
    </Group>
  );
}

const reasonOf = (here: Availability | undefined, shape: EntryValues['shapeType']): string | null =>
  here?.shapes[shape] ?? null;

const textOf = (error: unknown): string | undefined => (typeof error === 'string' ? error : undefined);
