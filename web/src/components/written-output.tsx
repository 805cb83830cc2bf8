/** The end of what a process wrote to stderr: its own words, which nobody has checked. */
import { Code, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { sizeText } from '../text/size-text.ts';
import { Banner } from './banner.tsx';
import { QueryState } from './query-state.tsx';
import { RelativeTime } from './relative-time.tsx';
import { VisibleText } from './visible-text.tsx';

/** Each read is audited: it is fetched only on request, and cached nowhere. */
export const readOnRequest = {
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
} as const;

interface Output {
  text: string;
  size_bytes: number;
  written_bytes: number;
  updated_at: string;
}

export function WrittenOutput({ name, query }: { name: string; query: UseQueryResult<{ output: Output }> }) {
  return (
    <QueryState query={query} what="The output">
      {({ output }) => <Written name={name} output={output} />}
    </QueryState>
  );
}

function Written({ name, output }: { name: string; output: Output }) {
  const { text, size_bytes: sizeBytes, written_bytes: writtenBytes, updated_at: at } = output;
  return (
    <Stack>
      <Banner tone="wait">
        Written by <VisibleText text={name} />, not verified. Values of its secret variables are redacted in
        their usual encodings, but it may have written them in another form. Viewing this output is recorded
        in the audit trail.
      </Banner>
      <Text size="xs" c="dimmed">
        Last {sizeText(sizeBytes)} of {sizeText(writtenBytes)} written to stderr, <RelativeTime at={at} />
      </Text>
      <Code block mah={480} tabIndex={0} aria-label={`Output of ${name}`}>
        <VisibleText text={text} />
      </Code>
    </Stack>
  );
}
