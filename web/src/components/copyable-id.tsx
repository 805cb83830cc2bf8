import { Code, CopyButton, UnstyledButton } from '@mantine/core';

/** The whole of an id, and a click that copies it: what is read, typed and copied is the same. */
export function CopyableId({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <UnstyledButton onClick={copy} title="Copy" aria-label={copied ? 'Copied' : `Copy ID ${id}`}>
          <Code className="whole-id">{id}</Code>
          {copied ? ' copied' : null}
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
