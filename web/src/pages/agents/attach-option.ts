/** Which entries of the catalog an agent can attach. Pure. */
import { forWorkersOnly } from '../../../../contract/remote-server.ts';
import type { Agent, McpServer } from '../../api/types.ts';
import { notReadyWords } from '../../text/registration-state.ts';

type Entry = Pick<McpServer, 'name' | 'shape' | 'unavailable' | 'registration'>;

/** Why agents of this kind do not attach the entry; null when they do. It follows the entry's name. */
export const kindProblem = ({ shape }: Pick<Entry, 'shape'>, { kind }: Pick<Agent, 'kind'>): string | null =>
  shape.type === 'remote' && kind !== 'worker' ? forWorkersOnly : null;

/**
 * The entry in a list to choose from, with what speaks against it. One that is not ready
 * can be configured already.
 */
export function attachOption(
  entry: Entry,
  agent: Pick<Agent, 'kind'>,
): { value: string; label: string; disabled: boolean } {
  const { name, unavailable } = entry;
  const ruledOut = unavailable === null ? null : `cannot run here, ${unavailable.reason}`;
  const note = ruledOut ?? kindProblem(entry, agent) ?? notReadyWords(entry);
  return {
    value: name,
    label: note === null ? name : `${name}: ${note}`,
    disabled: ruledOut !== null || kindProblem(entry, agent) !== null,
  };
}
