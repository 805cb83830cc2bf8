import { Button } from '@mantine/core';
import { useState } from 'react';
import { type CallCharacter, charactersOf, countHidden, piecesOf } from './call-characters.ts';
import { folded } from './folded.ts';

/** Of a longer string the beginning and the end are shown at first. */
const longToken = { most: 200, head: 100, tail: 60 };

/**
 * A token of a call as it is written there: never markup, in the order of its characters, with
 * marks for those that hide.
 */
export function CallTokenText({ text, decides = false }: { text: string; decides?: boolean }) {
  return <CallText characters={charactersOf(text)} decides={decides} />;
}

/** `decides`: what is folded has to be unfolded before an approval. */
export function CallText({
  characters,
  decides = false,
}: {
  characters: readonly CallCharacter[];
  decides?: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const { head, hidden, tail } = folded(characters, longToken);
  if (hidden.length === 0) {
    return <Pieces characters={head} />;
  }
  return (
    <>
      <Pieces characters={isWhole ? [...head, ...hidden, ...tail] : head} />{' '}
      <span {...foldMarks(decides, isWhole)}>
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : hiddenText(hidden)}
        </Button>
      </span>{' '}
      {isWhole ? null : <Pieces characters={tail} />}
    </>
  );
}

/** Of a place where something is folded: whoever decides must have unfolded it. */
export const foldMarks = (decides: boolean, isWhole: boolean) => ({
  ...(decides ? { 'data-decides': true } : {}),
  ...(decides && !isWhole ? { 'data-folded': true } : {}),
});

function hiddenText(hidden: readonly CallCharacter[]): string {
  const invisible = countHidden(hidden);
  const more = `… ${hidden.length.toLocaleString('en')} more characters`;
  return invisible === 0 ? more : `${more}, ${invisible.toLocaleString('en')} of them invisible`;
}

function Pieces({ characters }: { characters: readonly CallCharacter[] }) {
  return piecesOf(characters).map(({ kind, label, name, count }, index) => {
    const key = `${index}`;
    return name === null ? (
      <bdi key={key}>{label}</bdi>
    ) : (
      <span key={key} className={kind === 'hidden' ? 'hidden-character' : 'call-escape'} title={name}>
        {label}
        {kind === 'hidden' && count > 1 ? ` ×${count}` : null}
      </span>
    );
  });
}
