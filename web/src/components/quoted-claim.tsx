import { Blockquote, Text } from '@mantine/core';
import { VisibleText } from './visible-text.tsx';

/** What somebody else says, marked as their words: whoever reads must not take them for the platform's. */
export function QuotedClaim({ by, text }: { by: string; text: string }) {
  return (
    <figure style={{ margin: 0 }}>
      <Text component="figcaption" size="sm" c="dimmed">
        In the words of <VisibleText text={by} />; nobody has checked them:
      </Text>
      <Blockquote
        p="sm"
        mt={4}
        mah={240}
        style={{ overflow: 'auto' }}
        tabIndex={0}
        aria-label={`Claim of ${by}`}
      >
        <VisibleText text={text} />
      </Blockquote>
    </figure>
  );
}
