import { Alert, Button, Stack, Text } from '@mantine/core';
import { hasHidden, visiblePieces } from '../../text/visible-text.ts';

/**
 * Says which characters a field holds and does not show: a prompt that another agent wrote may hide words to
 * the agent from who sends it again.
 */
export function HiddenCharacters({ text, remove }: { text: string; remove: (shown: string) => void }) {
  if (!hasHidden(text)) {
    return null;
  }
  const pieces = visiblePieces(text);
  const names = new Set(pieces.flatMap(({ hidden }) => (hidden === null ? [] : [hidden])));
  const count = pieces.reduce((sum, piece) => sum + (piece.hidden === null ? 0 : piece.count), 0);
  const shown = pieces.map((piece) => (piece.hidden === null ? piece.text : '')).join('');
  return (
    <Alert color="yellow" title={`${count} characters of the prompt cannot be seen here`} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{[...names].slice(0, mostNames).join(', ')}. The agent reads them.</Text>
        <Button variant="default" size="xs" onClick={() => remove(shown)}>
          Remove them
        </Button>
      </Stack>
    </Alert>
  );
}

const mostNames = 5;
