/** The last refused call for each scope, so that a request can say what it is for. */
export interface LastRefusals {
  remember(scope: string, call: { server: string; tool: string }): void;
  lastFor(scope: string): { server: string; tool: string } | null;
}

export function createLastRefusals(): LastRefusals {
  const byScope = new Map<string, { server: string; tool: string }>();
  return {
    remember: (scope, call) => void byScope.set(scope, call),
    lastFor: (scope) => byScope.get(scope) ?? null,
  };
}
