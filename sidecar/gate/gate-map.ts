/** Which tools of one server a scope gates. */

type NameMatch =
  | { kind: 'ungated' }
  | { kind: 'gated'; scope: string }
  | { kind: 'lookalike'; imitates: string }
  | { kind: 'unlisted' };

export interface GateMap {
  /**
   * `lookalike`: not the name of a gated tool, but a lenient server could take it for one. `unlisted`: no
   * scope names the tool, nor an admin who refuses all others.
   */
  lookUp(tool: string): NameMatch;
}

/**
 * Builds the map from a manifest's `tool_scopes`. `ungated`: the only other tools that can
 * be called; null for any.
 */
export function createGateMap(
  toolScopes: Readonly<Record<string, string>>,
  ungated: ReadonlySet<string> | null = null,
): GateMap {
  const scopes = new Map(Object.entries(toolScopes));
  const byFolded = new Map([...scopes.keys()].map((tool) => [foldName(tool), tool]));
  return {
    lookUp(tool) {
      const scope = scopes.get(tool);
      if (scope !== undefined) {
        return { kind: 'gated', scope };
      }
      const imitates = byFolded.get(foldName(tool));
      if (imitates !== undefined) {
        return { kind: 'lookalike', imitates };
      }
      return ungated === null || ungated.has(tool) ? { kind: 'ungated' } : { kind: 'unlisted' };
    },
  };
}

/**
 * Equal for names that differ only by case, Unicode compatibility forms, invisible
 * characters or surrounding space.
 */
export function foldName(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Lower case first: upper-casing alone leaves a capital sharp s unchanged.
  return visible.trim().toLowerCase().toUpperCase().normalize('NFKC');
}
