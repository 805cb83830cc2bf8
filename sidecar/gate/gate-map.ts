/** Which tools of one server a scope gates. */

type NameMatch =
  | { kind: 'ungated' }
  | { kind: 'gated'; scope: string }
  | { kind: 'lookalike'; imitates: string };

export interface GateMap {
  /** `lookalike`: not the name of a gated tool, but a lenient server could take it for one. */
  lookUp(tool: string): NameMatch;
}

/** Builds the map from a manifest's `tool_scopes`. */
export function createGateMap(toolScopes: Readonly<Record<string, string>>): GateMap {
  const scopes = new Map(Object.entries(toolScopes));
  const byFolded = new Map([...scopes.keys()].map((tool) => [foldName(tool), tool]));
  return {
    lookUp(tool) {
      const scope = scopes.get(tool);
      if (scope !== undefined) {
        return { kind: 'gated', scope };
      }
      const imitates = byFolded.get(foldName(tool));
      return imitates === undefined ? { kind: 'ungated' } : { kind: 'lookalike', imitates };
    },
  };
}

/** Equal for names that differ only by case, Unicode compatibility forms, invisible characters or surrounding space. */
export function foldName(name: string): string {
  const visible = name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Lower case first: upper-casing alone leaves a capital sharp s unchanged.
  return visible.trim().toLowerCase().toUpperCase().normalize('NFKC');
}
