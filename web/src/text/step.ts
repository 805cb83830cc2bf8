/** One of several things that happen one after the other. */
export interface Step {
  label: string;
  state: 'done' | 'current' | 'failed' | 'ahead';
  /** How long it took, or has taken so far, in ms; null where that is not known. */
  durationMs: number | null;
}
