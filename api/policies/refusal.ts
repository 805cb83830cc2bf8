/**
 * The result of every policy: the rule that forbids it, as a sentence for the caller, or null when allowed.
 */
export type Refusal = string | null;
