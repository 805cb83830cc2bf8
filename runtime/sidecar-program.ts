/**
 * Options of Node for a sidecar. Its young generation is small, and still has room for what 64 calls in flight hold, which would
 * otherwise grow old before it is garbage. Whatever load made it grow, V8 returns within half a minute of quiet.
 */
export const sidecarNodeOptions = ['--max-semi-space-size=4', '--initial-old-space-size=16'] as const;

/** How a machine's own process runs a sidecar: `programsDirectory` has the built programs. */
export const sidecarCommand = (node: string, programsDirectory: string): string[] => [
  node,
  ...sidecarNodeOptions,
  `${programsDirectory}/sidecar.js`,
];

/** Variables of a sidecar, for the system's memory allocator: without them it keeps some 2 MiB more. The sidecar's image sets the same. */
export const sidecarEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536' } as const;
