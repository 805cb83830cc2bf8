import { Box, Group, Input, Textarea } from '@mantine/core';
import { type ReactNode, useId, useRef } from 'react';

const lineHeightPx = 20;
const paddingPx = 8;

/** Text that a machine reads, such as JSON: fixed width, unwrapped, with line numbers. */
export function CodeTextarea({
  label,
  description,
  error,
  value,
  onChange,
  rows = 14,
  placeholder,
}: {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  placeholder?: string;
}) {
  const id = useId();
  const numbers = useRef<HTMLPreElement>(null);
  const lines = value.split('\n').length;
  const font = {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: 13,
    lineHeight: `${lineHeightPx}px`,
  };
  return (
    <Input.Wrapper label={label} description={description} error={error} id={id}>
      <Group gap={0} wrap="nowrap" align="stretch" mt={4}>
        <Box
          component="pre"
          ref={numbers}
          aria-hidden
          m={0}
          px="xs"
          c="dimmed"
          h={rows * lineHeightPx + 2 * paddingPx + 2}
          style={{ ...font, overflow: 'hidden', textAlign: 'right', userSelect: 'none' }}
        >
          <Box component="span" style={{ display: 'block', padding: `${paddingPx + 1}px 0` }}>
            {Array.from({ length: Math.max(lines, rows) }, (_, at) => at + 1).join('\n')}
          </Box>
        </Box>
        <Textarea
          id={id}
          flex={1}
          rows={rows}
          resize="none"
          value={value}
          error={error !== undefined && error !== null}
          withErrorStyles
          placeholder={placeholder}
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          onChange={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => numbers.current?.scrollTo({ top: event.currentTarget.scrollTop })}
          styles={{
            input: {
              ...font,
              padding: paddingPx,
              height: rows * lineHeightPx + 2 * paddingPx + 2,
              whiteSpace: 'pre',
              overflow: 'auto',
            },
          }}
        />
      </Group>
    </Input.Wrapper>
  );
}
