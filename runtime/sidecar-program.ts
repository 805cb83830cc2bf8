/**
 * Options of Node for a sidecar. It keeps little for long: a small young generation costs its calls no measurable time, and without
 * these its memory grows to twice as much under load.
 */
export const sidecarNodeOptions = ['--max-semi-space-size=1', '--initial-old-space-size=8'] as const;

/** Variables of a sidecar, for the system's memory allocator: without them it keeps some 2 MiB more. The sidecar's image sets the same. */
export const sidecarEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536' } as const;
