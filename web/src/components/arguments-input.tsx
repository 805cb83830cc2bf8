import { Button, CloseButton, Group, Input, Stack, Textarea } from '@mantine/core';

/** An ordered list of arguments, each exactly as it is passed: spaces and line breaks belong to it. */
export function ArgumentsInput({
  value,
  onChange,
  errors = {},
}: {
  value: readonly string[];
  onChange: (value: string[]) => void;
  /** By position. */
  errors?: Record<number, string | undefined>;
}) {
  const change = (at: number, text: string) =>
    onChange(value.map((old, index) => (index === at ? text : old)));
  return (
    <Stack gap={6} role="group" aria-label="Arguments">
      <div>
        <Input.Label component="div">Arguments</Input.Label>
        <Input.Description>One per field, without quotes.</Input.Description>
      </div>
      {value.map((argument, at) => {
        const key = `${at}`;
        return (
          <Group key={key} gap="xs" wrap="nowrap" align="flex-start">
            <Textarea
              flex={1}
              autosize
              minRows={1}
              maxRows={8}
              aria-label={`Argument ${at + 1}`}
              value={argument}
              error={errors[at]}
              spellCheck={false}
              styles={monospace}
              onChange={(event) => change(at, event.currentTarget.value)}
            />
            <CloseButton
              mt={4}
              aria-label={`Remove argument ${at + 1}`}
              onClick={() => onChange(value.filter((_, index) => index !== at))}
            />
          </Group>
        );
      })}
      <Group>
        <Button variant="default" size="compact-sm" onClick={() => onChange([...value, ''])}>
          Add argument
        </Button>
      </Group>
    </Stack>
  );
}

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };
