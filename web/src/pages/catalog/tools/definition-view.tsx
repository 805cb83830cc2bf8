/**
 * A definition in the server's words: its description or the instructions as a quote,
 * the other fields as JSON.
 */
import { Code, Stack, Text } from '@mantine/core';
import { toolListLimits } from '../../../../../contract/tool-definitions.ts';
import type { ToolDefinition } from '../../../api/types.ts';
import { QuotedClaim } from '../../../components/quoted-claim.tsx';
import { VisibleText } from '../../../components/visible-text.tsx';
import { readDefinition } from './definition-text.ts';

type Definition = Pick<ToolDefinition, 'part' | 'tool' | 'text' | 'is_cut'>;

export function DefinitionView({ server, definition }: { server: string; definition: Definition }) {
  const { prose, fields } = readDefinition(definition);
  return (
    <Stack gap="xs">
      {prose === '' ? null : <QuotedClaim by={server} text={prose} />}
      {fields === '' ? null : (
        <Code block mah={480} tabIndex={0} aria-label={`Definition of ${subjectOf(definition)}`}>
          <VisibleText text={fields} />
        </Code>
      )}
      {definition.is_cut ? <CutNote isEmpty={definition.text === ''} /> : null}
    </Stack>
  );
}

/** The name of a tool is the server's own words, too. */
export const subjectOf = ({ part, tool }: Pick<ToolDefinition, 'part' | 'tool'>): string =>
  part === 'instructions' ? 'the instructions' : tool;

/** Says what is not shown. `isEmpty`: nothing of a definition was kept. */
export function CutNote({ isEmpty }: { isEmpty: boolean }) {
  return (
    <Text size="sm" role="note">
      {isEmpty
        ? 'A definition is not shown: it may hold values of secrets that are no longer known, or its list was too long.'
        : `The end is not shown: only the first ${toolListLimits.textCharacters.toLocaleString('en')} characters of a definition are kept.`}{' '}
      All of it is compared.
    </Text>
  );
}
