/** Types of tiers.mjs, which runs before there is a compiler. */
export type Tier = 'unit' | 'services' | 'platform' | 'sign-in' | 'claude' | 'acp' | 'engine' | 'cluster';
export const tiers: Record<Tier, string[]>;
export function tierOf(path: string): Tier;
export function filesOf(tier: Tier): string[];
export function testFiles(): string[];
