/** Types of plan.mjs, which runs before there is a compiler. */
export const selections: Record<'quick' | 'rest' | 'random' | 'all', () => string[]>;
export function longMode(text?: string): { path: string; reason: string; provedBy: string }[];
export const placements: { shared: string; ownProcess: string; alone: string };
export function placementOf(file: string): string;
export function mayRunTwice(file: string): boolean;
