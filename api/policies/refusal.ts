/** What every policy answers: the rule that stands against it, as a sentence for the caller, or null when they may. */
export type Refusal = string | null;
