import { Code, CopyButton, Group, UnstyledButton } from '@mantine/core';

/** An id, short, with the whole of it on hover and a click that copies it. */
export function CopyableId({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <UnstyledButton onClick={copy} title={id} aria-label={copied ? 'Copied' : `Copy id ${id}`}>
          <Group gap={4} wrap="nowrap">
            <Code>{copied ? 'copied' : id.slice(0, 8)}</Code>
          </Group>
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
