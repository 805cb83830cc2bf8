import { VisibleText } from '../../components/visible-text.tsx';
import type { Piece } from './choice-text.ts';

/** The platform's words with the names of others in them. */
export function Sentence({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece, index) => {
    const key = `${index}`;
    if (typeof piece === 'string') {
      return <span key={key}>{piece}</span>;
    }
    return (
      <span key={key} className={piece.isCode === true ? 'verdict-code' : undefined}>
        <VisibleText text={piece.name} />
      </span>
    );
  });
}
