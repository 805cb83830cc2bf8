import { visiblePieces } from '../text/visible-text.ts';

/** A text made of hidden characters must not freeze the page that could stop its sender. */
const mostPieces = 2000;

/**
 * Text of an agent or another person, as it is: never markup, never wider than its place, with hidden and
 * reordering characters shown as marks. Each stretch keeps its direction to itself.
 */
export function VisibleText({ text }: { text: string }) {
  const pieces = visiblePieces(text);
  return (
    <span className="text-block">
      {pieces.slice(0, mostPieces).map((piece, index) => {
        const key = `${index}`;
        return piece.hidden === null ? (
          <bdi key={key}>{piece.text}</bdi>
        ) : (
          <span key={key} className="hidden-character" title={piece.hidden}>
            {piece.hidden.split(' ')[0]}
            {piece.count > 1 ? ` ×${piece.count}` : null}
          </span>
        );
      })}
      {pieces.length > mostPieces ? ' … (rest not shown: too many hidden characters)' : null}
    </span>
  );
}
