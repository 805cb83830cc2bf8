import { Button, Group, Input, Stack, Text, TextInput } from '@mantine/core';
import { type ClipboardEvent, type Ref, useImperativeHandle, useRef, useState } from 'react';

export interface SecretValue {
  /** The value as it was entered; the field is empty afterwards. */
  take(): string;
  isEmpty(): boolean;
}

/**
 * A field for a value that can never be read back. What is typed lives in the browser's password field
 * alone, what is pasted with line breaks (which such a field would drop) in a variable: neither is ever part
 * of the page's markup or state.
 */
export function SecretValueInput({
  ref,
  label,
  error,
  autoFocus = false,
  onType,
}: {
  ref: Ref<SecretValue>;
  label: string;
  error?: string | undefined;
  autoFocus?: boolean;
  /** Called when something is typed, pasted or cleared. */
  onType?: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const pasted = useRef<string | null>(null);
  const [pastedLines, setPastedLines] = useState(0);
  const hold = (text: string | null) => {
    pasted.current = text;
    setPastedLines(text === null ? 0 : text.split('\n').length);
  };
  useImperativeHandle(ref, () => ({
    take() {
      const value = pasted.current ?? input.current?.value ?? '';
      hold(null);
      if (input.current !== null) {
        input.current.value = '';
      }
      return value;
    },
    isEmpty: () => (pasted.current ?? input.current?.value ?? '') === '',
  }));
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text/plain');
    if (/[\r\n]/.test(text.trim())) {
      event.preventDefault();
      hold(text);
      onType?.();
    }
  };
  if (pastedLines > 0) {
    return <PastedLines label={label} lines={pastedLines} error={error} onForget={() => hold(null)} />;
  }
  return (
    <TextInput
      ref={input}
      type="password"
      label={label}
      description="Can be replaced later, but never viewed again. You can paste several lines, such as a key file. A value below 4 bytes is not redacted in what processes write."
      error={error}
      required
      autoComplete="off"
      data-1p-ignore
      data-lpignore="true"
      spellCheck={false}
      data-autofocus={autoFocus || undefined}
      onPaste={paste}
      onChange={() => onType?.()}
    />
  );
}

function PastedLines({
  label,
  lines,
  error,
  onForget,
}: {
  label: string;
  lines: number;
  error: string | undefined;
  onForget: () => void;
}) {
  return (
    <Stack gap={4}>
      <Input.Label component="div">{label}</Input.Label>
      <Group gap="xs">
        <Text size="sm" role="status">
          {lines} lines pasted, including line breaks.
        </Text>
        <Button size="compact-sm" variant="default" onClick={onForget}>
          Enter a different value
        </Button>
      </Group>
      {error === undefined ? null : <Input.Error>{error}</Input.Error>}
    </Stack>
  );
}
