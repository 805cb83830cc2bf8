/** Types of run-alone.mjs, which the runner reads before there is a compiler. */
export const measuringFiles: Record<string, string>;
export const ownProcessFiles: Record<string, string>;
export const onlyAtLeastFiles: Record<string, string>;
