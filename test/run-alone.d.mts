/** Types of run-alone.mjs. */
export const measuringFiles: Record<string, string>;
export const ownProcessFiles: Record<string, string>;
