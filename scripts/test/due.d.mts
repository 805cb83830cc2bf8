/** Types of due.mjs, which runs before there is a compiler. */
export const dependencies: Record<string, string[]>;
export function filesIn(root: string, path: string): string[];
export function keysOf(
  root: string,
  files: string[],
  read?: (path: string) => Buffer,
): Promise<Map<string, string>>;
