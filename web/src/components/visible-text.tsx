import { visiblePieces } from '../text/visible-text.ts';

/**
 * Text of an agent or another person, as it is: never markup, never wider than its place, with hidden and reordering
 * characters shown as marks. Each stretch keeps its direction to itself.
 */
export function VisibleText({ text }: { text: string }) {
  return (
    <span className="text-block">
      {visiblePieces(text).map((piece, index) => {
        const key = `${index}`;
        return piece.hidden === null ? (
          <bdi key={key}>{piece.text}</bdi>
        ) : (
          <span key={key} className="hidden-character" title={piece.hidden}>
            {piece.hidden.split(' ')[0]}
          </span>
        );
      })}
    </span>
  );
}
