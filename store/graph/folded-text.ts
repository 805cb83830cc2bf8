import { graphLimits } from '../../contract/graph.ts';

/** A text as it is searched. Folded here: what a database folds depends on its locale. */
export const folded = (text: string) => text.toLowerCase().slice(0, graphLimits.keyLength).toWellFormed();

/** The node's name as it is searched; null for a node without one. */
export function foldedName(properties: Readonly<Record<string, unknown>>): string | null {
  const name = properties['name'];
  return typeof name === 'string' && name !== '' ? folded(name) : null;
}
